import pytest

from untie._util.messages import need


def test_a_missing_library_names_the_extra():
    with pytest.raises(ImportError, match=r"need not_there: pip install 'untie-learn\[files\]'"):
        need("not_there.part")

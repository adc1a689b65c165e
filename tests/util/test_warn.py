import warnings

import pandas as pd
import pytest

from untie import UNTIE


@pytest.mark.parametrize("method", ["fit", "fit_transform", "partial_fit"])
def test_a_warning_points_at_the_line_of_the_user(method):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        getattr(UNTIE(1, solver="exact"), method)(pd.DataFrame({"a": ["x", "y"]}))
    assert [warning.filename for warning in caught] == [__file__]

"""Columns that a preparer left out are compared with those of another table."""

import pandas as pd

from untie import Preparer
from untie.explain import drift, with_left_out


def test_a_constant_that_has_changed_is_drift():
    before = pd.DataFrame(
        {
            "person": [f"p{row}" for row in range(100)],
            "colour": ["red", "blue"] * 50,
            "country": "here",
        }
    )
    preparer = Preparer().fit(before)
    after = before.assign(country="there")
    found = drift(preparer.transform(before), preparer.transform(after))
    assert found.drifted_columns == ()
    found, said = with_left_out(found, preparer, after)
    assert found.drifted_columns == ("country",)
    assert found.appeared == ("country=there",)
    assert said == ["Not compared: person (looks like an id)."]

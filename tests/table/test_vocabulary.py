import datetime as dt
import pickle
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untie._table.vocabulary import (
    INFREQUENT,
    Infrequent,
    Vocabulary,
    distinct_labels,
    number_repeats,
    sort_values,
)

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(-3, 3, allow_nan=False),
    st.text("ab1'\"#= ", max_size=3),
    st.sampled_from(["1", "missing", "infrequent", "None", "True", "1.0", "a#2"]),
    st.binary(max_size=1),
    st.dates(dt.date(2020, 1, 1), dt.date(2020, 1, 3)),
    st.datetimes(dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2), timezones=st.none()),
    st.decimals(-1, 1, places=1),
)
VALUES = st.one_of(SCALARS, st.tuples(SCALARS, SCALARS), st.frozensets(st.integers(0, 3)))


@given(st.lists(VALUES, unique=True, max_size=8), st.randoms(use_true_random=False))
def test_sorting_does_not_depend_on_the_order_given(values, random):
    shuffled = random.sample(values, len(values))
    ordered = sort_values(values)
    assert sort_values(shuffled) == ordered
    assert len(ordered) == len(values)
    assert set(ordered) == set(values)


def test_numbers_then_text_then_the_rest_then_missing():
    values = [None, "b", dt.date(2020, 1, 2), 2, "a", dt.date(2020, 1, 1), 1.5, True, b"x"]
    expected = (True, 1.5, 2, "a", "b", b"x", dt.date(2020, 1, 1), dt.date(2020, 1, 2), None)
    assert sort_values(values) == expected


def test_values_of_one_type_without_an_order_are_sorted():
    aware = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    naive = dt.datetime(2020, 1, 1)
    assert sort_values([aware, naive]) == sort_values([naive, aware])
    assert sort_values([1j, 2j, 0j]) == sort_values([0j, 2j, 1j])


@given(st.lists(VALUES, unique=True, max_size=8))
def test_labels_are_distinct(values):
    labels = distinct_labels([*values, INFREQUENT])
    assert len(set(labels)) == len(values) + 1


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([1, "1"], ["1", "'1'"]),
        (["missing", None], ["'missing'", "missing"]),
        (["infrequent", INFREQUENT], ["'infrequent'", "infrequent"]),
        (["True", True, "a"], ["'True'", "True", "a"]),
        ([None], ["missing"]),
        (["missing"], ["missing"]),
        ([1, "1", "'1'"], ["1", "'1'", "'1'#2"]),
        ([0.1, Decimal("0.1")], ["0.1", "0.1#2"]),
    ],
)
def test_labels_of_look_alikes(values, labels):
    assert distinct_labels(values) == labels


@pytest.mark.parametrize(
    ("columns", "values"),
    [
        (("A", "A=1"), (("1=2",), ("2",))),
        (("A", "A"), (("x", "y"), ("x", "y"))),
        (("A",), ((1, "1", "'1'"),)),
        (("A",), (("missing", None, "'missing'"),)),
        (("A",), (("infrequent", INFREQUENT),)),
        (("A", "A=x", "A"), (("x=y#2", "x=y"), ("y",), ("x=y",))),
        (("", "="), (("=", ""), ("",))),
    ],
)
def test_feature_names_are_distinct(columns, values):
    names = Vocabulary(columns, values).feature_names()
    assert len(names) == sum(len(v) for v in values)
    assert len(set(names)) == len(names)


def test_plain_feature_names():
    vocabulary = Vocabulary(("Color", "n"), (("red", None), (1, 2)))
    assert vocabulary.feature_names() == ["Color=red", "Color=missing", "n=1", "n=2"]


@given(st.lists(st.sampled_from(["a", "b", "a#2", "a#3", "a#2#2", "b#2"]), max_size=9))
def test_numbered_names_are_distinct_and_first_ones_stay(names):
    numbered = number_repeats(names)
    assert len(set(numbered)) == len(names)
    for position, name in enumerate(names):
        if name not in names[:position]:
            assert numbered[position] == name
        assert numbered[position].startswith(name)


@given(*[st.lists(VALUES, unique=True, max_size=6)] * 2)
def test_union_is_the_vocabulary_of_both(first, second):
    one, other = (Vocabulary(("A",), (sort_values(values),)) for values in (first, second))
    union = one.union(other)
    assert set(union.values[0]) == {*first, *second}
    assert union == other.union(one)
    for part in (one, other):
        moved = part.translate(union, 0)
        assert tuple(union.values[0][code] for code in moved) == part.values[0]


def test_union_refuses_other_columns():
    with pytest.raises(ValueError, match=r"columns differ: \('A',\) and \('B',\)"):
        Vocabulary(("A",), (("x",),)).union(Vocabulary(("B",), (("x",),)))


def test_sizes_positions_and_columns():
    vocabulary = Vocabulary(("A", "B"), (("x", None), (1, "1")))
    assert vocabulary.sizes == (2, 2)
    assert vocabulary.positions == ({"x": 0, None: 1}, {1: 0, "1": 1})
    assert vocabulary.index_of("B") == 1
    with pytest.raises(ValueError, match="no column 'C' in the table; its columns are 'A', 'B'"):
        vocabulary.index_of("C")


def test_numpy_text_sorts_among_text():
    assert sort_values([np.str_("b"), "c", "a"]) == ("a", "b", "c")


def test_there_is_one_infrequent():
    assert pickle.loads(pickle.dumps(INFREQUENT)) is INFREQUENT
    assert Infrequent() is INFREQUENT
    assert str(INFREQUENT) == "infrequent"

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.preprocessing import OneHotEncoder

from untie import UNTIE, TableEncoder, count_table
from untie._count.counts import count
from untie._count.grouping import group_rare
from untie._count.tally import CountOptions, tally_counted, tally_table
from untie._table.table import read_table
from untie._table.vocabulary import INFREQUENT, Vocabulary

FREQUENCY = st.one_of(st.none(), st.integers(1, 8), st.sampled_from([0.05, 0.1, 0.25, 0.5, 0.9]))
LIMIT = st.one_of(st.none(), st.integers(1, 7))


@st.composite
def word_tables(draw):
    """Draw rows of words of which some are rare, some are equally frequent."""
    n_rows = draw(st.integers(1, 40))
    cell = st.sampled_from(["a"] * 6 + ["b"] * 3 + ["c", "d", "e", "f"])
    n_columns = draw(st.integers(1, 3))
    rows = st.lists(cell, min_size=n_columns, max_size=n_columns)
    return np.array(draw(st.lists(rows, min_size=n_rows, max_size=n_rows)), dtype=object)


def group(rows, min_frequency, max_categories, weights=None):
    options = CountOptions(weights, "auto", min_frequency, max_categories)
    return tally_table(read_table(rows), options).grouping


@given(word_tables(), FREQUENCY, LIMIT)
def test_rare_values_are_those_of_scikit_learn(rows, min_frequency, max_categories):
    assume(min_frequency is not None or max_categories is not None)
    encoder = OneHotEncoder(
        min_frequency=min_frequency,
        max_categories=max_categories,
        handle_unknown="infrequent_if_exist",
    ).fit(rows)
    grouping = group(rows, min_frequency, max_categories)
    expected = [[] if e is None else e.tolist() for e in encoder.infrequent_categories_]
    assert grouping.infrequent_values() == expected
    if max_categories is not None:
        assert max(grouping.vocabulary.sizes) <= max_categories


@given(word_tables(), FREQUENCY, LIMIT)
def test_weights_decide_like_repetitions(rows, min_frequency, max_categories):
    weights = np.arange(len(rows)) % 4
    weights[0] += 1  # not every row may have a weight of 0
    repeated = np.repeat(rows, weights, axis=0)
    by_weight = group(rows, min_frequency, max_categories, weights)
    by_rows = group(repeated, min_frequency, max_categories)
    assert by_weight.raw == by_rows.raw
    assert by_weight.vocabulary == by_rows.vocabulary


@given(word_tables(), FREQUENCY, LIMIT)
def test_grouping_before_or_after_counting_is_the_same(rows, min_frequency, max_categories):
    table = read_table(rows)
    options = CountOptions(None, "auto", min_frequency, max_categories)
    before = tally_table(table, options)
    ungrouped = tally_table(table)
    after = before.grouping.apply_to_counts(ungrouped.counts)
    assert after.sizes == before.counts.sizes == before.grouping.vocabulary.sizes
    np.testing.assert_array_equal(after.matrix, before.counts.matrix)


@pytest.mark.parametrize(
    ("min_frequency", "max_categories", "rare"),
    [
        (None, None, ""),
        (1, None, ""),
        (2, None, "cd"),
        (3, None, "bcd"),
        (np.int64(3), None, "bcd"),
        (0.2, None, "bcd"),  # 2 of 11 rows is below 20 %
        (2 / 11, None, "cd"),  # exactly at the threshold is not rare
        (None, 5, ""),
        (None, 4, "c"),  # as in scikit-learn: the group takes a place; of equals, the first goes
        (None, 3, "cd"),
        (None, 2, "bcd"),
        (None, 1, "abcd"),
        (100, None, "abcd"),
        (2, 3, "cd"),
        (2, 2, "bcd"),
    ],
)
def test_thresholds(min_frequency, max_categories, rare):
    vocabulary = Vocabulary(("A",), (tuple("abcd"),))
    frequencies = [np.array([7.0, 2.0, 1.0, 1.0])]
    grouping = group_rare(vocabulary, frequencies, 11.0, min_frequency, max_categories)
    assert grouping.infrequent_values() == [list(rare)]
    kept = [v for v in "abcd" if v not in rare]
    assert grouping.vocabulary.values == ((*kept, *[INFREQUENT] * bool(rare)),)


def test_codes_follow_their_values():
    vocabulary = Vocabulary(("A", "B"), (tuple("abc"), tuple("xy")))
    frequencies = [np.array([1.0, 5.0, 1.0]), np.array([3.0, 4.0])]
    grouping = group_rare(vocabulary, frequencies, 7.0, 2, None)
    codes = [np.array([0, 1, 2, 3]), np.array([0, 1, 2, 0])]
    assert grouping.vocabulary.values == (("b", INFREQUENT), ("x", "y"))
    ignored = grouping.apply_to_codes(codes)
    assert [column.tolist() for column in ignored] == [[1, 0, 1, 2], [0, 1, 2, 0]]
    joined = grouping.apply_to_codes(codes, unknown_is_rare=True)
    # Only the first column has a group for unknown cells to join.
    assert [column.tolist() for column in joined] == [[1, 0, 1, 1], [0, 1, 2, 0]]


def test_nothing_rare_leaves_codes_and_counts_as_they_are():
    vocabulary = Vocabulary(("A",), (("a", "b"),))
    grouping = group_rare(vocabulary, [np.array([1.0, 1.0])], 2.0, None, None)
    codes = [np.array([0, 1])]
    counts = count(codes, (2,))
    assert grouping.apply_to_codes(codes) is codes
    assert grouping.apply_to_counts(counts) is counts
    assert grouping.vocabulary == vocabulary


TRAINING = np.array(
    [["a", "x"], ["a", "y"], ["a", "y"], ["b", "x"], ["c", "y"], ["b", "x"], ["d", "y"]],
    dtype=object,
)


def fitted(handle_unknown):
    encoder = UNTIE(2, solver="uniform", min_frequency=2, handle_unknown=handle_unknown)
    return encoder.fit(TRAINING)


def mean_vector(encoder, prefix):
    """Return the mean over the rows of the fit, with zeros for the other columns."""
    is_own = [name.startswith(prefix) for name in encoder.get_feature_names_out()]
    return np.where(is_own, encoder.transform(TRAINING).mean(axis=0), 0.0)


def test_ignored_values_get_the_mean_vector():
    encoder = fitted("ignore")
    found = encoder.transform(np.array([["new", "newer"]], dtype=object))
    expected = mean_vector(encoder, "x0=") + mean_vector(encoder, "x1=")
    np.testing.assert_allclose(found, [expected], atol=1e-12)


def test_unknown_values_join_the_group_where_there_is_one():
    encoder = fitted("infrequent_if_exist")
    found = encoder.transform(np.array([["new", "x"], ["a", "newer"]], dtype=object))
    np.testing.assert_array_equal(found[:1], encoder.transform([["c", "x"]]))
    # The second column has no group, so the value is ignored.
    a_alone = encoder.transform([["a", "x"]])[0]
    is_first = [name.startswith("x0=") for name in encoder.get_feature_names_out()]
    expected = np.where(is_first, a_alone, mean_vector(encoder, "x1="))
    np.testing.assert_allclose(found[1], expected, atol=1e-12)


def test_warn_is_infrequent_with_a_warning():
    with pytest.warns(UserWarning, match="Found unknown value 'new' in column 'x0' during trans"):
        found = fitted("warn").transform([["new", "x"]])
    np.testing.assert_array_equal(found, fitted("infrequent_if_exist").transform([["new", "x"]]))


def test_error_names_value_and_column():
    encoder = fitted("error")
    encoder.transform([["d", "x"]])  # rare, but known
    with pytest.raises(ValueError, match="Found unknown value 'new' in column 'x0' during trans"):
        encoder.transform([["new", "x"]])


def test_rare_values_have_one_vector():
    encoder = fitted("ignore")
    c, d = encoder.transform([["c", "x"], ["d", "x"]])
    np.testing.assert_array_equal(c, d)
    assert "x0=infrequent" in encoder.get_feature_names_out()
    assert encoder.infrequent_categories_[0].tolist() == ["c", "d"]
    assert encoder.infrequent_categories_[1] is None


TENTHS = st.lists(st.integers(1, 12), min_size=2, max_size=40)


@given(TENTHS, st.data(), FREQUENCY, LIMIT)
def test_fractional_weights_are_rare_alike_however_they_are_added(
    tenths, data, min_frequency, max_categories
):
    rows = data.draw(st.lists(st.sampled_from("abcd"), min_size=len(tenths), max_size=len(tenths)))
    table = np.array([rows, ["u"] * len(rows)], dtype=object).T
    weights = np.array(tenths) / 10
    cut = data.draw(st.integers(1, len(rows) - 1))
    options = {"min_frequency": min_frequency, "max_categories": max_categories}
    tally = group(table, min_frequency, max_categories, weights)
    whole = group(np.repeat(table, tenths, axis=0), _times_ten(min_frequency), max_categories)
    chunks = count_table(table[cut:], sample_weight=weights[cut:])
    chunks += count_table(table[:cut], sample_weight=weights[:cut])
    grown = tally_counted(chunks, CountOptions(**options)).grouping
    backwards = group(table[::-1], min_frequency, max_categories, weights[::-1])
    for other in (whole, grown, backwards):
        assert other.vocabulary == tally.vocabulary


def _times_ten(min_frequency):
    return 10 * min_frequency if isinstance(min_frequency, int) else min_frequency


@pytest.mark.filterwarnings("ignore:Every column has a single value")  # of the first chunk
def test_ten_rows_of_a_tenth_are_one_row():
    rows = [["a", "u"], ["b", "v"]] * 10 + [["c", "u"]] * 5
    weights = [0.1] * 25
    encoder = TableEncoder(2, min_frequency=1, preparer=None).fit(rows, sample_weight=weights)
    assert encoder.vocabulary_.values[0] == ("a", "b", INFREQUENT)
    grown = TableEncoder(2, min_frequency=1, preparer=None).partial_fit(
        rows[:7], sample_weight=weights[:7]
    )
    grown.partial_fit(rows[7:], sample_weight=weights[7:])
    assert grown.vocabulary_ == encoder.vocabulary_
    frame = pa.table({"A": [a for a, _ in rows], "B": [b for _, b in rows], "w": weights})
    for source in (frame, duckdb.from_arrow(frame), frame.to_reader(max_chunksize=3)):
        other = TableEncoder(2, min_frequency=1, preparer=None).fit(source, sample_weight="w")
        assert other.vocabulary_.values == encoder.vocabulary_.values


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e9, 1e15])
def test_the_size_of_weights_changes_no_share(scale):
    rows = [["a", "u"], ["a", "v"], ["a", "u"], ["b", "v"]] * 5
    encoder = TableEncoder(2, min_frequency=0.3, preparer=None).fit(
        rows, sample_weight=[scale] * 20
    )
    assert encoder.vocabulary_.values == (("a", INFREQUENT), ("u", "v"))

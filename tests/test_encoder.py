"""The face of the encoder: what a user calls, gets and is told."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from tables import encoder_of, latent_classes
from untie import UNTIE, CountedTable, TableEncoder, count_table


@pytest.fixture
def fitted(melons):
    return TableEncoder(2, preparer=None).fit(melons)


def test_names_of_the_columns(fitted):
    assert list(fitted.get_feature_names_out()) == [
        "Texture=blurry",
        "Texture=clear",
        "Color=black",
        "Color=green",
        "Color=white",
        "Color=yellow",
        "Root=curled",
        "Root=slightly curled",
        "Root=straight",
    ]


def test_names_for_an_array_can_be_given():
    encoder = TableEncoder(2, preparer=None).fit(np.array([["a", "x"], ["b", "y"]], dtype=object))
    assert list(encoder.get_feature_names_out()) == ["x0=a", "x0=b", "x1=x", "x1=y"]
    named = encoder.get_feature_names_out(["left", "right"])
    assert list(named) == ["left=a", "left=b", "right=x", "right=y"]


def test_names_of_the_full_output(melons):
    encoder = UNTIE(2, solver="uniform", output="full")
    names = encoder.fit(melons).get_feature_names_out()
    assert len(set(names)) == len(names) == 252
    assert names[0] == "Texture=blurry|intra|gaussian(0.03125)"


def test_fit_transform_equals_fit_and_transform(melons):
    for parameters in ({}, {"min_frequency": 2}, {"n_components": 2}, {"dtype": np.float32}):
        once = encoder_of(2, **parameters).fit_transform(melons)
        np.testing.assert_array_equal(
            once, encoder_of(2, **parameters).fit(melons).transform(melons)
        )


def test_fit_transform_returns_rows_of_weight_0_too(melons):
    weights = [0, 1, 1, 1, 1, 1]
    X = TableEncoder(2, preparer=None).fit_transform(melons, sample_weight=weights)
    assert X.shape[0] == 6
    np.testing.assert_array_equal(
        X, TableEncoder(2, preparer=None).fit(melons, sample_weight=weights).transform(melons)
    )


def test_a_row_of_weight_0_is_as_if_absent(melons):
    absent = TableEncoder(2, preparer=None).fit(melons[1:])
    weighted = TableEncoder(2, preparer=None).fit(melons, sample_weight=[0, 1, 1, 1, 1, 1])
    assert weighted.vocabulary_ == absent.vocabulary_  # nobody else is white
    np.testing.assert_array_equal(weighted.omega_, absent.omega_)


def test_float32(melons):
    X = TableEncoder(2, dtype=np.float32, preparer=None).fit_transform(melons)
    assert X.dtype == np.float32
    np.testing.assert_allclose(X, TableEncoder(2, preparer=None).fit_transform(melons), rtol=1e-6)


def test_similarity_of_two_tables(fitted, melons):
    S = fitted.similarity(melons)
    part = fitted.similarity(melons[:2], melons[3:])
    assert part.shape == (2, 3)
    np.testing.assert_allclose(part, S[:2, 3:])


def test_similarities_are_sums_over_columns(fitted, melons):
    total = sum(
        fitted.value_similarity(column).loc[melons[column], melons[column]].to_numpy()
        for column in melons
    )
    np.testing.assert_allclose(fitted.similarity(melons), total, atol=1e-12)


def test_value_similarity_is_labeled(fitted):
    frame = fitted.value_similarity("Color")
    assert list(frame.index) == list(frame.columns) == ["black", "green", "white", "yellow"]
    with pytest.raises(
        ValueError, match=r"no column 'Colour' in the table; did you mean 'Color'\?"
    ):
        fitted.value_similarity("Colour")


def test_value_similarity_in_polars_names_its_rows(melons):
    encoder = TableEncoder(2, preparer=None).fit(pl.from_pandas(melons))
    frame = encoder.value_similarity("Color")
    assert frame.columns == ["value", "black", "green", "white", "yellow"]
    assert frame["value"].to_list() == ["black", "green", "white", "yellow"]


def test_weights_have_names_and_parts(melons):
    fitted = UNTIE(2, solver="exact").fit(melons)
    frame = fitted.weights()
    assert list(frame.columns) == [
        "column",
        "coupling",
        "kernel",
        "value",
        "omega",
        "beta",
        "alpha",
    ]
    assert len(frame) == 252
    np.testing.assert_array_equal(frame["omega"], fitted.omega_)
    np.testing.assert_allclose(frame["beta"] * frame["alpha"] ** 2, frame["omega"], atol=1e-12)
    spaces = frame.groupby(["column", "coupling", "kernel"])
    np.testing.assert_allclose(spaces["omega"].mean(), spaces["beta"].first())


def test_set_output(melons):
    frame = TableEncoder(2, preparer=None).set_output(transform="pandas").fit_transform(melons)
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns[0] == "Texture=blurry"
    frame = (
        TableEncoder(2, preparer=None).set_output(transform="polars").fit(melons).transform(melons)
    )
    assert isinstance(frame, pl.DataFrame)


def test_wrong_columns_at_transform(fitted, melons):
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- Colour"):
        fitted.transform(melons.rename(columns={"Color": "Colour"}))
    with pytest.raises(ValueError, match="same order"):
        fitted.transform(melons[["Color", "Texture", "Root"]])
    with pytest.raises(ValueError, match="The feature names should match"):
        fitted.transform(melons[["Color", "Texture"]])
    with (
        pytest.warns(UserWarning, match="valid feature names"),
        pytest.raises(ValueError, match="X has 2 features, but TableEncoder is expecting 3"),
    ):
        fitted.transform(melons.to_numpy()[:, :2])


def test_transform_of_no_rows(fitted, melons):
    assert fitted.transform(melons[:0]).shape == (0, 9)


def test_categories_describe_the_table():
    rows = pd.DataFrame({"a": ["x", None, "y", "x"], "b": [2, 1, 2, 2]})
    encoder = TableEncoder(2, max_categories=2, preparer=None).fit(rows)
    assert [list(c) for c in encoder.categories_] == [["x", "y", None], [1, 2]]
    assert list(encoder.infrequent_categories_[0]) == ["y", None]
    assert list(encoder.get_feature_names_out()) == ["a=x", "a=infrequent", "b=2", "b=infrequent"]


def test_a_float_column_of_distinct_values_should_be_binned():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"age": rng.random(50) * 90, "sex": ["f", "m"] * 25})
    with pytest.warns(UserWarning, match=r"Column 'age' .* Bin the column"):
        TableEncoder(2, preparer=None).fit(rows)


def test_numbers_for_text_are_told(melons):
    encoder = TableEncoder(2, preparer=None).fit(
        pd.DataFrame({"a": ["1", "2", "1"], "b": ["x", "y", "y"]})
    )
    with pytest.warns(
        UserWarning, match=r"Column 'a' holds 1, 2, of type int, but was fitted on '1'"
    ):
        encoder.transform(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))


def test_very_many_distinct_values_are_refused_with_a_remedy():
    rows = pd.DataFrame({"id": np.arange(4 * 10**5), "b": np.arange(4 * 10**5) % 2})
    with pytest.raises(ValueError, match=r"Column 'id' alone has 400,000.*max_categories"):
        TableEncoder(2, preparer=None).fit(rows)
    X = TableEncoder(2, max_categories=10, preparer=None).fit_transform(rows)
    assert X.shape == (4 * 10**5, 12)


@pytest.mark.parametrize("solver", ["adam", "adagrad"])
def test_solvers_that_draw_rows_refuse_counts_by_name(melons, solver):
    counted = count_table(melons)
    with pytest.raises(ValueError, match=f"fit_counts learns from counts, but solver='{solver}'"):
        encoder_of(2, solver=solver).fit_counts(counted)
    with pytest.raises(ValueError, match=f"partial_fit learns from counts, but solver='{solver}'"):
        encoder_of(2, solver=solver).partial_fit(melons)


def test_fit_counts_needs_the_vocabulary_of_the_counts(melons):
    counted, other = count_table(melons), count_table(melons[["Color"]])
    with pytest.raises(ValueError, match="values but the vocabulary"):
        TableEncoder(2, preparer=None).fit_counts(CountedTable(other.vocabulary, counted.counts))


def test_fit_counts_takes_what_count_table_gives(melons):
    counted = count_table(melons)
    found, expected = (
        TableEncoder(2, preparer=None).fit_counts(counted),
        TableEncoder(2, preparer=None).fit(melons),
    )
    np.testing.assert_array_equal(found.omega_, expected.omega_)
    assert found.gains_ == expected.gains_
    for other in (counted.counts, melons):
        with pytest.raises(TypeError, match="takes what count_table gives, got"):
            TableEncoder(2, preparer=None).fit_counts(other)


def test_partial_fit_goes_on_from_a_fit_with_grouped_values(melons):
    encoder = (
        TableEncoder(2, min_frequency=2, preparer=None).fit(melons[:3]).partial_fit(melons[3:])
    )
    whole = TableEncoder(2, min_frequency=2, preparer=None).fit(melons)
    np.testing.assert_array_equal(encoder.transform(melons), whole.transform(melons))


def test_partial_fit_can_not_go_on_where_too_many_values_were_grouped(melons, monkeypatch):
    monkeypatch.setattr("untie._count.tally.KEPT_VALUES", 5)
    encoder = TableEncoder(2, min_frequency=2, preparer=None).fit(melons)
    with pytest.raises(ValueError, match="start with partial_fit"):
        encoder.partial_fit(melons)


def test_partial_fit_meets_new_values_and_keeps_columns(melons):
    encoder = TableEncoder(2, preparer=None).partial_fit(melons[:2])
    assert "Color=black" not in encoder.get_feature_names_out()
    encoder.partial_fit(melons[2:])
    assert "Color=black" in encoder.get_feature_names_out()
    with pytest.raises(ValueError, match="The feature names should match"):
        encoder.partial_fit(melons[["Color"]])


def test_partial_fit_with_weights(melons):
    weights = np.array([1, 2, 1, 3, 1, 1])
    grown = TableEncoder(2, preparer=None)
    for rows in (slice(0, 2), slice(2, 6)):
        grown.partial_fit(melons[rows], sample_weight=weights[rows])
    whole = TableEncoder(2, preparer=None).fit(melons, sample_weight=weights)
    np.testing.assert_array_equal(grown.omega_, whole.omega_)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_clusters", 0),
        ("n_clusters", 2.0),
        ("n_clusters", "many"),
        ("n_clusters", True),
        ("handle_unknown", "drop"),
        ("min_frequency", 0),
        ("min_frequency", 1.5),
        ("max_categories", 0),
        ("n_components", 0),
        ("missing", "drop"),
        ("dtype", int),
        ("dtype", "bogus"),
        ("sparse_output", "no"),
    ],
)
def test_a_wrong_parameter_is_named(melons, parameter, value):
    with pytest.raises(ValueError, match=parameter):
        TableEncoder(**{"n_clusters": 2, parameter: value}).fit(melons)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_clusters", 0),
        ("solver", "sgd"),
        ("solver", "auto"),
        ("tau", 0),
        ("tau", "small"),
        ("learning_rate", -1),
        ("batch_size", 1),
        ("max_iter", 0),
        ("tol", -1e-3),
        ("tol", float("nan")),
        ("handle_unknown", "drop"),
        ("min_frequency", 0),
        ("missing", "drop"),
        ("output", "short"),
        ("couplings", "other"),
        ("kernels", "F7"),
        ("normalization", "trace"),
    ],
)
def test_a_wrong_parameter_of_the_method_is_named(melons, parameter, value):
    with pytest.raises(ValueError, match=parameter):
        UNTIE(**{"n_clusters": 2, parameter: value}).fit(melons)


def test_a_failed_fit_leaves_a_fitted_encoder_alone(fitted, melons):
    before = fitted.transform(melons)
    other = pd.DataFrame({"a": ["x"], "b": ["y"]})
    with pytest.raises(ValueError, match="n_clusters=2 is more than"):
        fitted.fit(other)
    np.testing.assert_array_equal(fitted.transform(melons), before)
    with pytest.raises(TypeError, match="Feature names are only supported"):
        fitted.fit(melons.rename(columns={"Color": 1}))
    np.testing.assert_array_equal(fitted.transform(melons), before)


def test_a_failed_first_fit_leaves_an_encoder_unfitted(melons):
    encoder = TableEncoder(7, preparer=None)
    with pytest.raises(ValueError, match="n_clusters=7"):
        encoder.fit(melons)
    with pytest.raises(NotFittedError):
        encoder.transform(melons)
    assert not hasattr(encoder, "n_features_in_")


def test_names_are_forgotten_with_their_table(fitted):
    rows = [["a", "x"], ["b", "y"], ["a", "y"]]
    counted = count_table(rows)
    fitted.fit_counts(counted)
    assert not hasattr(fitted, "feature_names_in_")
    assert fitted.transform(rows).shape == (3, 4)


def test_columns_of_a_record_batch_are_checked(melons):
    batch = pa.RecordBatch.from_pandas(melons, preserve_index=False)
    encoder = TableEncoder(2, preparer=None).fit(batch)
    assert encoder.get_feature_names_out()[0] == "Texture=blurry"
    np.testing.assert_array_equal(encoder.transform(batch), encoder.transform(melons))
    with pytest.raises(ValueError, match="same order"):
        encoder.transform(batch.select(["Color", "Texture", "Root"]))


def test_columns_with_numbers_for_names(melons):
    melons.columns = [0, 1, 2]
    encoder = TableEncoder(2, preparer=None).fit(melons)
    assert encoder.get_feature_names_out()[0] == "0=blurry"
    assert list(encoder.value_similarity(1).columns) == ["black", "green", "white", "yellow"]
    assert set(encoder.value_vectors()["column"]) == {"0", "1", "2"}


def test_a_generator_of_rows(melons):
    rows = melons.to_numpy().tolist()
    encoder = TableEncoder(2, preparer=None).fit(row for row in rows)
    assert encoder.transform(row for row in rows).shape == (6, 9)


def test_a_series_is_not_a_table(melons):
    with pytest.raises(ValueError, match=r"\.to_frame\(\)"):
        TableEncoder(2, preparer=None).fit(melons["Color"])


def test_partial_fit_of_an_array_after_a_frame(melons):
    encoder = TableEncoder(2, preparer=None).partial_fit(melons[:3])
    with pytest.warns(UserWarning, match="valid feature names"):
        encoder.partial_fit(melons[3:].to_numpy())
    np.testing.assert_array_equal(encoder.omega_, TableEncoder(2, preparer=None).fit(melons).omega_)


def test_growing_from_fewer_rows_and_values_than_asked_for(melons):
    parameters = {"n_clusters": 3, "n_components": 8}
    grown = encoder_of(**parameters).partial_fit(melons[:2]).partial_fit(melons[2:])
    whole = encoder_of(**parameters).fit(melons)
    np.testing.assert_array_equal(grown.transform(melons), whole.transform(melons))


def test_handle_unknown_is_checked_where_it_is_used(fitted, melons):
    fitted.set_params(handle_unknown="drop")
    with pytest.raises(ValueError, match="handle_unknown must be one of"):
        fitted.transform(melons)


def test_fits_in_threads_leave_the_number_of_threads_alone(melons):
    import threadpoolctl

    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = [pool["num_threads"] for pool in threadpoolctl.threadpool_info()]
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: TableEncoder(2, preparer=None).fit(melons), range(32)))
        assert [pool["num_threads"] for pool in threadpoolctl.threadpool_info()] == before


def test_functions_without_a_name_of_their_own(melons):
    kernels = [lambda pairs: pairs.products, lambda pairs: pairs.products**2]
    names = UNTIE(2, kernels=kernels).fit(melons).weights()["kernel"]
    assert set(names) == {"<lambda>", "<lambda>#2"}


def test_a_scale_of_the_wrong_shape_is_named(melons):
    with pytest.raises(ValueError, match="normalization returned"):
        UNTIE(2, solver="uniform", normalization=lambda kernel, shares: 3.0).fit(melons)
    broken = UNTIE(2, solver="uniform", normalization=lambda kernel, shares: kernel * np.nan)
    with pytest.raises(ValueError, match="normalization returned numbers"):
        broken.fit(melons)


def test_a_failed_fit_of_a_wrong_parameter_leaves_a_fitted_encoder_alone(fitted, melons):
    before = fitted.transform(melons)
    fitted.set_params(missing="other")
    with pytest.raises(ValueError, match="missing"):
        fitted.fit(melons)
    np.testing.assert_array_equal(fitted.transform(melons), before)


def test_in_a_pipeline_with_a_search_and_numbers():
    table, classes = latent_classes(300, 3, 6, 4, seed=0)
    table["age"] = np.random.default_rng(0).normal(size=300)
    columns = ColumnTransformer(
        [
            ("words", TableEncoder(3, preparer=None), [c for c in table if c != "age"]),
            ("numbers", "passthrough", ["age"]),
        ]
    )
    search = GridSearchCV(
        make_pipeline(columns, KNeighborsClassifier()),
        {"columntransformer__words__n_components": [2, 10]},
        cv=3,
    ).fit(table, classes)
    assert search.best_score_ > 0.975


def test_clusters_are_found():
    table, classes = latent_classes(600, 3, 8, 4, seed=2)
    X = TableEncoder(3, preparer=None).fit_transform(table)
    labels = KMeans(3, n_init=10, random_state=0).fit_predict(X)
    sizes = pd.crosstab(labels, classes).to_numpy()
    assert sizes.max(axis=1).sum() > 0.97 * 600


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_chunks_without_rows_change_nothing(make):
    columns = {"A": ["x", "y", "x", "y", "z"], "B": ["u", "u", "v", "v", "u"]}
    chunk, none = make(columns), make({"A": ["x"], "B": ["u"]})[:0]
    encoder = TableEncoder(2, preparer=None).partial_fit(chunk)
    expected = encoder.transform(chunk)
    for empty in (none, pa.table(columns).slice(0, 0).to_reader()):
        np.testing.assert_array_equal(encoder.partial_fit(empty).transform(chunk), expected)
    encoder.partial_fit(make({"A": ["new"] * 5, "B": columns["B"]}), sample_weight=[0] * 5)
    np.testing.assert_array_equal(encoder.transform(chunk), expected)
    assert encoder.counts_.n == 5
    with pytest.raises(ValueError, match="C"):
        encoder.partial_fit(make({"A": ["x"], "C": ["u"]})[:0])
    with pytest.raises(ValueError, match="negative"):
        encoder.partial_fit(chunk, sample_weight=[0, 0, 0, 0, -1])
    with pytest.raises(ValueError, match="minimum of 1"):
        TableEncoder(2, preparer=None).partial_fit(none)
    with pytest.raises(ValueError, match="at least one row must count"):
        TableEncoder(2, preparer=None).partial_fit(chunk, sample_weight=[0] * 5)

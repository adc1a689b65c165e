"""What is said of clusters: one verdict, the same on the page and in the terminal."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import polars as pl
import pytest

from command_cases import ask
from tables import latent_classes
from untie import Preparer, TableClusterer, TableEncoder, choose_k, scan
from untie.explain import Verdict, cluster_stability, verdict
from untie.report import make_report

N = 500


def with_groups():
    table, _ = latent_classes(N, 3, 6, 3, seed=0)
    return table.astype(str)


def without_groups():
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.choice(list("abcd"), N) for name in "uvwxyz"})


def one_number_twice():
    """Return a number, a noisy copy of it, and a column that has nothing to do with them."""
    rng = np.random.default_rng(0)
    number = rng.normal(size=N)
    return pd.DataFrame(
        {
            "amount": (1000 * np.exp(number)).round(),
            "copy": (number + 0.2 * rng.normal(size=N)).round(2),
            "noise": rng.choice(list("abc"), N),
        }
    )


CASES = {
    "groups": (with_groups, "auto", True),
    "no groups": (without_groups, "auto", False),
    "groups, k given": (with_groups, 3, True),
    "too many groups": (with_groups, 6, False),
    "no groups, k given": (without_groups, 3, False),
    "one column": (one_number_twice, "auto", False),
}


@pytest.fixture(scope="module", params=CASES)
def case(request, tmp_path_factory):
    """Return the verdict of the library, the page and what the command prints."""
    make, k, found = CASES[request.param]
    table = make()
    rows = Preparer().fit_transform(table)
    clusterer = TableClusterer(k, encoder=TableEncoder(k, random_state=0), random_state=0).fit(rows)
    said = verdict(clusterer, rows, random_state=0)
    assert said.found is found
    if k == 6:  # more than there are
        assert 0 < len(said.weak) <= 6
    path = tmp_path_factory.mktemp("verdict") / "table.csv"
    table.to_csv(path, index=False)
    options = [] if k == "auto" else ["--k", k]
    answer = ask("cluster", path, *options, "--format", "table")
    assert answer.exit_code == 0, answer.output
    return said, make_report(table, TableClusterer(k)), answer, (path, options)


def section(page, name):
    return unescape(re.search(rf'<section id="{name}".*?</section>', page, re.DOTALL)[0])


def test_page_and_terminal_say_the_same(case):
    said, report, answer, _ = case
    header = unescape(re.search(r'id="summary">(.*?)</p>', report.html, re.DOTALL)[1])
    assert f"{said.headline}." in header
    assert f"<p>{said.headline}." in section(report.html, "clusters")
    assert f"<p>{said}</p>" in section(report.html, "choice")
    assert str(said) in answer.stderr.splitlines()
    assert said.headline in answer.stdout
    for text in (header, report.summary):
        assert (said.caution in text) if said.caution else "not as a finding" not in text


def test_no_place_has_a_number_of_its_own(case):
    """Nothing but the verdict tells how many groups there are, or whether."""
    said, report, answer, _ = case
    words = re.compile(r"(?:\d+|One|No) (?:groups?|clusters?)\b[^.]*")
    header = re.search(r'id="summary">(.*?)</p>', report.html, re.DOTALL)[1]
    parts = (header, answer.stderr, section(report.html, "choice").partition('class="hint"')[0])
    for text in parts:
        for sentence in words.findall(unescape(text)):
            assert sentence in str(said)


def test_cards_and_lines_call_the_same_groups_weak(case):
    said, report, answer, _ = case
    sizes = re.findall(r'id="cluster-(\d+)">.*?<p class="size">(.*?)</p>', report.html, re.DOTALL)
    assert {int(number) for number, text in sizes if "weak" in text} == set(said.weak)
    for number, text in sizes:
        assert text.endswith(f"; {said.said_of(int(number))}")
    lines = [line.split("│") for line in answer.stdout.splitlines() if line.startswith("│")]
    stability = {int(line[1]): line[4].strip() for line in lines if line[1].strip()}
    assert stability == {number: said.said_of(number) for number in range(said.n_groups)}


def test_groups_of_noise_are_not_called_stable(case):
    """They may come back whenever rows are drawn anew, and are no finding all the same."""
    said, report, answer, _ = case
    groups = [number for number in range(said.n_groups) if number not in said.few]
    words = [said.word_of(number) for number in groups]
    if said.found:
        assert "not a finding" not in words
        return
    assert set(words) <= {"not a finding", "weak, doubtful", "weak, dissolves"}
    table = re.search(r'id="t-clusters">.*?</table>', report.html, re.DOTALL)[0]
    assert "stable<" not in table
    assert not re.search(r"[^n]stable \(", report.html + answer.stdout)


def test_a_lazy_table_has_the_same_verdict_but_for_weak_groups(case, tmp_path):
    said, _, _, (path, options) = case
    answer = ask("cluster", path, *options, "--lazy", "--output", tmp_path / "out.csv")
    assert answer.exit_code == 0, answer.output
    printed = answer.stderr.splitlines()[-1]
    assert "weak" not in printed
    assert printed == str(replace(said, stability=None))


def test_words_are_those_of_the_evidence(case):
    said, *_ = case
    if not said.found:
        has_structure = said.choice.found_structure
        start = "Structure, but no stable groups: " if has_structure else "No groups found: "
        assert said.headline.startswith(start)
        assert not said.rests_on
        assert "not as a finding" in said.sentences[-1]
        return
    number, _, weak, on = re.fullmatch(
        r"(\d+) (?:stable )?groups of similar rows(, as asked for)?(?:, (\d+|all) of them weak)?, "
        r"resting on (all|\d+)(?: of)? \d+ columns",
        said.headline,
    ).groups()
    assert int(number) == said.n_groups
    assert (weak or "0") == ("all" if len(said.weak) == said.n_groups else str(len(said.weak)))
    assert on == ("all" if len(said.rests_on) == 6 else str(len(said.rests_on)))
    agreement = said.choice.stability[said.choice.ks.index(said.n_groups)]
    assert f"agree with those of all rows by {agreement:.2f} (adjusted Rand index:" in str(said)


def test_groups_that_repeat_a_column():
    rows = Preparer().fit_transform(one_number_twice())
    said = verdict(TableClusterer(random_state=0).fit(rows), rows)
    k = said.n_groups
    assert said.repeats in ("amount", "copy")
    assert said.headline == (
        f"No groups found: {k} groups would be little more than the ranges of {said.repeats}"
    )
    plain = replace(said, ordered=())
    assert plain.headline.endswith(f"the values of {said.repeats}")


def test_a_given_number_has_the_evidence_of_choose_k():
    rows = with_groups()
    clusterer = TableClusterer(4, random_state=0).fit(rows)
    said = verdict(clusterer, rows, random_state=3)
    expected = choose_k(clusterer, rows, [4], random_state=3)
    assert said.is_given
    assert said.rests_on == expected.rests_on
    assert said.choice.gain.tolist() == expected.gain.tolist()
    stability = cluster_stability(clusterer, rows, random_state=3)
    pd.testing.assert_frame_equal(said.stability, stability)
    weak = stability[stability.verdict.isin(["doubtful", "dissolves"])]
    assert said.weak == tuple(weak.cluster)


def test_any_form_of_the_rows_and_weights():
    rows = with_groups().assign(w=np.arange(N) % 3)
    weights = rows.pop("w")
    clusterer = TableClusterer(3, preparer=Preparer(), random_state=0)
    clusterer.fit(rows, sample_weight=weights)
    expected = str(verdict(clusterer, rows, sample_weight=weights))
    named = rows.assign(w=weights)
    assert str(verdict(clusterer, named, sample_weight="w")) == expected
    polars = pl.from_pandas(named)
    lazy = verdict(clusterer, polars.lazy(), sample_weight="w")
    assert lazy.stability is None
    assert str(replace(verdict(clusterer, polars, sample_weight="w"), stability=None)) == str(lazy)


def test_a_number_that_was_chosen_is_not_read_again(tmp_path):
    rows = with_groups()
    rows.to_parquet(tmp_path / "rows.parquet")
    source = scan(tmp_path / "rows.parquet")
    clusterer = TableClusterer(random_state=0).fit(source)
    (tmp_path / "rows.parquet").unlink()
    assert verdict(clusterer, source).choice is clusterer.k_choice_


def test_tables_of_which_there_is_little_to_say():
    few = pd.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "v"] * 20})
    for k in ("auto", 2):
        said = verdict(TableClusterer(k).fit(few), few)
        assert str(said) == "2 groups, one for each distinct row."
        assert said.found is None
    rows = with_groups()
    said = verdict(TableClusterer(1).fit(rows), rows)
    assert str(said) == "One group: as asked for."
    assert said.said_of(0) == ""
    three = pd.DataFrame({"a": ["x", "y", "z"], "b": ["u", "u", "v"]})
    said = verdict(TableClusterer().fit(three), three)
    assert "too few distinct rows to try more than 2 groups" in said.caution


def test_names_are_cut_and_only_some_are_listed():
    rows = with_groups()
    rows.columns = ["", *(f"{name}{'x' * 60}" for name in rows.columns[1:])]
    said = str(verdict(TableClusterer(3, random_state=0).fit(rows), rows))
    assert "x" * 39 not in said
    assert re.search(r"The groups rest on .*, .*, .*, .* and 2 more\.", said)


def test_how_the_number_was_chosen_is_said():
    rows = with_groups()
    said = verdict(TableClusterer(random_state=0).fit(rows), rows)
    assert said.sentences[0] == (
        "Of 2 to 10 groups, 3 is the smallest number that is stable, rests on several columns and "
        "has nearly the highest product of gain and stability."
    )
    choice = replace(said.choice, stability=0.5 * said.choice.stability)
    unstable = replace(said, choice=choice)
    assert unstable.found is False
    assert unstable.headline == (
        "Structure, but no stable groups: no division into 2 to 10 groups is stable and rests on "
        "several columns"
    )
    asked = replace(unstable, is_given=True).headline
    assert re.fullmatch(r".*: the 3 groups that were asked for agree by 0\.\d\d of 0\.8", asked)
    assert "3 groups made from half of the rows agree with those of all rows by 0." in str(unstable)
    assert "not as a finding" in unstable.caution
    repeated = replace(said, choice=replace(said.choice, repeats=said.choice.columns[0]))
    name = said.choice.columns[0]
    follows = f"The group of a row nearly follows from its value of {name} alone."
    assert follows in repeated.sentences
    assert follows.replace("value", "range") in replace(repeated, ordered=(name,)).sentences


@pytest.mark.parametrize("k", ["auto", 3])
def test_passive_columns_are_not_counted(k):
    rows = with_groups().assign(other=np.arange(N) // 50 % 3)
    encoder = TableEncoder(k, column_weights={"other": 0}, random_state=0)
    said = verdict(TableClusterer(k, encoder=encoder, random_state=0).fit(rows), rows)
    assert said.passive == ("other",)
    assert said.headline.endswith("resting on all 6 columns")


def test_groups_that_rest_on_no_column_for_sure():
    rows = with_groups()
    said = verdict(TableClusterer(3, random_state=0).fit(rows), rows)
    choice = replace(said.choice, tells=0 * said.choice.tells)
    said = replace(said, choice=choice, stability=None)
    assert said.headline == (
        "3 stable groups of similar rows, as asked for, resting on many columns a little"
    )
    assert [sentence[:17] for sentence in said.sentences] == ["3 groups made fro"]


@pytest.mark.parametrize("passive", [False, True])
def test_clusters_of_a_single_column_are_refused(passive):
    rows = without_groups()[["u", "v"] if passive else ["u"]]
    encoder = TableEncoder(2, column_weights={"v": 0} if passive else None)
    with pytest.raises(ValueError, match="only 'u' is learned from"):
        TableClusterer(2, encoder=encoder).fit(rows)


def test_only_a_clusterer_has_a_verdict():
    rows = with_groups()
    with pytest.raises(TypeError, match=r"TableClusterer, or a Pipeline .* got TableEncoder"):
        verdict(TableEncoder(2).fit(rows), rows)
    assert isinstance(verdict(TableClusterer(2).fit(rows), rows), Verdict)


def test_what_is_called_weak_is_not_said_to_be_above_the_bound():
    table = pd.DataFrame(
        {
            "cluster": [0, 1, 2, 3],
            "stability": [0.7499, 0.75, 0.6, np.nan],
            "verdict": ["doubtful", "fairly stable", "doubtful", "not sampled"],
        }
    )
    said = Verdict(4, True, None, table)
    words = [said.said_of(number) for number in range(4)]
    assert words[:2] == ["weak, doubtful (0.74)", "fairly stable (0.75)"]
    assert words[2:] == ["weak, doubtful (0.60)", "not sampled"]
    assert said.weak == (0, 2)


def with_sizes(*sizes, words=None):
    """Return the verdict of groups of some sizes, with the evidence of three."""
    rows = with_groups()
    said = verdict(TableClusterer(3, random_state=0).fit(rows), rows)
    table = {
        "cluster": range(len(sizes)),
        "share": np.array(sizes) / sum(sizes),
        "stability": [1.0] * len(sizes),
        "verdict": words or ["stable"] * len(sizes),
    }
    given = {"n_groups": len(sizes), "stability": pd.DataFrame(table), "n_rows": float(sum(sizes))}
    return replace(said, is_given=False, **given)


def test_a_cluster_of_a_handful_of_rows_is_no_stable_group():
    said = with_sizes(9000, 6000, 522, 2)
    assert said.headline == (
        "3 stable groups of similar rows, resting on all 6 columns, and 2 unusual rows"
    )
    assert list(said.few) == [3]
    assert said.said_of(3) == said.word_of(3) == "unusual rows rather than a group"
    assert said.said_of(2) == "stable (1.00)"
    weak = with_sizes(9000, 6000, 522, 1, words=["stable", "stable", "doubtful", "dissolves"])
    assert weak.weak == (2,)
    assert weak.headline == (
        "3 groups of similar rows, 1 of them weak, resting on all 6 columns, and 1 unusual row"
    )
    assert with_sizes(9000, 3, 2).headline == "One group, and 5 unusual rows"
    assert with_sizes(9000, 2.5).headline == "One group, and some unusual rows"


@pytest.mark.parametrize(
    ("sizes", "n_few"),
    [
        ((100, 4), 1),
        ((100, 5), 0),
        ((60, 4), 0),  # a larger part
        ((20_000, 19), 1),
        ((20_000, 20), 0),
        ((1_000_000, 900), 0),
        ((2, 2, 1) * 20, 0),  # all of them
    ],
)
def test_how_many_rows_are_a_group(sizes, n_few):
    assert len(with_sizes(*sizes).few) == n_few


def test_it_is_said_which_measure_of_stability_to_trust():
    said = with_sizes(300, 200)
    of_each = "The stability of each group"
    assert sum(of_each in sentence for sentence in said.sentences) == 1
    assert of_each not in str(replace(said, stability=None))
    unstable = replace(said, choice=replace(said.choice, stability=0.5 * said.choice.stability))
    noise = replace(said, choice=replace(said.choice, gain=0 * said.choice.gain))
    for other in (unstable, noise):
        assert other.found is False
        assert (of_each in str(other)) is (other is unstable)
        assert "stable groups" not in other.headline.replace("no stable groups", "")
        assert other.said_of(0) == "not a finding (1.00)"


@pytest.mark.parametrize("times", [1, 3])
def test_groups_of_a_few_rows_are_said_to_be_of_a_few(times):
    """As rows and as weights; repeating a table adds no rows."""
    draws = np.random.default_rng(0)
    classes = np.repeat([0, 1], 12)
    columns = {
        f"c{number}": np.where(draws.random(24) < 0.9, classes, 1 - classes) for number in range(8)
    }
    table = pd.DataFrame(columns).astype(str)
    repeated = pd.concat([table] * times, ignore_index=True)
    weights = np.full(24, float(times))
    as_rows = verdict(TableClusterer(2).fit(repeated), repeated)
    as_weights = verdict(
        TableClusterer(2).fit(table, sample_weight=weights), table, sample_weight=weights
    )
    for said in (as_rows, as_weights):
        assert said.found
        few = "These are only 24 rows; others may give other groups."
        assert said.caution == few


def with_gaps(*words):
    """Return the verdict of four groups in a row, and what is between neighbors."""
    gaps = {"cluster": range(3), "other": range(1, 4), "between": 0.5, "verdict": words}
    return replace(with_sizes(40, 30, 20, 10), gaps=pd.DataFrame(gaps))


def test_a_continuum_is_called_one():
    said = with_gaps("continuum", "continuum", "continuum")
    assert said.headline.startswith("4 stable groups of similar rows along a continuum, resting on")
    assert "The groups divide a continuum: rows halfway between neighboring groups" in str(said)
    said = with_gaps("continuum", "gap", "continuum")
    assert said.headline.startswith("4 stable groups of similar rows, resting on")
    assert "There is no gap between these groups: 0 and 1; 2 and 3." in str(said)
    for words in (["gap", "gap", "unclear"], ["unclear"] * 3):
        assert "gap" not in str(with_gaps(*words))


def test_many_pairs_without_a_gap_are_counted():
    pairs = {"cluster": [0] * 7, "other": range(1, 8), "verdict": ["continuum"] * 6 + ["gap"]}
    said = replace(with_gaps("gap", "gap", "gap"), gaps=pd.DataFrame(pairs))
    assert "groups: 0 and 1; 0 and 2; 0 and 3; 0 and 4; and 2 more pairs." in str(said)


def test_without_groups_the_strongest_pairs_are_named():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 12, N)
    table = pd.DataFrame({"city": city, "land": city // 4, "other": rng.integers(0, 5, N)})
    said = verdict(TableClusterer(preparer=None).fit(table.astype(str)), table.astype(str))
    assert said.found is False
    assert said.follows == (("land", "city"),)
    assert "What structure there is lies between columns: land follows from city." in str(said)
    noisy = table.assign(near=np.where(rng.random(N) < 0.5, city % 3, rng.integers(0, 3, N)))
    weights = {"other": 0}
    clusterer = TableClusterer(encoder=TableEncoder(column_weights=weights), preparer=None)
    said = verdict(clusterer.fit(noisy.astype(str)), noisy.astype(str))
    ((one, other, share),) = said.related
    assert (one, other) == ("city", "near")
    assert f"city and near have something in common ({share:.2f} of 1)." in str(said)
    rows = without_groups()
    assert "No two columns have much in common." in str(verdict(TableClusterer().fit(rows), rows))


@pytest.mark.parametrize(("agreement", "is_near"), [(0.9, 0), (0.84, 1), (0.77, 1), (0.7, 0)])
def test_it_is_said_that_a_few_rows_may_decide(agreement, is_near):
    said = with_sizes(300, 200, 100)
    stability = np.full(len(said.choice.ks), agreement)
    said = replace(said, choice=replace(said.choice, stability=stability))
    assert said.found is (agreement > 0.8)
    assert str(said).count("That is near the limit of 0.8: with a few rows more or less") == is_near


def ballots(n_ballots, absent=None, noise=0.0):
    """Return a survey that asked each row the questions of all ballots but one."""
    rng = np.random.default_rng(0)
    ballot = rng.integers(0, n_ballots, N)
    table = pd.DataFrame({f"age{place}": rng.choice(list("abc"), N) for place in range(2)})
    for place in range(2 * n_ballots):
        answers = rng.choice(["yes", "no", "perhaps"], N).astype(object)
        is_asked = (ballot != place % n_ballots) ^ (rng.random(N) < noise)
        table[f"q{place}"] = np.where(is_asked, answers, absent)
    return table


@pytest.mark.parametrize("absent", [None, "IAP", "not asked", " Inapplicable"])
def test_groups_of_who_was_asked_what_are_called_that(absent):
    table = ballots(3, absent)
    said = verdict(TableClusterer(3, random_state=0).fit(table), table)
    found = {frozenset(columns): clusters for clusters, columns in said.without_values}
    assert set(found) == {frozenset(pair) for pair in (("q0", "q3"), ("q1", "q4"), ("q2", "q5"))}
    assert sorted(found.values()) == [(0,), (1,), (2,)]
    ((cluster,), (one, other)) = said.without_values[0]
    words = f"Group {cluster} is nearly the rows in which {one} and {other} have no value."
    assert words in said.sentences[[words in s for s in said.sentences].index(True)]


def test_two_groups_may_follow_whether_there_are_values():
    table = ballots(2)[["age0", "age1", "q0", "q2"]]
    clusterer = TableClusterer(2, random_state=0).fit(table)
    said = verdict(clusterer, table)
    ((_, columns),) = said.without_values
    assert set(columns) == {"q0", "q2"}
    assert f"The groups nearly follow whether a row has a value of {columns[0]} and" in str(said)
    assert verdict(clusterer, pl.from_pandas(table).lazy()).without_values == ()
    weights = np.r_[np.ones(N), np.zeros(50)]
    more = pd.concat([table, table[:50].assign(q0=None, q2=None)], ignore_index=True)
    assert verdict(clusterer, more, sample_weight=weights).without_values == said.without_values
    passive = TableEncoder(2, missing="neutral", column_weights={"q0": 0, "q2": 0}, random_state=0)
    other = verdict(TableClusterer(2, encoder=passive, random_state=0).fit(table), table)
    assert other.without_values == ()


def test_more_groups_than_patterns_are_named_together():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 4, N)
    table = pd.DataFrame({f"c{place}": kind ^ (rng.random(N) < 0.03) for place in range(5)})
    table = table.astype(str).assign(q=np.where(kind < 2, None, rng.choice(["yes", "no"], N)))
    said = verdict(TableClusterer(4, random_state=0).fit(table), table)
    (((one, other), columns),) = said.without_values
    assert columns == ("q",)
    assert f"Groups {one} and {other} together are nearly the rows in which q has no value." in str(
        said
    )


def test_cells_that_are_missing_here_and_there_make_no_such_groups():
    rows = with_groups()
    rng = np.random.default_rng(0)
    rows = rows.mask(rng.random(rows.shape) < 0.3)
    said = verdict(TableClusterer(3, random_state=0).fit(rows), rows)
    assert said.without_values == ()
    assert "no value" not in str(said)


@pytest.mark.parametrize("is_passive", [False, True])
@pytest.mark.filterwarnings("ignore:.*unknown")
def test_new_values_are_values(is_passive):
    rows, column = with_groups(), 0
    weights = {rows.columns[column]: 0} if is_passive else None
    encoder = TableEncoder(2, column_weights=weights)
    clusterer = TableClusterer(3, encoder=encoder, preparer=None, random_state=0).fit(rows)
    is_in, name = clusterer.labels_ == 1, rows.columns[column]
    new = rows.assign(**{name: rows[name].astype(object).mask(is_in, "new")})
    assert verdict(clusterer, new).without_values == ()
    missing = rows.assign(**{name: rows[name].astype(object).mask(is_in, None)})
    (((cluster,), columns),) = verdict(clusterer, missing).without_values
    assert (cluster, columns) == (1, (name,))

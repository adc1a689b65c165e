"""Model files that last: files of every format, the way up from older ones, the self-check."""

import json
from pathlib import Path

import numpy as np
import pytest

from fuzz.model_faults import File
from saved_models import MODELS, answers, people, words
from untie import Preparer, TableClusterer, TableEncoder, load_model, save_model
from untie._persistence import formats
from untie._persistence.container import read_file, write_file
from untie._persistence.models import KINDS
from untie._persistence.self_check import N_ROWS, QUESTIONS
from untie.cluster import KModes, KPrototypes, LatentClasses
from untie.model_file import read_saved, upgrade_model

FILES = Path(__file__).with_name("data") / "models"
SAVED = sorted(FILES.glob("*/*.untie"))
TOOLS = Path(__file__).parents[1] / "tools"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "melons.untie"


@pytest.fixture
def saved(melons, path):
    encoder = TableEncoder(2, preparer=None).fit(melons)
    encoder.save(path)
    return encoder


def rewrite(path, change, **settings):
    """Write a model anew, with its checksum, after a change to its content and arrays."""
    saved = read_file(path)
    change(saved.content, saved.arrays)
    write_file(path, saved.content, saved.arrays, **settings)


# Files of every format.


@pytest.mark.parametrize("path", SAVED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_files_of_every_format_answer_as_they_did(path):
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    columns = expected.pop("columns")
    found = answers(load_model(path), columns)
    assert found.keys() == expected.keys()
    for name, cells in expected.items():
        if isinstance(cells[0], list) and isinstance(cells[0][0], float):
            np.testing.assert_allclose(found[name], cells, rtol=1e-9, atol=1e-9)
        else:
            assert found[name] == cells


def test_there_are_files_of_every_format_and_estimator():
    numbers = {int(path.parent.name) for path in SAVED}
    assert numbers == set(range(1, formats.FORMAT + 1))
    assert set(formats.UPGRADES) == set(range(1, formats.FORMAT))
    assert formats.FORMAT in (formats.RELEASED, formats.RELEASED + 1)
    newest = FILES / str(formats.FORMAT)
    assert {path.stem for path in newest.glob("*.untie")} == set(MODELS)
    kinds = {read_file(path).content["type"] for path in newest.glob("*.untie")}
    assert kinds == {*KINDS, "pipeline"}
    assert {*QUESTIONS, "preparer"} == set(KINDS)


def test_files_of_a_released_format_are_not_written_again(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    from write_model_files import refusal

    assert refusal(2, 1) is None
    assert "raise FORMAT" in refusal(1, 1)


TEXTBOOK = {
    "modes": (KModes(3, mode="median"), words()),
    "given modes": (KModes(2, init=[["cat", "farm"], ["dog", "flat"]]), words().iloc[:, :2]),
    "mixed": (KPrototypes(2), people()[["age", "pet", "home"]]),
    "numbers alone": (KPrototypes(2), np.arange(40.0).reshape(-1, 2) % 7),
    "categories alone": (KPrototypes(2), words()),
    "classes": (LatentClasses(2, min_frequency=4), words()),
    "a chosen number": (LatentClasses(max_classes=3), words()),
}


@pytest.mark.parametrize(("model", "table"), TEXTBOOK.values(), ids=TEXTBOOK)
def test_the_textbook_methods_come_back_as_they_were(path, model, table):
    model.fit(table).save(path)
    loaded = load_model(path)
    assert loaded.get_params() == model.get_params()
    names = [name for name in vars(model) if name.endswith("_")]
    assert {name for name in vars(loaded) if name.endswith("_")} == set(names)
    for name in names:
        assert repr(getattr(loaded, name)) == repr(getattr(model, name))
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    assert loaded.score(table) == model.score(table)
    for frame in {"modes", "prototypes", "class_profiles"} & set(dir(model)):
        assert getattr(loaded, frame)().equals(getattr(model, frame)())


# The way up from older formats.


@pytest.fixture
def third_format(monkeypatch):
    """Make the present format the third; the others said it with other words."""

    def second(content, arrays):
        content["fitted"]["model"]["n_clusters"] = content["fitted"]["model"].pop("number")

    def third(content, arrays):
        arrays["fitted/model/factors"] = arrays.pop("fitted/model/weights of columns")
        content["fitted"]["model"]["factors"] = "array"

    monkeypatch.setattr(formats, "FORMAT", 3)
    monkeypatch.setattr(formats, "UPGRADES", {1: second, 2: third})


@pytest.fixture
def first_format(saved, path):
    """Write a file of the first of three formats."""

    def back(content, arrays):
        model = content["fitted"]["model"]
        model["number"] = model.pop("n_clusters")
        del model["factors"]
        arrays["fitted/model/weights of columns"] = arrays.pop("fitted/model/factors")

    rewrite(path, back, version="0.0.7")
    with pytest.raises(ValueError, match="is no part of a model"):
        load_model(path)


def test_an_older_format_goes_up_step_by_step(first_format, third_format, path, saved, melons):
    loaded = load_model(path)
    np.testing.assert_array_equal(loaded.transform(melons), saved.transform(melons))
    assert loaded.n_clusters_ == saved.n_clusters_


def test_an_upgrade_writes_the_newest_format(first_format, third_format, path, saved, tmp_path):
    output, before = tmp_path / "new.untie", path.read_bytes()
    assert upgrade_model(path, output).number == 1
    assert path.read_bytes() == before
    found = read_saved(output)
    assert (found.number, found.versions["untie"]) == (3, "0.0.7")
    assert read_file(output).content["check"] == read_file(path).content["check"]
    upgrade_model(path, path)
    assert path.read_bytes() == output.read_bytes()


def test_the_checksum_covers_the_first_line(first_format, third_format, path):
    whole = path.read_bytes()
    for old, new in ((b"UNTIE 1", b"UNTIE 2"), (b" 0.0.7 ", b" 0.0.8 ")):
        path.write_bytes(whole.replace(old, new, 1))
        with pytest.raises(ValueError, match="is damaged"):
            load_model(path)


def test_a_strange_older_file_is_refused(third_format, path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(formats, "FORMAT", 1)
        write_file(path, {"fitted": []}, {})
    with pytest.raises(ValueError, match=r"holds no whole model \(TypeError"):
        load_model(path)
    with pytest.raises(ValueError, match="holds no whole model"):
        upgrade_model(path, path)


def test_a_text_that_is_no_object_is_refused(path):
    write_file(path, [1], {})
    with pytest.raises(ValueError, match=r"holds no whole model \(its text is no object\)"):
        load_model(path)


# The self-check.


@pytest.mark.parametrize(
    "name", ["preparer", "pipeline", "components", "kprototypes", "latent-classes"]
)
def test_a_file_is_the_same_each_time(name, path, tmp_path):
    model, table = MODELS[name]()
    again = tmp_path / "again.untie"
    save_model(model.fit(table), path)
    save_model(model.fit(table), again)
    assert path.read_bytes() == again.read_bytes()
    save_model(load_model(path), again)
    assert path.read_bytes() == again.read_bytes()


def test_another_number_is_noticed(saved, path):
    def change(_, arrays):
        arrays["fitted/model/vectors/0"][0, 0] += 1e-5

    rewrite(path, change)
    said = r"melons.untie' gives different answers .* vectors differ by up to \d\.\de-0\d of the"
    with pytest.warns(UserWarning, match=said):
        load_model(path)


def test_rounding_is_not_noticed(saved, path):
    def change(_, arrays):
        arrays["fitted/model/vectors/0"] *= 1 + 1e-13

    rewrite(path, change)
    load_model(path)


def test_a_warning_names_the_versions_that_are_others(saved, path):
    def change(content, arrays):
        arrays["check/0/numbers"] *= 2
        content["versions"]["numpy"] = "1.2.3"

    rewrite(path, change, version="0.0.9")
    said = rf"saved with untie 0\.0\.9, here .* and numpy 1\.2\.3, here {np.__version__}\. Fit it"
    with pytest.warns(UserWarning, match=said):
        load_model(path)


def test_another_reading_of_cells_is_noticed(path):
    table = MODELS["preparer"]()[1]
    Preparer(bins=3).fit(table).save(path)

    def change(content, _):
        content["check"][0]["expected"][0][0] = "cheese"

    rewrite(path, change)
    with pytest.warns(UserWarning, match="cells of 'age' become other categories"):
        load_model(path)


def test_answers_are_asked_alone_and_with_another(path):
    preparer, table = MODELS["preparer"]()
    save_model(preparer.fit(table), path)
    check = read_file(path).content["check"][0]
    columns = [name for name in preparer.columns_ if name.startswith("uses: ")]
    for name, asked, found in zip(
        columns, check["asked"][-3:], check["expected"][-3:], strict=True
    ):
        own = name.removeprefix("uses: ")
        assert set(found) >= {"picked", "not picked", None}
        cells = [cell for cell in asked if cell and own in str(cell).split(";")]
        assert {len(set(cell.split(";"))) for cell in cells} == {1, 2}
        assert {found[asked.index(cell)] for cell in cells} == {"picked"}


def test_another_cluster_is_noticed(path):
    TableClusterer(2).fit(MODELS["clusterer"]()[1]).save(path)

    def change(_, arrays):
        arrays["check/2/labels"][:3] = 1 - arrays["check/2/labels"][:3]

    rewrite(path, change)
    with pytest.warns(UserWarning, match=f"3 of {N_ROWS} rows are in another cluster"):
        load_model(path)


ODD_CHECKS = {
    "codes beyond the values": lambda c, a: a["check/0/rows"].__setitem__((0, 0), 99),
    "negative codes": lambda c, a: a.update({"check/0/rows": a["check/0/rows"].astype(int) - 9}),
    "many rows": lambda c, a: a.update({"check/0/rows": np.zeros((10_000, 3), int)}),
    "fewer numbers": lambda c, a: a.update({"check/0/numbers": np.zeros((3, 3))}),
    "no check": lambda c, a: c.pop("check"),
    "no versions": lambda c, a: c.pop("versions"),
    "a number as version": lambda c, a: c.update(versions={"numpy": 2}),
    "a version that steers a terminal": lambda c, a: c.update(versions={"numpy": "\x1b[2J"}),
    "a check more": lambda c, a: c["check"].append(c["check"][0]),
}


@pytest.mark.parametrize("change", ODD_CHECKS.values(), ids=ODD_CHECKS)
def test_an_odd_check_is_refused(saved, path, change):
    rewrite(path, change)
    with pytest.raises(ValueError, match="holds no whole model"):
        load_model(path)


def test_a_check_may_have_other_numbers_than_this_version_asks_for(saved, path):
    rewrite(path, lambda c, a: a.update({"check/0/numbers": np.zeros((N_ROWS, 1))}))
    with pytest.warns(UserWarning, match="vectors can't be compared"):
        load_model(path)


def test_the_check_holds_no_row_of_the_table(path):
    table = MODELS["encoder"]()[1]
    TableEncoder(2, preparer=Preparer(bins=3)).fit(table).save(path)
    file = File.of(path.read_bytes())
    asked = json.loads(file.text)["check"][0]["asked"]
    texts = {cell for cells in asked for cell in cells}
    assert not texts & {*table["paid"], *table["born"], *table["person"]}
    rows = {tuple(row) for row in file.arrays["check/1/rows"].tolist()}
    assert len(rows) == N_ROWS

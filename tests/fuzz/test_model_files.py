"""Bad model files, thousands of them: none crashes, fills the machine or gives wrong vectors."""

import os
import random
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from command_cases import refused
from fuzz.figures import FILES, NOTE
from fuzz.model_faults import File, bomb, crafted, damage, seal, zeros
from fuzz.models import MODELS, people, tall, words
from fuzz.try_models import attempt, vectors
from untie import UNTIE, Preparer, TableClusterer, TableEncoder, load_model, save_model
from untie._persistence import container
from untie._persistence.values import MOST_NESTED

TRY = Path(__file__).with_name("try_models.py")


def try_faults(seed, n, names, note):
    """Run faults in a process of its own, which may crash and has little memory."""
    call = [sys.executable, TRY, str(seed), str(n), *names]
    done = subprocess.run(call, capture_output=True, text=True, env=os.environ, timeout=1_500)
    lines = done.stdout.splitlines()
    note(NOTE, (FILES, sum(not line.startswith("FAILED") for line in lines)))
    failed = [line for line in lines if line.startswith("FAILED")]
    assert not failed, "\n".join(failed)
    assert done.returncode == 0, f"{lines[-1:]}: {done.stderr[-2_000:]}"
    return len(lines)


GROUPS = [list(MODELS)[start::2] for start in range(2)]


@pytest.mark.integration
@pytest.mark.parametrize("names", GROUPS, ids=", ".join)
def test_a_few_faults_of_every_kind_on_every_model(names, record_property):
    assert try_faults(0, 3, names, record_property) >= 20 * len(names)


@pytest.mark.slow
@pytest.mark.integration
@pytest.mark.parametrize("name", MODELS)
def test_many_faults(name, record_property):
    assert try_faults(1, 150, [name], record_property) > 400


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """Return a table and a file with sparse arrays."""
    table = tall()
    path = tmp_path_factory.mktemp("good") / "tall.untie"
    TableEncoder(2, preparer=None).fit(table).save(path)
    return table, path.read_bytes()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.untie"


def refusal(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match="holds no whole model") as caught:
        load_model(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_the_tools_leave_a_good_file_good(good, path):
    table, whole = good
    path.write_bytes(whole)
    before = vectors(load_model(path), table)
    path.write_bytes(File.of(whole).sealed())
    np.testing.assert_array_equal(vectors(load_model(path), table), before)


def test_faults_are_the_same_for_a_seed(good):
    _, whole = good
    for make in (damage, crafted):
        first, second = (make(whole, random.Random(3), 5) for _ in range(2))
        assert str(_names(first)) == str(_names(second))


def _names(faults):
    kinds = faults.values() if isinstance(faults, dict) else [faults]
    return [name for kind in kinds for name, _ in kind]


def test_what_is_not_refused_is_noticed(good, path):
    table, whole = good
    path.write_bytes(whole)
    assert attempt(path, table, vectors(load_model(path), table), is_damage=True) == "loaded"


SPARSE = [
    ("indices", 2**33, "beyond its"),
    ("indices", None, "beyond its"),  # just behind the end
    ("indices", -1, "beyond its"),
    ("indptr", 2**33, "overlap"),
    ("indptr", -1, "overlap"),
    ("shape", 2**40, "columns for|as many places"),
]


@pytest.mark.parametrize(("part", "number", "words"), SPARSE)
def test_no_sparse_index_is_used_as_it_is(good, path, part, number, words):
    file = File.of(good[1])
    name = f"fitted/model/vectors/3__sparse_{part}"
    array = file.arrays[name].astype(np.int64)
    array[1 if part == "shape" else len(array) // 2] = (
        file.arrays["fitted/model/vectors/3__sparse_shape"][1] if number is None else number
    )
    file.arrays[name] = array
    assert any(word in refusal(path, file.sealed()) for word in words.split("|"))


def test_a_bomb_is_refused_before_memory_is_taken(good, path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("unpacked")

    payload = good[1].partition(b"\n")[2]
    content = seal(bomb(payload, "bomb.npy", zeros(3_200_000_000), 3_200_000_000))
    assert len(content) < 6_000_000
    monkeypatch.setattr(container, "_read_array", refuse)
    assert "when unpacked, which no model of its size has" in refusal(path, content)


def test_the_command_tells_of_a_bad_model_in_one_line(good, path, tmp_path):
    table, whole = good
    table.to_csv(tmp_path / "table.csv", index=False)
    file = File.of(whole)
    file.arrays["fitted/model/vectors/0"][0] = np.nan
    path.write_bytes(file.sealed())
    answer = refused("transform", path, tmp_path / "table.csv", "-o", tmp_path / "vectors.csv")
    assert "'fitted/model/vectors/0' holds numbers that are not finite" in answer
    assert answer.count("\n") == 1
    assert not (tmp_path / "vectors.csv").exists()


def test_vectors_whose_distances_are_not_finite_are_refused(path):
    """Each number is finite; the squares, of which distances to clusters are made, would not be."""
    TableClusterer(2, preparer=None).fit(words(60, 3, 3)).save(path)
    file = File.of(path.read_bytes())
    for name in ("cluster_centers", "encoder/fitted/model/vectors/0"):
        whole = file.arrays[f"fitted/{name}"]
        file.arrays[f"fitted/{name}"] = np.where(np.arange(whole.size) == 1, 1e300, whole.flat)
        file.arrays[f"fitted/{name}"].shape = whole.shape
        assert f"'fitted/{name}' holds numbers from" in refusal(path, file.sealed())
        file.arrays[f"fitted/{name}"] = whole


def test_a_refusal_is_short_whatever_the_file_says(good, path):
    file = File.of(good[1])
    file.text = file.text.replace('"encoder"', f'"{"x" * 100_000}"')
    assert len(refusal(path, file.sealed())) < 1_000


def test_no_entry_is_there_twice(good, path):
    file = File.of(good[1])
    file.text = file.text.replace('"n_rows":', '"n_rows": 1, "n_rows":', 1)
    assert "an entry is there twice" in refusal(path, file.sealed())


def test_a_model_that_is_almost_empty_is_written_so_that_it_can_be_read(path, monkeypatch):
    monkeypatch.setattr(container, "HARMLESS", 2**10)
    monkeypatch.setattr(container, "MOST_RATIO", 2)
    table = words(100, 4, 5)
    encoder = UNTIE(2, solver="uniform").fit(table)
    encoder.save(path)
    np.testing.assert_array_equal(load_model(path).transform(table), encoder.transform(table))


def test_nested_values_have_a_bound(path):
    def nested(depth):
        return ("x",) if depth == 0 else (nested(depth - 1), "y")

    for depth, is_taken in ((MOST_NESTED - 3, True), (MOST_NESTED + 3, False)):
        table = words(60, 2, 3).assign(deep=[nested(depth), ("z",)] * 30)
        TableEncoder(2, preparer=None).fit(table).save(path)
        if is_taken:
            assert load_model(path).transform(table).shape[0] == 60
        else:
            assert "nested too deeply" in refusal(path, path.read_bytes())


def test_a_pipeline_reads_no_folder_of_a_strangers_choice(path, tmp_path):
    pipeline = Pipeline(
        [("p", Preparer(bins=3)), ("u", TableEncoder(2, preparer=None))],
        memory=str(tmp_path / "cache"),
    )
    save_model(pipeline.fit(people()), path)
    assert load_model(path).memory is None


def test_steps_may_have_any_names(path):
    table = words(60, 3, 3)
    pipeline = Pipeline(
        [("a", Preparer()), ("a/b", TableEncoder(2, preparer=None)), ("a%2Fb", "passthrough")]
    )
    pipeline.steps.pop()
    save_model(pipeline.fit(table), path)
    loaded = load_model(path)
    assert [name for name, _ in loaded.steps] == ["a", "a/b"]
    np.testing.assert_array_equal(loaded.transform(table), pipeline.transform(table))


def test_a_device_is_not_read_to_its_end():
    if not os.path.exists("/dev/zero"):
        pytest.skip("this system has no /dev/zero")
    with pytest.raises(ValueError, match="is not a model saved by untie"):
        load_model("/dev/zero")


@pytest.mark.parametrize("name", MODELS)
def test_every_model_of_the_faults_comes_back(name, path):
    model, table = MODELS[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(table)
    save_model(model, path)
    loaded = load_model(path)
    np.testing.assert_array_equal(vectors(loaded, table), vectors(model, table))
    assert (name == "tall") == any("sparse" in array for array in File.of(path.read_bytes()).arrays)
    if isinstance(model, TableEncoder | UNTIE):
        assert len(model.get_feature_names_out()) == vectors(model, table).shape[1]


def test_sparse_arrays_of_files_are_whole():
    matrix = sparse.csr_array(np.eye(4)[:, [0, 2, 1, 3]])
    _, arrays = container.unpack(container.pack("text", {"a": matrix, "b": np.arange(3)}))
    assert (arrays["a"] != matrix).nnz == 0
    assert arrays["b"].flags.writeable

"""The package without PyTorch: it imports, and says what is missing; learned encoders work."""

import json
import pickle
import subprocess
import sys

import pytest

from untie_paper.baselines import VAE, BiGAN

pytestmark = pytest.mark.integration

TABLE = [["a", "x"], ["b", "y"], ["b", "x"]]


def run_python(code, *arguments):
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_importing_the_baselines_does_not_import_torch():
    code = "import sys, untie, untie_paper.baselines; print('torch' in sys.modules)"
    assert run_python(code).strip() == "False"


@pytest.mark.parametrize("method", [VAE, BiGAN])
def test_a_missing_torch_is_named(method, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    remedy = r"pip install 'untie-paper\[deep\]'"
    with pytest.raises(ImportError, match=rf"{method.__name__} .*{remedy}"):
        method().fit(TABLE)


@pytest.mark.parametrize("method", [VAE, BiGAN])
def test_a_fitted_encoder_needs_no_torch(method, tmp_path):
    pytest.importorskip("torch")
    encoder = method(max_epochs=2, random_state=0).fit(TABLE)
    path = tmp_path / "encoder.pickle"
    path.write_bytes(pickle.dumps(encoder))
    code = (
        "import json, pickle, sys\n"
        "encoder = pickle.load(open(sys.argv[1], 'rb'))\n"
        f"print(json.dumps(encoder.transform({TABLE!r}).tolist()))\n"
        "print('torch' in sys.modules)"
    )
    vectors, has_torch = run_python(code, str(path)).splitlines()
    assert json.loads(vectors) == encoder.transform(TABLE).tolist()
    assert has_torch == "False"

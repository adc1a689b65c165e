"""What runs on others' machines is pinned by commit, and may do no more than it must."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / ".github/workflows"

if not FOLDER.exists():  # an sdist has none
    pytest.skip("there are no workflows", allow_module_level=True)

WORKFLOWS = sorted(FOLDER.glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit_with_their_version(path):
    used = re.findall(r"uses: (.+)", path.read_text())
    assert used
    for action in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_nothing_is_allowed_but_by_a_job(path):
    text = path.read_text()
    assert re.search(r"^permissions: \{\}$", text, re.M)
    jobs = text.partition("\njobs:\n")[2]
    n_jobs = len(re.findall(r"^  \w+:$", jobs, re.M))
    assert n_jobs == len(re.findall(r"^    permissions:$", jobs, re.M))
    assert n_jobs == len(re.findall(r"^    timeout-minutes: \d+$", jobs, re.M))


def test_one_pin_per_action():
    pins = {}
    for path in WORKFLOWS:
        for name, commit in re.findall(r"uses: (\S+)@([0-9a-f]+)", path.read_text()):
            assert pins.setdefault(name, commit) == commit, name


def test_only_publishing_proves_who_it_is():
    holding = {p.stem for p in WORKFLOWS if "id-token: write" in p.read_text()}
    assert holding == {"docs", "release"}
    assert not any("secrets." in p.read_text() for p in WORKFLOWS)

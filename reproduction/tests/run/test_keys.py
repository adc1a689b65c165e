import pytest

from runner_jobs import cell, threads
from untie_paper.run import keys as module
from untie_paper.run.experiment import Job
from untie_paper.run.keys import job_key


def test_function_and_arguments_make_the_key():
    first = job_key(Job(cell, {"number": 1, "does": ""}))
    assert first == job_key(Job(cell, {"does": "", "number": 1}, cost=5.0))
    others = [
        Job(cell, {"number": 2, "does": ""}),
        Job(cell, {"number": 1.0, "does": ""}),
        Job(cell, {"number": True, "does": ""}),
        Job(cell, {"number": 1}),
        Job(threads, {"number": 1, "does": ""}),
    ]
    assert len({first.digest, *(job_key(job).digest for job in others)}) == 6


def test_versions_are_part_of_the_key(monkeypatch):
    before = job_key(Job(threads, {}))
    monkeypatch.setattr(module, "numeric_versions", lambda: {"numpy": "9"})
    assert before != job_key(Job(threads, {}))


@pytest.mark.parametrize("function", [lambda: {}, Job.__init__, 3])
def test_functions_that_a_worker_cannot_find_are_refused(function):
    with pytest.raises(TypeError, match="must stand at the top of a module"):
        job_key(Job(function, {}))


def test_arguments_that_are_not_plain_are_refused():
    with pytest.raises(TypeError, match=r"those of runner_jobs.cell are not.*<object"):
        job_key(Job(cell, {"number": object()}))

"""All folds of a method as one job: what it keeps of a job that was killed."""

import pytest

from attop._core.files import read_json, write_json
from attop_bench.run.job import Run
from attop_bench.run.resume import train_folds

RUNS = [Run("data", "method", repeat, fold) for repeat in (0, 1) for fold in (0, 1)]


@pytest.fixture
def job(tmp_path):
    """Return a function: a job whose runs break off where it is told so; it returns those that it trains."""
    done = tmp_path / "out/train/data/method/done.json"
    data = tmp_path / "data.npz"
    data.write_text("data")

    def start(break_off=(), params=1, digest="d1"):
        trained = []

        def train(run):
            trained.append(run)
            if run in break_off:
                raise SystemExit(1)
            folder = run.folder(tmp_path / "out")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "scores.npz").write_text(f"scores of {params}, {data.read_text()}")
            write_json(folder / "record.json", {"digest": digest})

        train_folds(RUNS, train, done=done, params=[params], files=[data], digest=digest)
        return trained

    start.data, start.done, start.out = data, done, tmp_path / "out"
    return start


def test_what_was_finished_is_not_trained_again(job):
    with pytest.raises(SystemExit, match="repeat 0, fold 1; repeat 1, fold 1"):
        job(break_off=[RUNS[1], RUNS[3]])
    assert not job.done.exists()
    assert job() == [RUNS[1], RUNS[3]]
    assert list(read_json(job.done)) == [run.folder("").name for run in RUNS]


@pytest.mark.parametrize("changed", ["parameter", "data", "begun.json"])
def test_all_are_trained_again_when_anything_that_they_depend_on_has_changed(job, changed):
    job()
    before = read_json(job.done)
    if changed == "data":
        job.data.write_text("others")
    if changed == "begun.json":
        job.done.with_name("begun.json").write_text("{")
    assert job(params=2 if changed == "parameter" else 1) == RUNS
    assert (read_json(job.done) == before) == (changed == "begun.json")


@pytest.mark.parametrize("file", ["scores.npz", "record.json"])
def test_a_run_that_was_cleared_is_trained_again(job, file):
    job()
    (RUNS[2].folder(job.out) / file).unlink()
    assert job() == [RUNS[2]]

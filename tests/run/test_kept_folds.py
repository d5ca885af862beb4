"""A block of folds as one job: what it keeps of a job that was killed."""

import re

import pytest

from attop_bench.files import read_json, write_json
from attop_bench.run.blocks import BLOCKS, block_of, files_of, in_block
from attop_bench.run.job import Run
from attop_bench.run.resume import train_folds

RUNS = [Run("data", "method", repeat, fold) for repeat in (0, 1) for fold in (0, 1)]


@pytest.fixture
def job(tmp_path):
    """Return a function: a job whose runs break off where it is told so; it returns those that it trains."""
    done = tmp_path / "out/train/data/method/all.json"
    data = tmp_path / "data.npz"
    data.write_text("data")

    def start(break_off=(), params=1, digest="d1", runs=RUNS, done=done):
        trained = []

        def train(run):
            trained.append(run)
            if run in break_off:
                raise SystemExit(1)
            folder = run.folder(tmp_path / "out")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "scores.npz").write_text(f"scores of {params}, {data.read_text()}")
            write_json(folder / "record.json", {"digest": digest})

        train_folds(runs, train, done=done, params=[params], files=lambda run: [data], digest=digest)
        return trained

    start.data, start.done, start.out = data, done, tmp_path / "out"
    return start


def test_what_was_finished_is_not_trained_again(job):
    with pytest.raises(SystemExit, match="repeat 0, fold 1; repeat 1, fold 1"):
        job(break_off=[RUNS[1], RUNS[3]])
    assert not job.done.exists()
    assert job() == [RUNS[1], RUNS[3]]
    assert list(read_json(job.done)) == [run.folder("").name for run in RUNS]


@pytest.mark.parametrize("changed", ["parameter", "data", "note"])
def test_all_are_trained_again_when_anything_that_they_depend_on_has_changed(job, changed):
    job()
    before = read_json(job.done)
    if changed == "data":
        job.data.write_text("others")
    if changed == "note":
        job.done.with_suffix(".begun").write_text("{")
    assert job(params=2 if changed == "parameter" else 1) == RUNS
    assert (read_json(job.done) == before) == (changed == "note")


@pytest.mark.parametrize("file", ["scores.npz", "record.json"])
def test_a_run_that_was_cleared_is_trained_again(job, file):
    job()
    (RUNS[2].folder(job.out) / file).unlink()
    assert job() == [RUNS[2]]


def test_folds_of_another_repeat_are_added_to_those_that_are_done(job):
    assert job(runs=RUNS[:2]) == RUNS[:2]
    assert job() == RUNS[2:]
    assert list(read_json(job.done)) == [run.folder("").name for run in RUNS]


def test_a_block_leaves_the_folds_of_other_blocks_alone(job):
    first, second = job.done.with_name("block2-0.json"), job.done.with_name("block2-1.json")
    assert job(runs=RUNS[:2], done=first) == RUNS[:2]
    assert job(runs=RUNS[2:], done=second, params=2) == RUNS[2:]
    assert job(runs=RUNS[:2], done=first) == []


@pytest.mark.parametrize(("granularity", "n"), [("method", 5), (1, 5), (2, 5), (3, 7), (7, 7), (9, 7)])
def test_blocks_hold_each_fold_once_and_in_order(granularity, n):
    names = [block_of(granularity, position) for position in range(n)]
    blocks = {name: list(in_block(name, n)) for name in dict.fromkeys(names)}
    assert [position for block in blocks.values() for position in block] == list(range(n))
    assert all(names[position] == name for name, block in blocks.items() for position in block)
    assert all(re.fullmatch(BLOCKS, name) for name in names)
    size = n if granularity == "method" else granularity
    assert max(map(len, blocks.values())) == min(size, n)
    assert len(blocks) == -(-n // size)


def test_the_files_of_blocks_are_those_of_folds(job):
    job()
    scores, records = files_of([job.done])
    folders = [run.folder(job.out) for run in RUNS]
    assert scores == [folder / "scores.npz" for folder in folders]
    assert records == [folder / "record.json" for folder in folders]
    assert files_of([*records, *scores]) == (scores, records)

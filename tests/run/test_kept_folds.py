"""A block of folds as one job: what it keeps of a job that was killed, and the one archive that it leaves."""

import json
import re

import pytest

from attop_bench import archives
from attop_bench.archives import exists, members, opened, remove
from attop_bench.files import write_json
from attop_bench.run.blocks import (
    BLOCKS,
    KEYS,
    block_of,
    clear,
    files_of,
    in_block,
    method_of,
    set_aside,
    sizes_in,
)
from attop_bench.run.job import Run, Unfinished
from attop_bench.run.notes import note_of
from attop_bench.run.plan import Plan
from attop_bench.run.record import RecordError, places_of, repeating_spoilt
from attop_bench.run.resume import train_folds
from support.small_run import configured, entry

RUNS = [Run("data", "method", repeat, fold) for repeat in (0, 1) for fold in (0, 1)]
NAMES = [run.folder("").name for run in RUNS]


@pytest.fixture
def job(tmp_path):
    """Return a function: a job whose runs break off where it is told so; it returns those that it trains."""
    archive = tmp_path / "out/train/data/method/all.zip"
    data = tmp_path / "data.npz"
    data.write_text("data")

    def start(break_off=(), params=1, digest="d1", runs=RUNS, archive=archive):
        trained = []

        def train(run, folder):
            trained.append(run)
            if run in break_off:
                raise Unfinished("folds.npz cannot be read:\n delete it")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "scores.npz").write_text(f"scores of {params}, {data.read_text()}")
            write_json(folder / "record.json", {"digest": digest, "made": "a1"})

        train_folds(runs, train, archive=archive, params=[params], files=lambda run: [data], digest=digest)
        return trained

    start.data, start.archive = data, archive
    start.files = lambda archive=archive: {name: read(archive / name) for name in members(archive)}
    return start


def read(path):
    with opened(path) as file:
        return file.read()


def folds(archive):
    return list(dict.fromkeys(name.split("/")[0] for name in members(archive) if name != KEYS))


def left(folder):
    return sorted(path.name for path in folder.rglob("*"))


def test_what_was_finished_is_not_trained_again(job):
    with pytest.raises(
        SystemExit, match=r"repeat 0, fold 1; repeat 1, fold 1: folds.npz cannot be read: delete it"
    ):
        job(break_off=[RUNS[1], RUNS[3]])
    assert not job.archive.exists()
    assert job() == [RUNS[1], RUNS[3]]
    assert folds(job.archive) == NAMES


def test_a_block_leaves_one_file(job):
    job()
    assert left(job.archive.parent) == ["all.zip"]
    assert len(members(job.archive)) == 2 * len(RUNS) + 1
    before = job.archive.read_bytes()
    assert job() == []
    assert job.archive.read_bytes() == before
    assert left(job.archive.parent) == ["all.zip"]


@pytest.mark.parametrize("changed", ["parameter", "data", "keys", "damaged"])
def test_all_are_trained_again_when_anything_that_they_depend_on_has_changed(job, changed):
    job()
    before = job.files()
    if changed == "data":
        job.data.write_text("others")
    if changed == "keys":
        remove(job.archive / KEYS)
    if changed == "damaged":
        job.archive.write_bytes(job.archive.read_bytes()[:-30])
    assert job(params=2 if changed == "parameter" else 1) == RUNS
    assert (job.files() == before) == (changed in ("keys", "damaged"))


@pytest.mark.parametrize("file", ["scores.npz", "record.json"])
def test_a_run_that_was_cleared_is_trained_again(job, file):
    job()
    note_of(job.archive).write_text("{}")
    clear(job.archive / NAMES[2] / file)
    assert not note_of(job.archive).exists()  # an output is missing: Snakemake starts the job
    assert job() == [RUNS[2]]
    assert folds(job.archive) == NAMES


def test_a_fold_that_was_done_since_is_not_replaced_by_that_of_the_archive(job):
    """The job of an archive that is added to was killed between its last fold and its archive."""
    job(runs=RUNS[:2])
    old = job.files()
    with pytest.raises(SystemExit):
        job(params=2, break_off=RUNS[3:])
    assert job.files() == old
    assert job(params=2) == RUNS[3:]
    assert {name: data for name, data in job.files().items() if name.endswith("npz")} == {
        f"{name}/scores.npz": b"scores of 2, data" for name in NAMES
    }


def test_folds_of_another_repeat_are_added_to_those_that_are_done(job):
    assert job(runs=RUNS[:2]) == RUNS[:2]
    assert job() == RUNS[2:]
    assert folds(job.archive) == NAMES


def test_folds_that_are_no_longer_of_the_block_leave_it(job):
    job()
    assert job(runs=RUNS[:3]) == []
    assert folds(job.archive) == NAMES[:3]
    assert set(json.loads(read(job.archive / KEYS))) == set(NAMES[:3])


def test_a_block_leaves_the_folds_of_other_blocks_alone(job):
    first, second = job.archive.with_name("block2-0.zip"), job.archive.with_name("block2-1.zip")
    assert job(runs=RUNS[:2], archive=first) == RUNS[:2]
    assert job(runs=RUNS[2:], archive=second, params=2) == RUNS[2:]
    assert job(runs=RUNS[:2], archive=first) == []


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
    scores, records = files_of([job.archive])
    assert scores == [job.archive / name / "scores.npz" for name in NAMES]
    assert records == [job.archive / name / "record.json" for name in NAMES]
    assert files_of([*records, *scores]) == (scores, records)
    assert {method_of(record) for record in records} == {"method"}
    assert method_of(job.archive.with_name("repeat0-fold0") / "record.json") == "method"


def test_a_damaged_record_is_put_aside_and_its_fold_alone_is_trained_again(job):
    job()
    note_of(job.archive).write_text("{}")
    set_aside(job.archive / NAMES[1] / "record.json")
    assert left(job.archive.parent) == ["all-repeat0-fold1-spoilt.json", "all.zip"]
    assert job() == [RUNS[1]]


def test_a_damaged_archive_is_put_aside_whole(job):
    job()
    damaged = job.archive.read_bytes()[:-30]
    job.archive.write_bytes(damaged)
    set_aside(job.archive / NAMES[1] / "record.json")
    assert job.archive.with_name("all-spoilt").read_bytes() == damaged
    assert job() == RUNS


def test_a_damaged_archive_is_said_and_its_block_is_done_again(job):
    job()
    note_of(job.archive).write_text("{}")
    assert places_of([job.archive, note_of(job.archive)]) == files_of([job.archive])
    job.archive.write_bytes(job.archive.read_bytes()[:-30])
    with (
        pytest.raises(RecordError, match=r"all\.zip cannot be read.*\n1 record set aside"),
        repeating_spoilt(),
    ):
        places_of([job.archive, note_of(job.archive)])
    assert left(job.archive.parent) == ["all-spoilt"]


@pytest.mark.parametrize("granularity", ["method", 2])
def test_a_block_of_which_a_fold_was_cleared_is_a_job_to_be_done(granularity):
    """Snakemake makes what is asked for and not there: the table asks for what `clear` removes."""
    plan = Plan(configured(datasets=[entry()], methods=["sgd-avg"], granularity=granularity))
    for run in plan.runs():
        note = note_of(plan.archive_path(run))
        assert note in plan.trained([run])
        assert note in plan.trainings()
    assert files_of(plan.trained(plan.runs())) == ([], [])  # as long as nothing is there


@pytest.mark.parametrize(
    ("names", "sizes"),
    [
        ([], set()),
        (["all.zip"], {"method"}),
        (["block10-3.zip", "block10-4.folds/x"], {"10"}),
        (["block2-0.folds/repeat0-fold0/record.json", "repeat0-fold1/record.json"], {"2", "fold"}),
        (["repeat0-fold1/killed", "all-spoilt"], set()),
    ],
)
def test_the_size_of_blocks_is_told_by_what_they_left(tmp_path, names, sizes):
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert sizes_in(tmp_path) == sizes


def test_a_member_is_read_as_a_file_is_and_missed_as_one(job, tmp_path):
    job()
    record = job.archive / NAMES[0] / "record.json"
    assert exists(record)
    assert not exists(record.with_name("none.json"))
    assert not exists(job.archive.with_name("none.zip") / "record.json")
    for path in (record.with_name("none.json"), job.archive.with_name("none.zip") / "x", tmp_path / "none"):
        with pytest.raises(FileNotFoundError):
            opened(path)
    job.archive.write_text("no archive")
    assert members(job.archive) == []
    assert not exists(record)
    with pytest.raises(OSError, match=r"all\.zip is damaged"):
        opened(record)


def test_a_folder_whose_name_ends_as_an_archives_is_a_folder(tmp_path):
    folder = tmp_path / "results.zip"
    folder.mkdir()
    (folder / "record.json").write_text("{}")
    assert archives.archive_of(folder / "record.json") is None
    assert archives.exists(folder / "record.json")
    with archives.opened(folder / "record.json") as file:
        assert file.read() == b"{}"
    archives.pack(folder / "all.zip", {"a/b": b"1"})
    assert archives.archive_of(folder / "all.zip/a/b") == folder / "all.zip"
    assert archives.unpacked(folder / "all.zip") == {"a/b": b"1"}

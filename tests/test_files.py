"""Files come whole or not at all, with the mode the umask leaves, and from one place only."""

import math
import os
import re
import resource
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import attop
from attop_bench import files
from attop_bench.data.base import load_arrays, save_arrays
from attop_bench.data.files.fetch import fetch_files
from attop_bench.run.tables import write_tables

ROOT = Path(attop.__file__).parents[2]
FRAME = pd.DataFrame({"a": [1.0, np.nan], "b": ["x", "ä"]})

WRITERS = {
    "bytes": lambda path: files.write_bytes(path, b"new"),
    "text": lambda path: files.write_text(path, "nöw"),
    "json": lambda path: files.write_json(path, {"a": np.float64(1)}),
    "csv": lambda path: files.write_csv(path, FRAME),
    "parquet": lambda path: files.write_parquet(path, FRAME, {"key": "value"}),
    "arrays": lambda path: save_arrays(path, {"a": np.arange(3)}),
    "receipt": lambda path: fetch_files({}, path.parent, path),
}


@pytest.fixture(params=[0o022, 0o077, 0o002], ids=oct)
def mask(request) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_files_get_the_mode_of_the_umask(write, mask, tmp_path):
    write(tmp_path / "folder/file")
    assert (tmp_path / "folder/file").stat().st_mode & 0o777 == 0o666 & ~mask
    assert set(os.listdir(tmp_path / "folder")) - {"file.turn"} == {"file"}  # a receipt counts its turns


def test_json_that_was_written_can_be_read(tmp_path):
    path = tmp_path / "x.json"
    files.write_json(
        path, {"\ud800": ["ä\udfff", np.float32(0.5), math.inf], 1: [np.int64(2), np.bool_(True)]}
    )
    assert files.read_json(path) == {r"\ud800": [r"ä\udfff", 0.5, None], "1": [2, True]}
    path.write_text(r'["\ud800"]')
    with pytest.raises(ValueError, match="surrogates"):
        files.read_json(path)


def test_cells_that_begin_a_formula_get_an_apostrophe_and_are_read_back(tmp_path):
    formulas = ["=1+1", "+49 30", "-x", "@a", "\t=1", "\r=1", "-1+cmd|' /C calc'!A0", "'=1+1", "''=1+1", "'@"]
    others = ["-3.5", "+1e-5", "-3,5", " 7", "a=1", "007", "", "'", "''", "'a", "'-5", "a'="]
    frame = pd.DataFrame({"=id": [*formulas, *others], "x": -1.5}).astype({"=id": object})
    files.write_csv(tmp_path / "f.csv", frame)
    back = pd.read_csv(tmp_path / "f.csv", dtype=str, keep_default_na=False)
    assert back["'=id"].tolist() == [*(f"'{cell}" for cell in formulas), *others]
    assert back["'=id"].map(files.original_cell).tolist() == frame["=id"].tolist()
    assert set(back["x"]) == {"-1.5"}
    assert frame.columns[0] == "=id"
    for name in ("../a", "a/b", "/a", "", "a\0", "a" * 61, "a\n", ".a"):
        with pytest.raises(ValueError, match="rename it"):
            files.check_stem(name, "data set")


def test_arrays_are_stored_as_given_and_objects_not_at_all(tmp_path):
    path = tmp_path / "x.npz"
    save_arrays(path, {"a": np.arange(3), "b": np.array(["u", "v"])})
    assert set(load_arrays(path)[0]) == {"a", "b"}
    before = path.read_bytes()
    with pytest.raises(TypeError, match="b: an array of objects cannot be stored"):
        save_arrays(path, {"a": np.arange(3), "b": np.array(["u", None])})
    assert path.read_bytes() == before


def test_every_table_but_the_curves_is_csv_too(tmp_path):
    write_tables({"runs": FRAME, "roc": FRAME}, tmp_path, csv=True)
    assert {f.name for f in tmp_path.iterdir()} == {"runs.csv", "runs.parquet", "roc.parquet"}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_full_disk_leaves_the_old_file_and_nothing_else(write, tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, most[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_an_interrupted_block_leaves_the_old_file(tmp_path):
    files.write_text(tmp_path / "file", "old")

    def write():
        with files.replacing(tmp_path / "file") as file:
            file.write(b"half")
            assert (tmp_path / "file").read_text() == "old"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert (tmp_path / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_the_longest_name_of_a_file_system_will_do(tmp_path):
    files.write_text(tmp_path / ("n" * 255), "x")
    assert os.listdir(tmp_path) == ["n" * 255]


def test_tables_come_back(tmp_path):
    files.write_csv(tmp_path / "x.csv", FRAME)
    assert (tmp_path / "x.csv").read_bytes() == "a,b\n1.0,x\n,ä\n".encode()
    files.write_parquet(tmp_path / "x.parquet", FRAME, {"key": "value"})
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "x.parquet"), FRAME)
    from pyarrow import parquet

    assert parquet.read_schema(tmp_path / "x.parquet").metadata[b"key"] == b"value"


#: What puts a file in the place of another, or writes one under its final name.
WRITES = re.compile(
    r"os\.(?:replace|rename|renames|link|symlink)|shutil\.move|mkstemp|np\.savez"
    r"|\.(?:write_text|write_bytes|hardlink_to|symlink_to|to_parquet)(?=\()(?<!files\.write_text)"
)


def test_one_module_writes_files():
    found = {
        str(path.relative_to(ROOT)): sorted(set(names))
        for folder in ("src", "workflow")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (names := WRITES.findall(path.read_text(encoding="utf-8")))
    }
    assert found == {
        "src/attop/_core/compiled.py": [".write_text"],  # a stamp: half of it counts as none
        "src/attop_bench/files.py": ["os.link", "os.replace"],
        "src/attop_bench/cli/folder.py": [".symlink_to"],  # in a new folder, to its profiles
        "src/attop_bench/data/base.py": ["np.savez"],  # into the file that attop_bench.files gives
        "src/attop_bench/data/columns/stored.py": [".to_parquet"],  # the same
        "src/attop_bench/run/candidates.py": ["np.savez"],  # the same
        "src/attop_bench/run/blocks.py": ["os.replace"],  # gives a spoilt record another name
    }


@pytest.mark.parametrize("linked", [False, True])
def test_files_of_a_folder_are_replaced_together_or_not_at_all(linked, tmp_path):
    folder = tmp_path / "out"
    if linked:
        (tmp_path / "real").mkdir()
        folder.symlink_to(tmp_path / "real")
    names = ["a", "b", "c"]
    with files.replacing_files(folder, names) as new:
        for name in "ab":
            (new / name).write_text(name)
    (folder / "mine").write_text("mine")

    def interrupted():
        with files.replacing_files(folder, names) as new:
            (new / "a").write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    assert {f.name: f.read_text() for f in folder.iterdir()} == {"a": "a", "b": "b", "mine": "mine"}
    with files.replacing_files(folder, names) as new:
        (new / "b").write_text("B")
        (new / "c").write_text("C")
    assert {f.name: f.read_text() for f in folder.iterdir()} == {"b": "B", "c": "C", "mine": "mine"}
    assert {f.name for f in tmp_path.iterdir()} == {"out", *(["real"] if linked else [])}


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def write_all(folder, names):
    """Replace files, each by a word of its own."""
    with files.replacing_files(folder, names) as new:
        assert new.parent == Path(os.path.realpath(folder))  # a mount point, or below a closed folder
        for name in names:
            (new / name).write_text(f"new {name}")


@pytest.fixture
def old(tmp_path):
    """A folder with files of a former writer, of which one is new now."""
    folder = tmp_path / "out"
    folder.mkdir()
    for name in "ab":
        (folder / name).write_text("old")
    return folder


def test_new_files_lie_in_the_folder_until_they_are_in_place(old, tmp_path):
    write_all(old, "abc")
    assert contents(old) == {name: f"new {name}" for name in "abc"}
    assert os.listdir(tmp_path) == ["out"]
    assert sorted(os.listdir(old)) == ["a", "b", "c"]


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize(
    "error", [PermissionError(13, "in use", "b"), KeyboardInterrupt(), OSError(18, "device", "b")]
)
def test_a_file_that_cannot_be_put_in_place_leaves_all_as_they_were(error, linked, old, monkeypatch):
    """As where another program has it open, where it is mounted, or at Ctrl-C."""
    (old / "b").unlink()
    (old / "b").symlink_to("a")
    replace = os.replace

    def fails(file, path):
        if Path(path) == old / "b" and "former" not in str(file):
            raise error
        replace(file, path)

    def without_links(*given, **how):
        raise OSError(95, "not supported")

    monkeypatch.setattr(os, "replace", fails)
    if not linked:
        monkeypatch.setattr(os, "link", without_links)
    with pytest.raises(type(error)) as raised:
        write_all(old, "abc")
    assert contents(old) == {"a": "old", "b": "old"}
    assert os.readlink(old / "b") == "a"
    assert sorted(os.listdir(old)) == ["a", "b"]
    if isinstance(error, OSError):
        assert raised.value.filename == str(old / "b")


def test_an_obstacle_is_found_before_anything_is_written(old, tmp_path):
    (old / "c").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    for call in (files.check_folder, write_all):
        with pytest.raises(IsADirectoryError, match="it is a folder where a file is to be") as raised:
            call(old, "abc")
        assert raised.value.filename == str(old / "c")
        for place in (old / "a", old / "a/b", tmp_path / "loop"):
            with pytest.raises(OSError, match=r"a directory|exists|symbolic links"):
                call(place, "abc")
    assert contents(old) == {"a": "old", "b": "old"}
    assert sorted(os.listdir(old)) == ["a", "b", "c"]
    files.check_folder(tmp_path / "not/yet/there", "abc")
    assert sorted(os.listdir(tmp_path)) == ["loop", "out"]


def test_a_closed_folder_is_named_before_anything_is_written(old, monkeypatch):
    def closed(path, *given, **how):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", closed)
    with pytest.raises(PermissionError) as raised:
        files.check_folder(old, "abc")
    assert raised.value.filename == str(old)


def test_json_that_is_nested_too_deeply_is_refused(tmp_path):
    (tmp_path / "x.json").write_text("[" * 100_000)
    with pytest.raises(ValueError, match="nested too deeply"):
        files.read_json(tmp_path / "x.json")

"""A file is opened once: what looks at it, or reads it, passes over what was read."""

import builtins
import os

import pandas as pd
import pytest

from attop_bench.data.build import make
from attop_bench.data.files import opening
from attop_bench.data.profile.look import look
from attop_bench.data.profile.proposal import parameters
from support.packages import linear_package
from tables.writers import base, excel, packed, text


@pytest.fixture
def opened(monkeypatch):
    """Return the paths that are opened, in their order."""
    paths = []
    builtin = builtins.open

    def counting(path, *args, **options):
        paths.append(os.fspath(path) if isinstance(path, str | os.PathLike) else "")
        return builtin(path, *args, **options)

    monkeypatch.setattr(builtins, "open", counting)
    return paths


WRITERS = {
    "csv": text(),
    "no ending": text(name="t.txt", sep=";"),
    "packed": packed(text(), "gz", ".gz"),
    "in an archive": packed(text(), "zip", ".zip"),
    "spreadsheet": excel(),
}


@pytest.mark.parametrize("written", WRITERS)
def test_a_file_is_opened_once(written, opened, tmp_path):
    path = WRITERS[written](base(), tmp_path)
    opened.clear()
    options = parameters(look(path, "y"))
    # By its name alone the format of a .txt is not known.
    most = 2 if path.suffix == ".txt" else 1
    assert 1 <= opened.count(str(path)) <= most
    opened.clear()
    make("file", **options)
    assert opened.count(str(path)) == 1


@pytest.mark.parametrize("written", ["csv", "packed", "in an archive"])
def test_new_rows_are_opened_once(written, opened, tmp_path):
    path = WRITERS[written](base(), tmp_path)
    package = linear_package(path, impute="median")
    opened.clear()
    package.rank(path)
    assert opened.count(str(path)) == 1


def test_a_file_too_large_to_hold_is_read_as_any_other(tmp_path, monkeypatch):
    path = packed(text(), "gz", ".gz")(base(), tmp_path)
    options = parameters(look(path, "y"))
    held = make("file", **options)
    monkeypatch.setattr(opening, "_MOST_HELD", 10)
    monkeypatch.setattr(opening, "_PART", 4)
    assert isinstance(opening.hold(path), type(path))
    assert parameters(look(path, "y")) == options
    pd.testing.assert_frame_equal(make("file", **options).X, held.X)


def test_a_held_file_stands_for_its_path(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,y\n1,0\n")
    held = opening.hold(path)
    assert (os.fspath(held), str(held)) == (str(path), str(path))
    assert opening.hold(held) is held
    with opening.open_bytes(held) as first, opening.open_bytes(held) as second:
        assert first.read() == second.read() == b"a,y\n1,0\n"
    assert opening.hold(tmp_path / "none.csv") == tmp_path / "none.csv"


def test_a_spreadsheet_in_an_archive_is_read_as_one(tmp_path):
    plain = excel()(base(), tmp_path)
    inside = packed(excel(), "zip", ".zip")(base(), tmp_path)
    tables = [make("file", **parameters(look(path, "y"))).X for path in (plain, inside)]
    pd.testing.assert_frame_equal(*tables)


def test_a_file_too_large_to_hold_is_not_read_to_see_it(opened, tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,0\n")
    monkeypatch.setattr(opening, "_MOST_HELD", 5)
    opened.clear()
    assert opening.hold(path) is path
    assert opened == []

"""The command, and a folder with the configuration MINE of a module of tests, and its plan."""

import pytest

from attop_bench.cli.configuration import read_raw
from attop_bench.cli.main import main, parse
from attop_bench.run.config import load_config
from attop_bench.run.plan import Plan
from support import ROOT


@pytest.fixture
def ask(capsys):
    """Return a function that calls ``attop`` and returns what it printed, or its message if it refuses."""

    def ask(*arguments, status=0):
        assert main([*arguments]) == status
        said = capsys.readouterr()
        return said.err if status else said.out

    return ask


@pytest.fixture
def folder(request, tmp_path, monkeypatch):
    (tmp_path / "config").symlink_to(ROOT / "config")
    (tmp_path / "mine.yaml").write_text(request.module.MINE, encoding="utf-8")
    (tmp_path / "Snakefile").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def plan(folder):
    return Plan(load_config(read_raw(parse(["status", "--configfile", "mine.yaml"]))))

"""A folder with the configuration MINE of a module of tests, and its plan."""

import pytest

from attop_bench.cli.configuration import read_raw
from attop_bench.cli.main import parse
from attop_bench.run.config import load_config
from attop_bench.run.plan import Plan
from support import ROOT


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

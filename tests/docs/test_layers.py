"""Imports point down the layers of docs/architecture.md, also those that types alone need."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_imports_point_down(monkeypatch, capsys):
    application = pytest.importorskip("importlinter.cli", reason='pip install -e ".[dev]"')
    monkeypatch.chdir(ROOT)
    assert application.lint_imports(no_cache=True) == 0, capsys.readouterr().out

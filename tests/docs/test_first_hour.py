"""The first hour of a contributor: the files it names are there, and its exercise goes as it says."""

import inspect
import re
import types

import pytest

import test_wording
from attop._core import wording
from support import ROOT

PAGE = (ROOT / "docs/contributing.md").read_text(encoding="utf-8")


def test_the_edit_of_the_exercise_fails_the_test_that_the_page_runs(monkeypatch):
    before, after = re.search(r"Change its `(\S+)` to `(\S+)`", PAGE).groups()
    source = inspect.getsource(wording)
    function = inspect.getsource(wording.abridge)
    assert ":pyobject: abridge" in PAGE
    assert function.count(before) == 1
    edited = types.ModuleType("edited")
    exec(source.replace(function, function.replace(before, after)), vars(edited))
    test_wording.test_long_names_that_differ_at_their_end_differ_still()
    monkeypatch.setattr(test_wording, "abridge", edited.abridge)
    with pytest.raises(AssertionError):
        test_wording.test_long_names_that_differ_at_their_end_differ_still()


def test_the_files_it_names_are_there():
    named = set(re.findall(r"`((?:[\w.]+/)*[\w.]+\.\w+|(?:\w+/)+\w*)`|(?<= )(tests/[\w./]+py)", PAGE))
    files = {one or other for one, other in named} - {"_registry.py"}
    assert len(files) > 8
    assert not [file for file in files if not (ROOT / file).exists()]


def test_the_sections_of_the_changelog_are_those_it_names():
    sections = re.findall(r"^### (\w+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert f"{', '.join(sections[:-1])} or {sections[-1]}" in PAGE


def test_its_checks_are_those_of_the_guide():
    """A command of the page stands in the guide for whoever changes the repository."""
    guide = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert not [line for line in blocks[-1].splitlines() if line not in guide]

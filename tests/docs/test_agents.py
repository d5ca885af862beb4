"""The short guide of the repository is short, and what it names is there."""

import re

from support import ROOT

GUIDE = (ROOT / "AGENTS.md").read_text(encoding="utf-8")


def test_the_guide_is_one_screen():
    assert len(GUIDE.splitlines()) <= 60


def test_the_files_it_names_are_there():
    named = re.findall(r"`([\w./]+/[\w./]*|[\w]+\.(?:md|toml))`", GUIDE)
    assert len(named) > 12
    for command in re.findall(r"(?<=[ \n])tests/[\w./]+", GUIDE):
        named.append(command.rstrip("."))
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing

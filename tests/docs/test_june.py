"""The page from report to June, command by command: each line that it shows is printed."""

import re
import runpy
import shlex

import pytest
import yaml

from attop_bench.cli.main import main
from support import ROOT

pytestmark = pytest.mark.workflow

PAGE = (ROOT / "docs/howto/june.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def answer(command, folder, capsys):
    """Return all that a command prints."""
    program, *words = shlex.split(command)
    if program == "python":
        runpy.run_path(str(folder / words[0]), run_name="__main__")
    else:
        assert main(words) == 0
    said = capsys.readouterr()
    return said.out + said.err


def test_each_command_prints_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    said, commands = "", 0
    for kind, block in BLOCKS:
        if kind == "bash":
            for command in block.splitlines():
                said += answer(command, tmp_path, capsys)
                commands += 1
        elif kind == "python":
            if name := re.match(r"# (\S+\.py)\n", block):
                (tmp_path / name[1]).write_text(block)
            else:
                exec(block, {})
        elif kind == "yaml":
            assert block.partition("\n")[2] in (tmp_path / "claims.yaml").read_text()
        elif block.startswith("rank,row"):
            head, first = (tmp_path / "lists/2025-06.csv").read_text().splitlines()[:2]
            rounded = re.sub(r",(\d\.\d\d)\d*,", r",\1,", first)
            assert block.splitlines() == [head, rounded]
        else:
            lines = [line for line in block.splitlines() if line not in said]
            assert not lines, f"not printed: {lines}\n{said}"
    assert commands == 5
    assert (tmp_path / "june.png").stat().st_size > 10_000
    assert yaml.safe_load((tmp_path / "claims.yaml").read_text())["datasets"][0]["params"]["day"] == "month"

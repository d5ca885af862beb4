"""`attop completion`: the shell's own completion, out of the parser."""

import shutil
import subprocess

import pytest

from attop_bench.cli.main import COMMANDS, main
from attop_bench.cli.parser import build_parser

pytest.importorskip("shtab", reason="completion is made by the package shtab")
from support import ROOT


def script(shell, capsys):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "config").symlink_to(ROOT / "config")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["do"], {"doctor"}),
        (["fit", "digit"], {"digit-8"}),
        (["fit", "wdbc", "logis"], {"logistic-regression"}),
        (["fit", "wdbc", "aatp", "--re"], {"--repeat"}),
        (["retry", "--dataset", "many"], {"many-users"}),
        (["status", "--configfile", "con"], {"config"}),
        (["completion", ""], {"bash", "zsh", "fish"}),
    ],
)
def test_bash_completes(words, expected, folder, capsys):
    (folder / "attop.bash").write_text(script("bash", capsys), encoding="utf-8")
    typed = ["attop", *words]
    code = (
        f"source attop.bash; COMP_WORDS=({' '.join(w or chr(39) * 2 for w in typed)}); "
        f"COMP_CWORD={len(words)}; function=$(complete -p attop | sed 's/.*-F \\([^ ]*\\).*/\\1/'); "
        f"$function attop '{words[-1]}' '{typed[-2]}'; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False)
    assert set(done.stdout.split()) == expected, done.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_know_all_commands_and_names(shell, folder, capsys):
    text = script(shell, capsys)
    for word in (*COMMANDS, "rankboost", "many-users"):
        assert word in text
    if program := shutil.which(shell):
        done = subprocess.run([program, "-n", "-c", text], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_outside_the_folder_of_the_snakefile_there_are_no_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = script("bash", capsys)
    assert "--repeat" in text
    assert "rankboost" not in text


def test_every_command_of_the_parser_does_something():
    choices = next(action.choices for action in build_parser()._actions if action.dest == "command")
    assert set(choices) == set(COMMANDS)

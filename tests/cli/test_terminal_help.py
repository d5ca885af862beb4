"""The command line helps: a near name, groups, examples that work, completion, and statuses for gates."""

import os
import re
import shlex

import numpy as np
import pytest

from attop.extending import show_progress
from attop_bench.cli.main import COMMANDS, GROUPS, main, parse
from attop_bench.data.base import save_arrays
from attop_bench.deploy.promise import Promise, promise_path
from attop_bench.files import write_json
from attop_bench.run.up_to_date import digest

MINE = "output: out\ndatasets: [wdbc]\nmethods: [linear-svm, {id: rank-mine, estimator: sklearn.svm.SVC}]\n"


@pytest.mark.parametrize(
    ("word", "hint"), [("loook", "look"), ("staus", "status"), ("compare", "compare-runs")]
)
def test_a_near_command_is_asked_for(word, hint, capsys):
    with pytest.raises(SystemExit) as end:
        main([word])
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert f"did you mean '{hint}'?" in said
    assert len(said.splitlines()) <= 2


def test_a_command_that_is_like_none_lists_all(capsys):
    with pytest.raises(SystemExit):
        main(["xyzzy"])
    assert "choose one of: look, headroom, run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ("deploy wbc", "unknown dataset 'wbc'; did you mean 'wdbc'?"),
        ("deploy wdbc rank-mime", "unknown method 'rank-mime'; did you mean 'rank-mine'?"),
        ("fit wdbc linear-svn", "unknown method 'linear-svn'; did you mean 'linear-svm'?"),
        (
            "fit xyzzy linear-svm",
            "unknown dataset 'xyzzy'; the configuration has wdbc, and attop list",
        ),
    ],
)
def test_a_near_name_of_the_configuration_comes_before_those_of_the_catalogue(call, hint, folder, ask):
    assert hint in ask(*call.split(), "--configfile", "mine.yaml", status=1)


def test_commands_are_in_groups_in_the_order_of_their_use(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    heads = [said.index(f"\n{group}:") for group in GROUPS]
    assert heads == sorted(heads)
    assert re.findall(r"^  ([a-z-]+)  ", said, re.M)[-len(COMMANDS) :] == [*COMMANDS]


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "completion"])
def test_the_example_of_a_command_is_one_and_its_help_shows_it(name, capsys):
    example = COMMANDS[name].example
    with pytest.raises(SystemExit):
        main([name, "--help"])
    assert f"\n  {example}\n" in capsys.readouterr().out
    _, _, arguments = example.partition("attop ")
    assert parse(shlex.split(arguments)).command == name


def test_the_label_is_the_first_option_of_a_table(capsys):
    for name in ("look", "headroom"):
        with pytest.raises(SystemExit):
            main([name, "--help"])
        assert re.findall(r"^  (--\w+)", capsys.readouterr().out, re.M)[0] == "--label"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("attop sc", ["score "]),
        ("attop score --pi", ["--picture "]),
        ("attop fit wdb", ["wdbc", "wdbc-file"]),
        ("attop fit wdbc rank-m", ["rank-mine "]),
        ("attop completion f", ["fish "]),
        ("attop status --fail-on l", ["left "]),
    ],
)
def test_a_shell_completes(line, words, folder, monkeypatch):
    pytest.importorskip("argcomplete", reason="pip install argcomplete")
    if "fit" in line:
        line = line.replace("fit", "fit --configfile mine.yaml")
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(folder / "answer"),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    child = os.fork()  # argcomplete ends its process
    if child == 0:
        try:
            main()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (folder / "answer").read_text().split("\n") == words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_evaluates_is_printed(shell, ask):
    pytest.importorskip("argcomplete", reason="pip install argcomplete")
    assert "attop" in ask("completion", shell)


def finished(plan, status):
    for run in plan.runs("wdbc"):
        save_arrays(plan.scores_path(run), {"test": np.zeros(1), "scores": np.zeros((1, 1))})
        ended = status if run.method == "linear-svm" else "ok"
        write_json(plan.record_path(run), {"digest": digest(plan, run), "status": ended, "error": "it broke"})


def test_status_of_a_file_is_that_of_its_configuration_and_a_gate(plan, ask):
    assert ask("status", "mine.yaml") == ask("status", "--configfile", "mine.yaml")
    main_status = [main(["status", "mine.yaml", "--fail-on", state]) for state in ("failed", "left")]
    assert main_status == [0, 3]
    finished(plan, "error")
    assert main(["status", "mine.yaml", "--fail-on", "failed"]) == 3
    assert main(["status", "mine.yaml", "--fail-on", "left"]) == 0
    assert main(["status", "mine.yaml"]) == 0
    assert main(["retry", "mine.yaml"]) == 0
    assert main(["status", "--fail-on", "left", "--cores", "2", "mine.yaml"]) == 3


def test_watch_is_a_gate(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    promise = {"k": 60, "length": 1500, "expected": 33.0, "low": 22.0, "high": 44.0, "least": 26.0}
    (tmp_path / "lists").mkdir()
    for number in range(1, 9):
        hits = ["1"] * (number % 3) + ["0"] * (60 - number % 3)
        lines = [f"{rank},{number + rank / 100},{hit}" for rank, hit in enumerate(hits, 1)]
        (tmp_path / f"lists/{number}.csv").write_text("\n".join(["rank,score,label", *lines]))
        write_json(promise_path(f"lists/{number}.csv"), Promise(**promise).model_dump())
    assert main(["watch", "lists"]) == 0
    assert capsys.readouterr().out.startswith("worse")
    assert main(["watch", "lists", "--fail-on", "worse"]) == 3
    assert main(["watch", "lists", "--fail-on", "cannot-tell"]) == 0
    (tmp_path / "lists/1.xlsx").touch()
    assert main(["watch", "lists", "--fail-on", "worse"]) == 3
    assert "1.csv is there, which has the same promise" in capsys.readouterr().out


def test_without_a_terminal_progress_of_a_moment_is_one_line(capsys):
    assert list(show_progress(iter(range(10)), 10, "fits")) == [*range(10)]
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("10 of 10 fits")

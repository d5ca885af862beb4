"""The command `attop`."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from joblib import cpu_count

import attop
from attop.extending import Top
from attop_bench.cli.configuration import read_raw
from attop_bench.cli.main import COMMANDS, main, parse
from attop_bench.data.base import save_arrays
from attop_bench.files import write_json
from attop_bench.run.up_to_date import digest

MINE = "output: out\ndatasets: [wdbc, letter]\nmethods: [linear-svm, rankboost]\n"


def finish(plan, status):
    """Write outputs for all runs on wdbc; `status` says how a method ended."""
    for run in plan.runs("wdbc"):
        save_arrays(plan.scores_path(run), {"test": np.zeros(1), "scores": np.zeros((1, 1))})
        state = status[run.method]
        record = {"status": state, "error": "" if state == "ok" else "it broke\n\nin many words"}
        write_json(plan.record_path(run), {"digest": digest(plan, run), **record})
    receipt = plan.root / "data" / "letter" / "fetch.json"
    receipt.parent.mkdir(parents=True)
    receipt.write_text(json.dumps({"unavailable": ["no network", "fetch it by hand"]}))
    return receipt


def test_status_counts_and_says_how_to_mend(plan, ask):
    finish(plan, {"linear-svm": "ok", "rankboost": "memory"})
    out = ask("status", "--configfile", "mine.yaml")
    lines = out.splitlines()
    assert lines[0] == "Accuracy at the top, the default benchmark: out/report.html"
    assert [line.split() for line in lines[2:7]] == [
        ["data", "set", "method", "ok", "memory", "left", "core", "time", "limit"],
        ["wdbc", "linear-svm", "10", "60", "min"],
        ["rankboost", "10", "60", "min"],
        ["letter", "linear-svm", "5", "unknown", "60", "min"],
        ["rankboost", "5", "unknown", "60", "min"],
    ]
    assert lines[lines.index("wdbc rankboost: memory in 10 runs: it broke") + 1].startswith("letter: ")
    assert "letter: unavailable: no network fetch it by hand" in lines
    assert lines[-1] == (
        "After fixing the cause: attop retry --configfile mine.yaml && "
        f"snakemake --cores {cpu_count()} --configfile mine.yaml"
    )


def test_retry_removes_what_failed_and_nothing_else(plan, ask, capsys):
    receipt = finish(plan, {"linear-svm": "ok", "rankboost": "timeout"})
    assert "nothing to clear" in ask("retry", "--configfile", "mine.yaml", "--method", "linear-svm")
    assert main(["retry", "--configfile", "mine.yaml", "--status", "error"]) == 0
    assert receipt.exists()
    assert main(["retry", "--configfile", "mine.yaml"]) == 0
    assert not receipt.exists()
    for run in plan.runs("wdbc"):
        kept = run.method == "linear-svm"
        assert plan.scores_path(run).exists() == plan.record_path(run).exists() == kept
    assert f"Now: snakemake --cores {cpu_count()} --configfile mine.yaml" in capsys.readouterr().out


def test_results_of_another_configuration_are_left(plan, ask):
    finish(plan, {"linear-svm": "ok", "rankboost": "error"})
    other = ["--configfile", "mine.yaml", "--config", "seed=7"]
    said = ask("status", *other)
    lines = said.splitlines()
    assert "Of those left, 20 were done with another configuration and are done again." in lines
    assert "30: 0 done, 30 to do" in said
    assert lines[-1].startswith("Go on with: snakemake")
    assert "nothing to clear" in ask("retry", "--method", "rankboost", *other)


def test_configuration_is_merged_as_snakemake_merges(folder):
    (folder / "more.yaml").write_text("output: other\nlimits: {seconds: 5}\n", encoding="utf-8")
    options = parse(
        ["status", "--configfile", "mine.yaml", "--configfile", "more.yaml", "--config", "seed=3", "title=A"]
    )
    raw = read_raw(options)
    assert (raw["output"], raw["seed"], raw["title"]) == ("other", 3, "A")
    assert raw["datasets"] == ["wdbc", "letter"]
    assert raw["limits"] == {"seconds": 5}


@pytest.mark.parametrize(("what", "line"), [("datasets", "  movielens "), ("metrics", "micro-pap@k ")])
def test_list(what, line, folder, ask):
    assert f"\n{line}" in ask("list", what)


def test_list_says_what_is_run_and_what_each_is(folder, ask):
    first, *said = ask("list", "methods", "--configfile", "mine.yaml").splitlines()
    assert first == "* is run by mine.yaml"
    assert {line.split()[1] for line in said if line.startswith("*")} == {"linear-svm", "rankboost"}
    (line,) = (line for line in said if " svm-perf " in line)
    assert "SVMperf: The structural hinge of prec@k" in line


def test_list_of_metrics_has_those_of_a_configuration(folder, ask):
    call = ["list", "metrics", "--configfile", "mine.yaml", "--config"]
    *_, last = ask(*call, "custom_metrics={lift: {path: mine.lift}}").splitlines()
    assert last.split() == ["lift", "mine.lift"]
    assert "custom_metrics must map names" in ask(*call, "custom_metrics=[mine.lift]", status=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("status --configfile none.yaml", "cannot read none.yaml"),
        ("status --config seed", "--config wants KEY=VALUE, got 'seed'"),
        ("status --config seed=[1", "--config seed: the value is not valid YAML, got '[1'"),
        ("fit wdbc aatp --config datasets=3", "datasets: a list with at least one entry"),
        ("list methods --config catalogues=3", "catalogues must map 'datasets' and 'methods'"),
        ("status --config catalogues={methods:[1]}", "catalogues must map 'datasets' and 'methods'"),
        ("retry --method rank-boost", "--method: unknown method 'rank-boost'; did you mean 'rankboost'?"),
        ("retry --dataset wbc", "--dataset: unknown dataset 'wbc'; did you mean 'wdbc'?"),
        ("status --config sed=1", "sed: unknown key; did you mean 'seed'?"),
    ],
)
def test_what_cannot_be_done_is_one_message(arguments, message, folder, ask):
    assert message in ask(*arguments.split(), status=1)


LIST = [
    sys.executable,
    "-c",
    "import sys; from attop_bench.cli.main import main; sys.exit(main(['list', 'metrics']))",
]


def test_output_that_nobody_reads():
    with subprocess.Popen(LIST, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="of Linux")
@pytest.mark.parametrize("buffering", ["", "1"])
def test_output_for_which_there_is_no_space(buffering):
    env = {**os.environ, "PYTHONUNBUFFERED": buffering}
    with open("/dev/full", "w") as full:
        done = subprocess.run(LIST, stdout=full, stderr=subprocess.PIPE, text=True, env=env)
    assert done.returncode == 1
    assert done.stderr == "attop list cannot write its output: No space left on device, free some\n"


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom attop_bench.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'sklearn', 'pydantic', 'yaml', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "retry" in done.stdout


def test_a_look_imports_no_statistics(tmp_path):
    path = tmp_path / "table.csv"
    rows = (f"{i / 7},2026-0{i % 5 + 1}-01,{'abc'[i % 3] * (i % 4 > 0)},{i % 3 // 2}\n" for i in range(200))
    path.write_text("x,day,word,y\n" + "".join(rows))
    code = (
        "import sys\nfrom attop_bench.cli.main import main\n"
        f"assert main(['look', {str(path)!r}, '--label', 'y']) == 0\n"
        "heavy = {'scipy.special', 'scipy.stats', 'sklearn', 'numba'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "usage: attop"),
        (["--version"], f"attop {attop.__version__}\n"),
        *(([command, "--help"], f"usage: attop {command}") for command in COMMANDS),
    ],
)
def test_every_command_has_options_and_help(arguments, said, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(said)


@pytest.mark.parametrize(
    "call",
    [
        ["look", "FILE"],
        ["headroom", "FILE", "--label", "y"],
        ["fit", "wdbc", "aatp"],
        ["deploy", "wdbc"],
        ["score", "MODEL", "FILE"],
        ["rescore", "FOLDER"],
    ],
    ids=lambda call: call[0],
)
def test_a_top_is_written_the_same_way_everywhere(call, capsys):
    for text, top in (
        ("10", Top(k=10)),
        ("k=10", Top(k=10)),
        ("k=100 of 30000", Top(k=100, out_of=30000)),
        ("tau=0.05", Top(tau=0.05)),
        ("kappa=0.5", Top(kappa=0.5)),
    ):
        assert parse([*call, "--top", text]).top in (top, [top])
    with pytest.raises(SystemExit) as end:
        main([*call, "--top", "0.1"])
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert "--top" in said
    assert "tau=0.05" in said


@pytest.mark.parametrize(
    "call", [["deploy", "wdbc"], ["score", "MODEL", "FILE"], ["headroom", "FILE", "--label", "y"]]
)
def test_a_rate_is_refused_where_no_date_says_how_many_rows_that_is(call, capsys):
    with pytest.raises(SystemExit):
        main([*call, "--top", "100 a month"])
    said = capsys.readouterr().err
    assert "attop look takes" in said
    assert "k=100 of 30000" in said


@pytest.mark.parametrize(
    "call", ["status --cores", "deploy wdbc --jobs", "headroom FILE --label y --top 5 --jobs"]
)
def test_there_is_at_least_one_core(call, capsys):
    for number in ("0", "-3", "two"):
        with pytest.raises(SystemExit):
            main([*call.split(), number])
        assert (
            f"a number of at least 1, or -1 for all cores, is needed, got '{number}'"
            in capsys.readouterr().err
        )
    assert vars(parse([*call.split(), "-1"]))[call.rpartition("-")[2]] == cpu_count()

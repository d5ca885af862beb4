"""Commands and the workflow find the same names, wherever they are called and without pytest's path."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from attop_bench.cli.main import main
from support import ROOT, forked
from support.small_run import jobs

TOPPUSH = ROOT / "config/papers/toppush2014.yaml"  # a kind of data, a paper and a pair that is left out
FOLDERS = ("config/papers", "config/suites", "studies", "studies/partitions")
NAMED = [file for folder in FOLDERS for file in sorted((ROOT / folder).glob("*.yaml"))]
#: Calls commands one after another. As in a console script, -P leaves the working directory out of the path.
CALLS = "import sys; from attop_bench.cli.main import main; print(*[main(c.split()) for c in sys.argv[1:]])"

KIND = '''"""Data of a user's own."""
from attop_bench.data.build import make

def some():
    return make("wdbc", n_features=3)
'''
METRIC = '''"""A metric of a user's own, whose file lies beside the one of the data."""

def share(y_true, y_score):
    return float(y_true[y_score.argmax()])
'''
OWN = {
    "output": "out",
    "datasets": [
        {
            "id": "some",
            "kind": "kind_of_mine.some",
            "protocol": {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}},
            "tops": [{"k": 3}],
            "scoring": "metric_of_mine.share",
        }
    ],
    "methods": ["logistic-regression"],
    "metrics": ["precision@k", "metric_of_mine.share"],
    "trace": False,
}


def run(*command, cwd):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def attop(*arguments, cwd):
    script = Path(sys.executable).with_name("attop")
    if not script.exists():
        pytest.skip("attop's console script is not installed beside Python")
    return run(script, *arguments, cwd=cwd)


def test_every_configuration_of_a_clone_is_one_for_every_command():
    asked = [f"status --configfile {file}" for file in NAMED]
    asked += [f"{command} --configfile {TOPPUSH}" for command in ("retry", "list methods", "doctor")]
    status, said = run(sys.executable, "-P", "-c", CALLS, *asked, cwd=ROOT / "docs")
    assert status == 0, said
    assert said.splitlines()[-1].split()[:-1] == ["0"] * (len(asked) - 1), said  # doctor looks at more
    assert "configuration: TopPush (2014), its table 2: 3 data sets" in " ".join(said.split())


@pytest.mark.parametrize("place", ["clone", "elsewhere", "copy"])
def test_the_console_script_finds_what_the_workflow_finds(place, tmp_path):
    folder, file = {
        "clone": (ROOT, TOPPUSH.relative_to(ROOT)),
        "elsewhere": (tmp_path, TOPPUSH),
        "copy": (tmp_path / "copy", TOPPUSH.relative_to(ROOT)),
    }[place]
    if place == "copy":
        ignored = shutil.ignore_patterns("__pycache__", "*.csv", "data", ".snakemake")
        for name in ("config", "rules", "workflow", "studies"):
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        shutil.copy(ROOT / "Snakefile", folder)
    status, said = attop("status", "--configfile", file, cwd=folder)
    assert status == 0, said
    assert "spambase-authors  top-push-paper" in said


@pytest.fixture
def mine(tmp_path):
    """A folder with modules of a user's own and a configuration that names them, and one to run it in."""
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (own / "kind_of_mine.py").write_text(KIND)
    (own / "metric_of_mine.py").write_text(METRIC)
    (own / "mine.yaml").write_text(yaml.safe_dump(OWN))
    return own / "mine.yaml", other


@pytest.mark.parametrize("linked", [False, True])
def test_modules_beside_a_configuration_in_another_folder_are_found(mine, linked, monkeypatch):
    """By the command, the workflow and its jobs; a link stands for what it leads to."""
    file, folder = mine
    if linked:
        (folder / "linked.yaml").symlink_to(file)
        file = "linked.yaml"
    monkeypatch.setenv("ATTOP_WARM", "0")  # a server of its own would import more than these jobs
    status, said = attop("status", "--configfile", file, cwd=folder)
    assert status == 0, said
    given = ["-s", ROOT / "Snakefile", "--configfile", file, "--cores", "2"]
    target = "out/data/some/folds/repeat0.npz"  # of a job that imports both
    status, said = forked.run("snakemake", [*given, target, *["-n"] * linked], folder)
    assert status == 0, said
    if linked:
        assert jobs(said)["split"] == 1
    else:
        assert (folder / target).exists()


def test_a_second_configuration_is_read_and_repeated_in_what_to_do_next(mine, tmp_path, monkeypatch, capsys):
    file, folder = mine
    monkeypatch.chdir(folder)
    (tmp_path / "fewer.yaml").write_text("metrics: [precision@k]")
    both = ["--configfile", str(file), "--configfile", str(tmp_path / "fewer.yaml")]
    assert main(["status", *both]) == 0
    said = capsys.readouterr().out
    assert f"--configfile {file} {tmp_path / 'fewer.yaml'}" in said  # snakemake's way
    failed = folder / "out/train/some/logistic-regression/repeat0-fold0"
    assert main(["retry", *both]) == 0
    capsys.readouterr()
    assert not failed.exists()


def test_a_module_called_like_one_of_pythons_is_named(mine, monkeypatch, capsys):
    file, folder = mine
    (file.parent / "code.py").write_text(METRIC)
    monkeypatch.chdir(folder)
    for path in ("code.share", "code.inner.share"):
        assert main(["status", "--configfile", str(file), "--config", f"metrics=[{path}]"]) == 1
        said = capsys.readouterr().err
        assert "Python's own module code is found before a file code.py of yours" in said
        assert "give yours another name" in said


def test_run_takes_configurations_as_all_commands_do(mine, monkeypatch):
    file, folder = mine
    monkeypatch.chdir(folder)
    called = []
    monkeypatch.setattr("attop_bench.cli.folder.os.execv", lambda program, words: called.append(words))
    (folder / "more.yaml").write_text("seed: 1")
    for given in ([str(file), "more.yaml"], [str(file), "--configfile", "more.yaml"]):
        main(["run", *given])
    assert [words[-3:] for words in called] == [["--configfile", str(file), "more.yaml"]] * 2

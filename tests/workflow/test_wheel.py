"""sdist and wheel, installed as a user installs them, and the benchmark run far from any clone."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
from importlib.util import find_spec

import pytest
import yaml

from attop_bench.cli.folder import benchmark
from attop_bench.cli.main import main
from attop_bench.cli.options import source
from attop_bench.run.config import load_config
from attop_bench.run.plan import Plan
from support import ROOT
from support.small_run import SMALL, jobs

for needed in ("build", "hatchling", "pip"):
    pytest.importorskip(needed, reason='pip install "attop[test]" brings what builds a wheel')

SMALLEST = {
    "datasets": [{**SMALL["datasets"][0], "protocol": {"kind": "holdout", "options": {"inner_folds": 2}}}],
    "methods": ["logistic-regression"],
    "metrics": ["precision@k"],
    "trace": False,
}


class Installed:
    """An environment with the wheel, made from the sdist, and a folder with the benchmark."""

    def __init__(self, folder):
        self.dist, self.home, self.bench = folder / "dist", folder / "env", folder / "bench"
        build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(self.dist), str(ROOT)]
        subprocess.run(build, check=True, capture_output=True)
        venv.create(self.home)
        self.python = str(self.home / "bin" / "python")
        (wheel,) = self.dist.glob("*.whl")
        install = ["install", "--no-deps", "--no-index", "--quiet", str(wheel)]
        subprocess.run([sys.executable, "-m", "pip", "--python", self.python, *install], check=True)
        (self.packages,) = self.home.glob("lib/*/site-packages")
        others = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}  # those of these tests
        (self.packages / "the-others.pth").write_text("\n".join(others))
        self.said = self.run(str(self.home / "bin" / "attop"), "init", "bench", cwd=folder)
        (folder / "small.yaml").write_text(yaml.safe_dump(SMALLEST))

    def run(self, *command, cwd=None):
        kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
        path = f"{self.home / 'bin'}{os.pathsep}{os.environ['PATH']}"
        where = {"cwd": cwd or self.bench, "env": {**kept, "PATH": path}}
        done = subprocess.run(command, **where, capture_output=True, text=True, timeout=600)
        return done.returncode, done.stdout + done.stderr

    def snakemake(self, *arguments):
        return self.run(self.python, "-m", "snakemake", *arguments)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("installed"))


def test_init_writes_what_the_clone_has(installed):
    assert installed.said[0] == 0, installed.said
    assert installed.said[1].endswith("Now: cd bench && snakemake --cores 16\n")
    assert sorted(path.name for path in installed.bench.iterdir()) == benchmark()
    tracked = subprocess.run(["git", "ls-files", *benchmark()], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode != 0:
        pytest.skip("not a git clone: what belongs to it is not known")
    for file in tracked.stdout.split():
        if (ROOT / file).is_symlink():
            assert (installed.bench / file).is_dir()
            continue
        assert (installed.bench / file).read_bytes() == (ROOT / file).read_bytes(), file


def test_it_is_the_wheel_that_runs(installed):
    status, output = installed.run(installed.python, "-c", "import attop; print(attop.__file__)")
    assert status == 0
    assert output.startswith(str(installed.home))


def test_the_sdist_is_whole(installed):
    (sdist,) = installed.dist.glob("*.tar.gz")
    with tarfile.open(sdist) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "Snakefile", "tests/conftest.py"} <= names


def test_the_benchmark_runs(installed):
    small = ("--configfile", "../small.yaml")
    status, output = installed.snakemake("--cores", "2", *small)
    assert status == 0, output
    assert (installed.bench / "results/report.html").stat().st_size > 10_000
    status, output = installed.snakemake("--cores", "2", *small)
    assert status == 0
    assert "Nothing to be done" in output
    status, output = installed.run(str(installed.home / "bin" / "attop"), "status", *small)
    assert status == 0, output
    assert "1: 1 done, 0 to do" in output


def test_the_default_benchmark_is_planned_for_a_cluster_if_it_can_be(installed):
    """The profile of SLURM is found."""
    slurm = find_spec("snakemake_executor_plugin_slurm")
    where = ("--profile", "slurm") if slurm else ("--cores", "2")
    status, output = installed.snakemake(*where, "--dry-run", "--config", "output=default")
    assert status == 0, output
    of_clone = load_config(yaml.safe_load((ROOT / "config/config.yaml").read_text()), ROOT)
    assert jobs(output)["train"] == len(list(Plan(of_clone).runs()))


def test_nothing_is_overwritten(tmp_path, capsys):
    (tmp_path / "config").mkdir()
    assert main(["init", str(tmp_path)]) == 1
    assert "has config, and nothing is overwritten" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["config"]
    (tmp_path / "file").write_text("")
    assert main(["init", str(tmp_path / "file")]) == 1
    assert "is a file" in capsys.readouterr().err


def test_no_benchmark_is_written_into_the_results_of_a_run(tmp_path, capsys):
    (tmp_path / "report.html").touch()
    assert main(["init", str(tmp_path)]) == 1
    assert "has the report of a run: give a new folder" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_in_a_clone_it_is_the_clones_own():
    assert (source() / "Snakefile").read_bytes() == (ROOT / "Snakefile").read_bytes()


def test_propose_has_the_values_of_the_board(installed):
    board = (installed.packages / "attop_bench/board.csv").read_text()
    assert board == (ROOT / "docs/board/values.csv").read_text()

"""`attop doctor`: whether this machine is ready for a run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from attop_bench.cli import doctor as command
from attop_bench.cli.main import main
from support import ROOT


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of the Snakefile on a machine without SLURM, whose compiled packages are taken to be fine."""
    (tmp_path / "config").symlink_to(ROOT / "config")
    (tmp_path / "bin").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("ATTOP_MIRROR", raising=False)
    return tmp_path


def program(folder, name, text):
    (folder / "bin" / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    (folder / "bin" / name).chmod(0o755)


def doctor(capsys, *arguments):
    """Return the exit status and the lines, each in one piece."""
    status = main(["doctor", *arguments])
    out = capsys.readouterr().out.replace("\n" + " " * 9, " ")
    return status, [" ".join(line.split()) for line in out.splitlines() if line]


def test_a_machine_that_is_ready(folder, capsys):
    status, lines = doctor(capsys)
    assert status == 0
    assert lines[-1].startswith("Ready for a run (0 FAIL")
    for about in ("Python", "packages", "cores", "output folder", "cache folder"):
        assert any(line.startswith(f"ok {about}: ") for line in lines), about
    assert "ok network: not needed: all files are on this machine" in lines
    assert any(line.startswith("ok SLURM: not on this machine") for line in lines)


def test_python_in_a_folder_with_a_blank_runs_no_job(folder, capsys, monkeypatch):
    monkeypatch.setattr(command.sys, "executable", "/home/my env/bin/python")
    status, lines = doctor(capsys)
    assert status == 1
    assert any(line.startswith("FAIL Python: ") and "no job runs" in line for line in lines)


def test_packages_missing_and_too_old(folder, capsys, monkeypatch):
    def version(name):
        if name == "pandas":
            raise command.PackageNotFoundError(name)
        return {"numpy": "1.26.4", "scipy": "1.13rc1"}.get(name, "99.0")

    monkeypatch.setattr(command, "version", version)
    status, lines = doctor(capsys)
    assert status == 1
    least = command.requirements()["numpy"]
    assert f'-> python -m pip install "numpy{least}"' in lines
    assert any("numpy 1.26.4" in line and str(least) in line for line in lines)
    assert any(line.startswith('-> python -m pip install "pandas>=') for line in lines)
    assert "warn configuration: not looked at" in lines


def test_requirements_are_those_of_the_extra():
    assert "scikit-learn" in command.requirements()
    assert "snakemake" not in command.requirements()
    assert {"snakemake", "cvxpy", "numpy"} <= set(command.requirements("workflow"))
    assert "pytest" not in command.requirements("workflow")
    assert all(map(str, command.requirements("workflow").values()))


def test_a_configuration_that_cannot_run(folder, capsys):
    status, lines = doctor(capsys, "--config", "methods=[rankbost]")
    assert status == 1
    assert any("unknown method 'rankbost'; did you mean 'rankboost'?" in line for line in lines)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that not even root can write to")
def test_a_folder_that_cannot_be_written_to(folder, capsys):
    status, lines = doctor(capsys, "--config", "output=/proc/nowhere")
    assert status == 1
    assert any(line.startswith("FAIL output folder: /proc cannot be written to") for line in lines)
    assert "-> give another one: --config output=FOLDER" in lines


def test_files_in_the_mirror_in_the_cache_and_nowhere(folder, capsys):
    for path in ("mirror/spambase/spambase.data", "data/housing/housing.data"):
        (folder / path).parent.mkdir(parents=True)
        (folder / path).touch()
    wanted = ["--config", "datasets=[spambase, housing]", "mirror=mirror"]
    _, lines = doctor(capsys, *wanted)
    assert "ok network: not needed: all files are on this machine" in lines
    (folder / "data/housing/housing.data").unlink()
    _, lines = doctor(capsys, *wanted)
    assert "ok network: needed for 1 file: housing/housing.data" in lines
    status, lines = doctor(capsys, *wanted, "offline=true")
    assert status == 0
    assert any("housing/housing.data cannot be downloaded (offline is set)" in line for line in lines)
    assert any(line.startswith("-> put them below data") and "UCI has withdrawn" in line for line in lines)
    _, lines = doctor(capsys, "--config", "mirror=elsewhere")
    assert "warn mirror: there is no folder elsewhere" in lines


def test_slurm(folder, capsys):
    program(folder, "sbatch", "exit 0")
    program(folder, "sinfo", "echo 'no controller' >&2; exit 1")
    _, lines = doctor(capsys)
    assert "warn SLURM: sinfo does not answer: no controller" in lines
    program(folder, "sinfo", "echo 'main up 3'")
    _, lines = doctor(capsys)
    assert "ok SLURM: partitions main (up, 3 nodes): snakemake --profile slurm" in lines


@pytest.mark.parametrize(("sbatch", "state"), [(True, "warn"), (False, "ok")])
def test_a_plugin_that_a_profile_lacks_is_named(folder, capsys, monkeypatch, sbatch, state):
    if sbatch:
        program(folder, "sbatch", "exit 0")
    plugin, found = "snakemake-executor-plugin-slurm", command.version

    def version(name):
        if name == plugin:
            raise command.PackageNotFoundError(name)
        return found(name)

    monkeypatch.setattr(command, "version", version)
    _, lines = doctor(capsys)
    at = lines.index(f"{state} --profile slurm: {plugin} is missing")
    assert lines[at + 1] == '-> for a cluster: python -m pip install -e ".[slurm]"'


def test_cores_that_are_not_for_this_process(folder, capsys, monkeypatch):
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    _, lines = doctor(capsys)
    assert any(re.match("ok cores: 1\\b.*snakemake --cores 1 ", line) for line in lines)


@pytest.mark.parametrize(
    ("missing", "command"),
    [
        (["numpy", "yaml", "matplotlib"], ["status"]),
        (["yaml", "pydantic"], ["check-method", "attop.SoftTop"]),
    ],
)
def test_it_runs_where_packages_are_missing(missing, command):
    code = (
        f"import sys\nfor name in {missing}: sys.modules[name] = None\n"
        f"from attop_bench.cli import doctor\nfrom attop_bench.cli.main import main\nprint(main({command}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "1\n", done.stderr
    assert "needs the Python package" in done.stderr
    assert "Traceback" not in done.stderr

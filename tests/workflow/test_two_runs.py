"""Two working directories with one folder of results."""

import shutil
import subprocess
import sys

from attop_bench.run.output import lock_output
from support.small_run import ONE, SMALL, snakemake

PREPARED = "data/wdbc/dataset.npz"

HOLD = """
import sys, time
from attop_bench.run.output import lock_output
print(lock_output(sys.argv[1]) or "held", flush=True)
time.sleep(600)
"""


def holding(folder, working_directory):
    """Start a process that holds a folder of results."""
    working_directory.mkdir()
    command = [sys.executable, "-c", HOLD, str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=working_directory)
    assert process.stdout.readline() == "held\n"
    return process


def test_a_folder_of_results_is_one_runs_at_a_time(tmp_path):
    output, config = tmp_path / "shared", {**ONE, "output": str(tmp_path / "shared")}
    other = holding(output, tmp_path / "b")
    refusal = lock_output(output)
    for word in (str(output), f"process {other.pid} on", str(tmp_path / "b"), "--config output="):
        assert word in refusal
    status, printed = snakemake(tmp_path / "b", "--cores", "1", config=config)
    assert status != 0
    assert "Another run writes to" in printed
    assert {path.name for path in output.iterdir()} == {".lock", ".attop.json"}
    status, printed = snakemake(tmp_path / "b", "--cores", "1", "-n", config=config)
    assert status == 0, printed
    other.kill()
    other.wait()
    status, printed = snakemake(tmp_path / "b", "--cores", "1", output / PREPARED, config=config)
    assert status == 0, printed


def test_results_of_another_configuration_are_refused(finished, tmp_path):
    """Snakemake's memory of them is in the first working directory, and no record agrees."""
    output = str(finished / "results")
    status, printed = snakemake(tmp_path, "--cores", "1", "-n", config={**SMALL, "output": output, "seed": 7})
    assert status != 0
    words = " ".join(printed.split())
    for word in (f"{output} holds results of {finished} that", "--config output=FOLDER", "delete"):
        assert word in words


def test_only_the_working_directory_of_the_last_run_goes_on_before_anything_is_trained(tmp_path):
    def run(name, seed, *options):
        config = {**ONE, "output": "../shared", "seed": seed}
        return snakemake(tmp_path / name, "--cores", "1", *options, "../shared/" + PREPARED, config=config)

    status, output = run("a", 0)
    assert status == 0, output
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    for name, seed, refused in (("b", 1, False), ("a", 2, True), ("b", 3, False)):
        status, output = run(name, seed)
        assert (status != 0) == refused, output
    shutil.rmtree(tmp_path / "b/.snakemake")
    status, output = run("b", 3, "-n")
    assert status != 0
    assert "does not know" in " ".join(output.split())

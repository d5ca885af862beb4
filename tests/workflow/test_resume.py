"""Killed at any time, the same command goes on and ends with the same results."""

import json
import os
import subprocess
import sys

import pandas as pd
import pytest
from benchmarks.endurance.kill import kill_and_resume, scores

from support.small_run import ONE, SMALL, snakemake

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes below /proc")
EVALUATED = "results/evaluation/wdbc/evaluation.parquet"


def test_killed_runs_go_on(finished, tmp_path):
    config = {**SMALL, "datasets": SMALL["datasets"][:1]}
    made = [f"results/evaluation/wdbc/{table}.parquet" for table in ("evaluation", "trace")]
    killed = kill_and_resume(tmp_path / "killed", config, times=2, seed=2, longest=6, targets=made)
    assert len(killed) == 2
    tables = [file for file in finished.glob("results/evaluation/wdbc/*.parquet") if file.stem != "runs"]
    files = [*finished.glob("results/train/wdbc/*/*/scores.npz"), *tables]
    assert len(files) == 6 + 7
    for file in files:
        assert (tmp_path / "killed" / file.relative_to(finished)).read_bytes() == file.read_bytes(), file


def test_full_disk(finished, tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a small file system can be mounted by root only")
    config = {**ONE, "metrics": ["precision@k"]}
    try:
        (folder / "rest").write_bytes(bytes((8 << 20) - (160 << 10)))
        assert snakemake(folder, "--cores", "2", config=config)[0] != 0
        (folder / "rest").unlink()
        for record in folder.glob("results/train/*/*/*/record.json"):
            assert json.loads(record.read_text())["status"] == "ok"
        status, output = snakemake(folder, "--cores", "2", EVALUATED, config=config)
        assert status == 0, output
        found = scores(folder)
        assert found == {name: scores(finished)[name] for name in found}
        here, there = (pd.read_parquet(run / EVALUATED) for run in (folder, finished))
        there = there.query("method == 'logistic-regression' and metric == 'precision@k'")
        assert here.to_json(orient="records") == there.to_json(orient="records")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)

"""Two working directories with one folder of results."""

import json
import subprocess

import pytest

from attop.bench.locks import hold
from support.small_run import SMALL, snakemake

ONE = {**SMALL, "datasets": SMALL["datasets"][:1], "methods": SMALL["methods"][2:], "trace": False}


def dead(identity):
    ended = subprocess.Popen(["true"])
    ended.wait()
    return {**identity, "pid": ended.pid}


def restarted(identity):
    machine, _, space = identity["where"]
    return {**identity, "where": [machine, "another boot", space]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda claim: claim, ["Another run writes to", "--config output=", "stop it (process"]),
        (dead, []),
        (restarted, []),
        (lambda claim: {**claim, "started": "1"}, []),  # the number belongs to another process
        (lambda claim: {**dead(claim), "where": ["elsewhere"]}, ["no longer at work, delete", "host.1.json"]),
        (lambda claim: {}, ["no longer at work, delete", "host.1.json"]),
    ],
    ids=["at work", "gone", "machine restarted", "number taken", "other host", "damaged"],
)
def test_a_folder_of_results_is_one_runs_at_a_time(tmp_path, change, words):
    assert hold(tmp_path) == ""
    (mine,) = (tmp_path / ".claims").iterdir()
    other = mine.with_name("host.1.json")
    mine.rename(other)
    other.write_text(json.dumps(change(json.loads(other.read_text()))))
    said = hold(tmp_path)
    assert bool(said) == bool(words)
    assert all(word in said for word in words)
    assert other.exists() == bool(words)
    assert mine.exists() != bool(words)  # who is refused claims nothing


def test_a_run_does_not_write_where_another_does(tmp_path):
    config = {**ONE, "output": str(tmp_path / "shared")}
    assert hold(config["output"]) == ""  # this process stands for the other run
    (claim,) = (tmp_path / "shared/.claims").iterdir()
    status, output = snakemake(tmp_path / "b", "--cores", "1", config=config)
    assert status != 0
    assert "Another run writes to" in output
    assert list((tmp_path / "shared").iterdir()) == [claim.parent]
    status, output = snakemake(tmp_path / "b", "--cores", "1", "-n", config=config)
    assert status == 0, output
    claim.unlink()
    status, output = snakemake(tmp_path / "b", "--cores", "1", "--until", "check", config=config)
    assert status == 0, output
    assert not (tmp_path / "shared/.claims").exists()

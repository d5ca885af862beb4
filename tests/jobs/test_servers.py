"""Servers: in a job of SLURM, with and without a process that adopts them; how many calls they work on."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from attop_bench.jobs.supervise import ADOPTER

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="servers are Linux only")

JOB = """
from attop_bench.jobs.limits import Limits
from attop_bench.jobs.server import run_in_process

print(run_in_process("os.path.join", "x", "log", Limits(20, 1000)).status, flush=True)
"""

ADOPTS = f"""
import subprocess, sys, time
from attop_bench.jobs.supervise import adopt_servers

adopt_servers()
subprocess.run([sys.executable, "-c", {JOB!r}], check=True)
time.sleep(60)
"""

ONE_PROCESSOR = """
import os
from concurrent.futures import ThreadPoolExecutor
from attop_bench.jobs.limits import Limits
from attop_bench.jobs.server import run_in_process
from attop_bench.jobs.supervise import adopt_servers

def call(number):
    alone = ["sh", "-c", "mkdir busy && sleep 0.2 && rmdir busy"]
    return run_in_process("subprocess.check_call", alone, f"log{number}", Limits(20, 1000)).status

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
adopt_servers()
with ThreadPoolExecutor(4) as pool:
    print(*pool.map(call, range(4)), flush=True)
"""


def start(code, folder):
    kept = {name: value for name, value in os.environ.items() if name not in (ADOPTER, "ATTOP_WARM")}
    environment = {**kept, "SLURM_JOB_ID": folder.name, "TMPDIR": str(folder)}
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def folder(tmp_path_factory):
    """A short path: that of a socket has 107 characters at most."""
    return tmp_path_factory.mktemp("job")


def sockets(folder):
    return [path for path in folder.glob("attop-*/*") if path.is_socket()]


def test_it_is_in_the_accounts_of_the_job_and_ends_with_it(folder):
    with start(ADOPTS, folder) as adopter:
        assert adopter.stdout.readline() == "done\n"
        (server,) = [
            process
            for process in psutil.Process(adopter.pid).children()
            if process.status() != psutil.STATUS_ZOMBIE and "-P" in process.cmdline()
        ]
        assert len(sockets(folder)) == 1
        adopter.kill()
    assert server.wait(timeout=10) in (None, 0)  # known where this process adopted it
    assert not sockets(folder)


def test_nobody_to_adopt_it_no_server(folder):
    with start(JOB, folder) as job:
        assert job.stdout.readline() == "done\n"
    time.sleep(0.1)
    assert not sockets(folder)


def test_as_many_calls_at_a_time_as_there_are_processors(folder):
    with start(ONE_PROCESSOR, folder) as client:
        assert client.stdout.readline() == "done done done done\n"
        assert len(sockets(folder)) == 1

"""Servers: a script on one is as without it; in a job of SLURM; how many scripts they work on."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from attop_bench.jobs.client import ADOPTER
from support.client import CLIENT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="servers are Linux only")

JOB = """
from attop_bench.jobs.limits import Limits
from attop_bench.jobs.server import run_in_process

print(run_in_process({function!r}, {argument!r}, "log", Limits(20, 1000)).status, flush=True)
"""
ADOPTS = f"""
import subprocess, sys, time
from attop_bench.jobs.supervise import adopt_servers

adopt_servers()
subprocess.run([*{CLIENT!r}, "job.py"], check=True)
time.sleep(60)
"""
BUSY = "import os, time; os.mkdir('busy'); time.sleep(0.2); os.rmdir('busy'); print('done')"
ONE_PROCESSOR = f"""
import os, subprocess
from concurrent.futures import ThreadPoolExecutor
from attop_bench.jobs.supervise import adopt_servers

os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})
adopt_servers()
with ThreadPoolExecutor(4) as pool:
    call = lambda _: subprocess.run([*{CLIENT!r}, "job.py"], capture_output=True, text=True).stdout.strip()
    print(*pool.map(call, range(4)), flush=True)
"""


def start(command, folder, **environment):
    kept = {name: value for name, value in os.environ.items() if name not in (ADOPTER, "ATTOP_WARM")}
    environment = {**kept, "TMPDIR": str(folder), **environment}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, stdin=pipe, text=True
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A short path: that of a socket has 107 characters at most."""
    return tmp_path_factory.mktemp("job")


@pytest.fixture
def own_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("job")


def sockets(folder):
    return [path for path in folder.glob("attop-*/*") if path.is_socket()]


def job(folder, function="os.path.join", argument="x"):
    (folder / "job.py").write_text(JOB.format(function=function, argument=argument))


def test_it_is_in_the_accounts_of_the_job_and_ends_with_it(own_folder):
    job(own_folder)
    with start([sys.executable, "-c", ADOPTS], own_folder, SLURM_JOB_ID="1") as adopter:
        assert adopter.stdout.readline() == "done\n"
        (server,) = [
            process
            for process in psutil.process_iter(["ppid", "cmdline"])  # leaves out those that end meanwhile
            if process.info["ppid"] == adopter.pid and "-P" in (process.info["cmdline"] or ())
        ]
        assert len(sockets(own_folder)) == 1
        adopter.kill()
    assert server.wait(timeout=10) in (None, 0)  # known where this process adopted it
    assert not sockets(own_folder)


def test_nobody_to_adopt_it_no_server(own_folder):
    job(own_folder)
    with start([*CLIENT, "job.py"], own_folder, SLURM_JOB_ID="1") as client:
        assert client.stdout.readline() == "done\n"
    assert not sockets(own_folder)


def test_as_many_scripts_at_a_time_as_there_are_processors(own_folder):
    (own_folder / "job.py").write_text(BUSY)
    with start([sys.executable, "-c", ONE_PROCESSOR], own_folder) as client:
        assert client.stdout.readline() == "done done done done\n"
        assert len(sockets(own_folder)) == 1


ABOUT = """
import os, sys
print(__name__, sys.argv, os.getcwd(), os.environ["TMPDIR"], sys.path[0], sys.stdin.read())
"""


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (ABOUT, 0),
        ("import sys; sys.exit(3)", 3),
        ("raise SystemExit('words')", 1),
        ("raise SystemExit", 0),
        ("1 / 0", 1),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", -signal.SIGSEGV),
    ],
)
def test_a_script_is_as_without_a_server(folder, code, status):
    script = folder / "script.py"
    script.write_text(code)
    found = []
    for warm in "01":
        with start([*CLIENT, str(script), "again"], folder, ATTOP_WARM=warm) as client:
            printed, said = client.communicate("typed")
        without_frames = [line for line in said.splitlines() if not line.startswith("  ")]
        found.append((client.returncode, printed, without_frames))
    assert found[0] == found[1]
    assert found[0][0] == status


def test_a_script_has_its_own_time_zone(folder):
    (folder / "job.py").write_text("import time; print(time.localtime(0).tm_hour)")
    for zone, hour in (("UTC0", "0\n"), ("XYZ-5", "5\n")):
        with start([*CLIENT, "job.py"], folder, TZ=zone) as client:
            assert client.stdout.readline() == hour


@pytest.mark.parametrize("apart", [False, True])
def test_a_script_ends_with_its_client(folder, apart):
    sleep = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    if apart:
        job(folder, "subprocess.check_call", ["sh", "-c", "echo $$ > pid; sleep 600"])
    else:
        (folder / "job.py").write_text(sleep)
    with start([*CLIENT, "job.py"], folder) as client:
        if apart:
            while not (folder / "pid").exists() or not (pid := (folder / "pid").read_text()):
                time.sleep(0.02)
        else:
            pid = client.stdout.readline()
        client.kill()
    until = time.monotonic() + 10
    while psutil.pid_exists(int(pid)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not psutil.pid_exists(int(pid))

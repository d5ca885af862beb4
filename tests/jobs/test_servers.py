"""Servers: a script on one is as without it; in a job of SLURM; how many scripts they work on."""

import ctypes
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from attop_bench.jobs.client import ADOPTER, why_cold
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


def limit(kind):
    """Return a function that limits a process, so that it still works."""

    def change():
        _, most = resource.getrlimit(kind)
        less = 1 << 40 if most == resource.RLIM_INFINITY else most // 2
        resource.setrlimit(kind, (less, less))

    return change


def without_privileges():
    ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS of Linux


def of_another_host():
    """In a namespace of host names."""
    if ctypes.CDLL(None).unshare(0x04000000):
        os._exit(77)
    socket.sethostname("another")


def least(name, value):
    return lambda: Path(f"/proc/self/{name}").write_text(value)


#: What a process inherits, and others would get from its server.
LIMITS = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_STACK")
INHERITED = {kind: limit(getattr(resource, kind)) for kind in LIMITS}
INHERITED |= {
    "umask": lambda: os.umask(0o37),
    "nice": lambda: os.nice(3),
    "affinity": lambda: os.sched_setaffinity(0, {max(os.sched_getaffinity(0))}),
    "policy": lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)),
    "environment": lambda: os.environ.update(ANYTHING="else"),
    "ignored signal": lambda: signal.signal(signal.SIGUSR2, signal.SIG_IGN),
    "score": least("oom_score_adj", "500"),
    "privileges": without_privileges,
}
BY_ROOT = {
    "groups": lambda: os.setgroups([12, 13]),
    "namespace": of_another_host,
    "group": lambda: os.setgid(12),
}
SEEN = """
import os, resource, signal
kinds = sorted(kind for kind in dir(resource) if kind.startswith("RLIMIT_"))
umask = os.umask(0)
limits = [resource.getrlimit(getattr(resource, kind)) for kind in kinds]
status = [line for line in open("/proc/self/status") if line.startswith(("NoNew", "SigIgn"))]
score = open("/proc/self/oom_score_adj").read()
print(limits, umask, os.nice(0), os.sched_getaffinity(0), os.sched_getscheduler(0))
print(os.environ.get("ANYTHING"), status, score, os.uname().nodename, os.getgroups(), os.getgid())
"""


def become_client(folder, output, warm, change):
    """Replace this process by a client of `SEEN`, after a change to it."""
    os.chdir(folder)
    with open(output, "w") as file:
        os.dup2(file.fileno(), 1)
    os.environ.update(TMPDIR=str(folder), ATTOP_WARM=warm)
    os.environ.pop(ADOPTER, None)
    if change:
        change()
    os.execv(CLIENT[0], [*CLIENT, "seen.py"])


@pytest.mark.parametrize("what", [*INHERITED, *BY_ROOT])
def test_a_script_inherits_of_its_client_not_of_the_one_that_started_the_server(what, folder):
    """Run by one client, by one that differs in `what`, and by one as the first again."""
    if what in BY_ROOT and os.geteuid() != 0:
        pytest.skip("root alone may change it")
    change = {**INHERITED, **BY_ROOT}[what]
    (folder / "seen.py").write_text(SEEN)
    found = []
    for warm, differs in (("1", False), ("1", True), ("0", True), ("1", False)):
        pid = os.fork()
        if pid == 0:
            try:
                become_client(folder, f"out{len(found)}", warm, change if differs else None)
            finally:
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if status == 77:
            pytest.skip("this machine does not allow it")
        assert status == 0
        found.append((folder / f"out{len(found)}").read_text())
    first, other, cold, again = found
    assert other == cold
    assert first == again
    assert first != other


def test_what_a_script_starts_ends_with_it_and_gets_no_server(own_folder):
    """Nor does a client that it starts, which would leave the script's limits behind."""
    inner = "import os; print(os.getppid(), flush=True)"
    (own_folder / "inner.py").write_text(inner)
    outer = f"""
import os, subprocess
subprocess.Popen(["sh", "-c", "setsid sleep 600 & echo $! > daemon"]).wait()
print(os.getpid(), subprocess.check_output({[*CLIENT, "inner.py"]!r}, text=True), flush=True)
"""
    (own_folder / "job.py").write_text(outer)
    with start([*CLIENT, "job.py"], own_folder) as client:
        script, parent = client.stdout.readline().split()
        client.wait()
    assert parent == script  # who runs inner.py is the process that the script started
    assert_gone(int((own_folder / "daemon").read_text()))


def assert_gone(pid):
    """It was killed, and init has to reap it."""
    end = time.monotonic() + 30
    while psutil.pid_exists(pid) and time.monotonic() < end:
        time.sleep(0.02)
    assert not psutil.pid_exists(pid)


def test_a_script_whose_reader_is_gone_runs_once_and_leaves_nothing(own_folder):
    script = """
import os, subprocess
subprocess.Popen(["sh", "-c", "setsid sleep 600 & echo $! > daemon"]).wait()
print(os.getpid(), file=open("runs", "a"))
print("read", flush=True)
while not os.path.exists("closed"):
    pass
print("not read", flush=True)
"""
    (own_folder / "job.py").write_text(script)
    client = start([*CLIENT, "job.py"], own_folder)
    assert client.stdout.readline() == "read\n"
    client.stdout.close()
    client.stderr.close()
    (own_folder / "closed").touch()
    assert client.wait() == 1
    assert len((own_folder / "runs").read_text().split()) == 1
    assert_gone(int((own_folder / "daemon").read_text()))


@pytest.mark.parametrize("apart", [False, True])
def test_what_a_job_starts_goes_without_servers(own_folder, apart):
    job(own_folder, "subprocess.check_call", ["sh", "-c", "echo $ATTOP_WARM > warm"])
    with start([*CLIENT, "job.py"], own_folder, **({"ATTOP_WARM": "0"} if apart else {})) as client:
        assert client.stdout.readline() == "done\n"
    assert (own_folder / "warm").read_text() == "0\n"


@pytest.mark.parametrize(("mode", "said"), [(0o700, ""), (0o2700, ""), (0o755, "not a folder that its")])
def test_a_run_without_servers_says_why(own_folder, monkeypatch, mode, said):
    monkeypatch.setenv("TMPDIR", str(own_folder))
    monkeypatch.setenv("ATTOP_WARM", "1")
    folder = own_folder / f"attop-{os.getuid()}"
    folder.mkdir()
    folder.chmod(mode)
    found = why_cold("", ())
    assert said in found
    assert bool(said) == bool(found)


def test_a_path_too_long_for_a_socket_is_said(own_folder, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(own_folder / ("long" * 25)))
    monkeypatch.setenv("ATTOP_WARM", "1")
    assert "set TMPDIR" in why_cold("", ())


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

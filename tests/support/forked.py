"""Snakemake and attop in a forked process: it costs a third of a new one, which imports the same again."""

import atexit
import importlib
import multiprocessing
import os
import resource
import sys
import tempfile
import threading

from support import ROOT

CONTEXT = multiprocessing.get_context("forkserver")
#: What takes long to import, and nothing of attop: each run imports that as it then is.
OTHERS = "snakemake.cli snakemake.report.html_reporter smart_open nbformat pydantic sklearn.linear_model"
CONTEXT.set_forkserver_preload(OTHERS.split())
#: Module of a program's ``main``, if that is not of its own name.
PROGRAMS = {"snakemake": "snakemake.cli", "attop": "attop_bench.cli.main"}


def be(program, arguments, folder, environment, output, space):
    """Be a program in a folder, with the path that ``python -m`` would have, and print into a file."""
    if space:
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
    with open(output, "a") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for name in ("PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER"):  # else each had servers of its own
        os.environ.pop(name, None)
    of_tests = {str(ROOT), str(ROOT / "tests")}  # by pytest's `pythonpath`
    given = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:] = [str(folder), *given, *(path for path in sys.path if path not in of_tests)]
    try:
        sys.exit(importlib.import_module(PROGRAMS.get(program, program)).main(arguments))
    finally:  # in Python's order: pools of threads and processes end first
        threading._shutdown()
        atexit._run_exitfuncs()


def run(program, arguments, folder, environment=os.environ, space=None):
    """Run a program in a folder, in so many bytes; return its exit status and what it printed."""
    with tempfile.NamedTemporaryFile("r") as output:
        given = [str(argument) for argument in arguments], folder, dict(environment), output.name, space
        process = CONTEXT.Process(target=be, args=(program, *given))
        process.start()
        process.join(600)
        process.kill()  # where it has not ended
        process.join()
        return process.exitcode, output.read()

"""Snakemake in a forked process: it costs a third of a new one, which imports the same again."""

import atexit
import multiprocessing
import os
import sys
import tempfile

from support import ROOT

CONTEXT = multiprocessing.get_context("forkserver")
#: What takes long to import, and nothing of attop: each run imports that as it then is.
CONTEXT.set_forkserver_preload(["snakemake.cli", "pandas", "pyarrow", "pydantic", "sklearn.linear_model"])


def be_snakemake(arguments, folder, environment, output):
    """Be ``python -m snakemake`` in a folder, with the path it would have, and print into a file."""
    with open(output, "a") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    of_tests = {str(ROOT), str(ROOT / "tests")}  # by pytest's `pythonpath`
    given = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:] = [str(folder), *given, *(path for path in sys.path if path not in of_tests)]
    from snakemake.cli import main

    try:
        main(arguments)
    finally:
        atexit._run_exitfuncs()


def snakemake(arguments, folder, environment=os.environ):
    """Run Snakemake in a folder; return its exit status and what it printed."""
    with tempfile.NamedTemporaryFile("r") as output:
        given = [str(argument) for argument in arguments], folder, dict(environment), output.name
        process = CONTEXT.Process(target=be_snakemake, args=given)
        process.start()
        process.join(600)
        process.kill()  # where it has not ended
        process.join()
        return process.exitcode, output.read()

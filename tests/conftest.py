"""The markers `core` and `workflow`, and how many processes and threads run the tests."""

import fcntl
import gc
import os
from pathlib import Path

import pytest

# A process a core leaves no core to threads of the BLAS: waiting for one, calls of microseconds take
# milliseconds. The variables are read when NumPy is imported; the other processes inherit them.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

#: Files of ``pytest -m core``: less than 20 seconds of processor time together.
CORE = {
    "metrics/test_metrics",
    "metrics/test_top",
    "surrogates/test_surrogate_values",
    "solvers/test_bundle",
    "statistics/test_ranks",
    "statistics/test_two_methods",
    "experiment/test_folds_within_a_fit",
    "run/test_config",
    "docs/test_public_names",
    "test_bibliography",
    "test_budget",
    "test_wording",
}


def in_core(path):
    """Whether a file of tests is one of the core's."""
    return path.relative_to(Path(__file__).parent).with_suffix("").as_posix() in CORE


def pytest_ignore_collect(collection_path, config):
    """Import no other files for the core's sake."""
    core_alone = config.option.markexpr == "core" and collection_path.name.startswith("test_")
    return (core_alone and not in_core(collection_path)) or None


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep modules and ten thousand tests, which stay to the end, out of every later search for garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Mark whole folders and the core's files; other tests carry the marker `workflow` themselves.

    Folders of the longest files come first: the processes then end together, with quick ones.
    """
    longest = ("workflow", "jobs", "docs", "tables")
    items.sort(key=lambda item: item.path.parent.name not in longest)
    for item in items:
        if item.path.parent.name in ("workflow", "slurm"):
            item.add_marker(pytest.mark.workflow)
        elif in_core(item.path) and not item.get_closest_marker("workflow"):
            item.add_marker(pytest.mark.core)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A finished run of SMALL, one for all processes of a session: to be read or copied, not changed."""
    from support.small_run import snakemake

    of_process = tmp_path_factory.getbasetemp()
    of_session = of_process.parent if "PYTEST_XDIST_WORKER" in os.environ else of_process
    with (of_session / "finished.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (of_session / "finished/results/report.html").exists():
            status, output = snakemake(of_session / "finished", "--cores", "2")
            assert status == 0, output
    return of_session / "finished"


def pytest_xdist_auto_num_workers(config):
    """A worker starts in seconds: folders are worth some, files named one by one and the core are not."""
    folders = any(Path(arg).is_dir() for arg in config.args)
    return min(os.cpu_count(), 4) if folders and config.option.markexpr != "core" else 0

"""The marker `workflow`, how many processes and threads run the tests, and what they need not do."""

import gc
import os
from pathlib import Path

import pytest

# A process a core leaves no core to threads of the BLAS: waiting for one, calls of microseconds take
# milliseconds. The variables are read when NumPy is imported; the other processes inherit them.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")


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
    """Mark whole folders; tests elsewhere carry the marker themselves."""
    for item in items:
        if Path(item.path).parent.name in ("workflow", "slurm"):
            item.add_marker(pytest.mark.workflow)


def pytest_xdist_auto_num_workers(config):
    """A worker starts in seconds: folders are worth some, files named one by one are not."""
    return min(os.cpu_count(), 4) if any(Path(arg).is_dir() for arg in config.args) else 0

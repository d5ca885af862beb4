"""The marker `workflow`, and how many processes run the tests."""

import os
from pathlib import Path

import pytest


def pytest_collection_modifyitems(items):
    """Mark whole folders; tests elsewhere carry the marker themselves."""
    for item in items:
        if Path(item.path).parent.name in ("workflow", "slurm"):
            item.add_marker(pytest.mark.workflow)


def pytest_xdist_auto_num_workers(config):
    """A worker starts in seconds: folders are worth some, files named one by one are not."""
    return min(os.cpu_count(), 4) if any(Path(arg).is_dir() for arg in config.args) else 0

"""The marker `workflow`: what takes seconds by nature. `-m "not workflow"` is the quick part."""

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items):
    """Mark whole folders; tests elsewhere carry the marker themselves."""
    for item in items:
        if Path(item.path).parent.name in ("workflow", "slurm"):
            item.add_marker(pytest.mark.workflow)

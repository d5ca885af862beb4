"""What every test gets: markers by storey, so that `-m "not workflow"` is the quick part."""

from pathlib import Path

import pytest

#: Folders whose tests start Snakemake, and files elsewhere that do.
_WORKFLOW = {"workflow", "slurm"}


def pytest_collection_modifyitems(items):
    """Mark the tests that run the workflow."""
    for item in items:
        if Path(item.path).parent.name in _WORKFLOW:
            item.add_marker(pytest.mark.workflow)

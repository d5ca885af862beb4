"""What tests of several storeys share."""

from pathlib import Path

#: The repository.
ROOT = Path(__file__).parents[2]
#: Folder beside the repository with data sets that may not be redistributed; tests that need it skip without.
SHARED = ROOT.parent / "shared"

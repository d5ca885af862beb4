import os


def beside(path):
    """A file of the repository; Snakemake fetches it where that is at an address."""
    if os.path.isdir(HERE):
        return os.path.normpath(os.path.join(HERE, "..", str(path)))
    return workflow.source_path(f"../{path}")

"""A model taken away, without list and card."""

from attop_bench.deploy.package import write_model, write_notes


def write_package(folder, package):
    """Write a model and its notes; return what `write_model` does."""
    untrusted = write_model(folder, package)
    write_notes(folder, package)
    return untrusted

"""The folds of a run, without the file they lie in."""

from attop_bench.data.splits.protocols import make_folds


def cut(dataset, split):
    """Return the folds `split` describes, as `Job.split` and `Config.split` give it."""
    return make_folds(split["kind"], dataset, split["repeat"], split["seed"], **split["options"])

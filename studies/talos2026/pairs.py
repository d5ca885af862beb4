"""Users and items as Talos splits them: files of training, validation and test pairs."""

from __future__ import annotations

import numpy as np

from attop.extending import Ints
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.catalogue import Kind, Stage
from attop_bench.data.parameters import Count, checked
from attop_bench.files import StrPath
from studies.slatk2025.pairs import lists_of


@checked("dataset parted pairs")
def parted_pairs(train: StrPath, validation: StrPath, test: StrPath, *, n_others: Count = 20) -> Dataset:
    """Return the pairs of three text files as lists of users; see `studies.slatk2025.pairs.user_pairs`.

    A line is a user and an item by their codes. Part 0 trains, part 1 validates, part 2 tests.
    """
    parts = [_read(file) for file in (train, validation, test)]
    facts = {"title": "Users and items", "positive": "the user has a pair with the item"}
    return lists_of("pairs", parts, n_others, facts)


def _read(file: StrPath) -> Ints:
    try:
        return np.loadtxt(file, dtype=np.int64, ndmin=2)
    except (OSError, ValueError) as error:
        raise DatasetError(
            f"dataset {file}: no text file with a user and an item in each line: {error}; download it again"
        ) from None


PAIRS = Kind("parted-pairs", (Stage("dataset", parted_pairs),), ("train", "validation", "test"))

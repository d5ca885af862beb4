"""The protocols that split rows into training, inner and test parts, pure functions of a seed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attop.experiment import Fold, stratified, whole_entities, whole_groups
from attop.extending import Ints, derive_seed, did_you_mean
from attop_bench.data.base import Dataset
from attop_bench.data.errors import DatasetError
from attop_bench.data.parameters import complete, integer
from attop_bench.data.splits.prequential import latest_window, prequential
from attop_bench.data.splits.random import given, holdout, windows, within_groups

#: Parameter of a protocol that is a column of the data -> message where the data lack it.
_COLUMNS = {
    "groups": "needs groups and the data have none",
    "part": "needs data that come in parts and these do not: name the file of the test part",
    "entity": "needs entities and the data name none: give the column of the customers as entity",
    "day": "needs the day of each row and the data do not have it: give the column of the dates as day",
    "duplicate_group": "",
}
#: More inner folds would be a slip: each trains every candidate.
_MOST_INNER = 1000
#: Parameters of a protocol's function that a configuration does not give.
_NO_OPTIONS = ("y", "seed", *_COLUMNS)


@dataclass(frozen=True)
class Protocol:
    """A way of splitting."""

    #: ``function(y, *, seed, **columns, **options)`` returns the folds of one repeat.
    function: Callable[..., list[Fold]]
    #: Half a sentence for the reference of the configuration and for reports.
    summary: str
    #: Repeats differ.
    drawn: bool = True
    #: Each of the folds tests once, after training on the others.
    crossed: bool = False

    @property
    def name(self) -> str:
        """Name in a configuration: that of the function."""
        return self.function.__name__.replace("_", "-")

    def options(self, given: Mapping[str, object]) -> dict[str, Any]:
        """Fill in the defaults of `given`; raise `DatasetError` if a name is unknown."""
        return complete(
            self.function, given, f"protocol {self.name!r}", reserved=_NO_OPTIONS
        )

    @property
    def takes(self) -> list[str]:
        """Columns that it uses where the data have them."""
        return [n for n in self._parameters if n in _COLUMNS]

    @property
    def needs(self) -> list[str]:
        """Columns that the data must have."""
        return [
            n
            for n in self.takes
            if self._parameters[n].default is inspect.Parameter.empty
        ]

    @property
    def counted_by(self) -> str | None:
        """Option with the number of folds of a repeat; None if there is one fold."""
        return next(
            (n for n in ("n_folds", "n_sets") if n in self._parameters), None
        )

    @property
    def defaults(self) -> dict[str, object]:
        """Options and their defaults."""
        return {
            name: p.default
            for name, p in self._parameters.items()
            if name not in _NO_OPTIONS
        }

    @property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.function).parameters


#: Protocols by name.
PROTOCOLS: Mapping[str, Protocol] = {
    p.name: p
    for p in (
        Protocol(
            stratified,
            "cross-validation in stratified folds: each tests once, the others train",
            crossed=True,
        ),
        Protocol(
            windows,
            "disjoint sets of items, of which a few consecutive ones train and the others test (AATP)",
        ),
        Protocol(holdout, "items drawn at random train, the others test"),
        Protocol(
            within_groups,
            "the items of each group are split into training, validation and test (PAP)",
        ),
        Protocol(
            whole_groups,
            "cross-validation over whole groups, so that the test is on new ones",
            crossed=True,
        ),
        Protocol(
            whole_entities,
            "cross-validation over whole entities, such as customers, which are ranked in one list",
            crossed=True,
        ),
        Protocol(
            prequential,
            "a window of days trains, the days until its labels are known are left out, the next days test; "
            "selection goes forward in time too",
            drawn=False,
        ),
        Protocol(
            given,
            "the parts of the data: the last tests, the one before validates, the others train",
        ),
    )
}


def make_folds(
    kind: str, dataset: Dataset, repeat: int, seed: int, **options: object
) -> list[Fold]:
    """Make the folds of one repeat of a protocol.

    Parameters
    ----------
    kind : str
        A key of `PROTOCOLS`.
    dataset : Dataset
    repeat : int
        Repeats differ in their random numbers alone.
    seed : int
        Of the run. The folds depend on it, the name of the data set, the protocol and the repeat, never on
        a method.
    **options
        Parameters of the protocol's function.
    """
    protocol = _protocol(kind)
    columns = {name: getattr(dataset, name) for name in protocol.takes}
    for name in protocol.needs:
        if columns[name] is None:
            others = ", ".join(
                p.name for p in PROTOCOLS.values() if name not in p.needs
            )
            raise DatasetError(
                f"dataset {dataset.name}: protocol {kind!r} {_COLUMNS[name]}; or use {others}"
            )
    if dataset.duplicate_group is not None and "duplicate_group" not in columns:
        others = ", ".join(
            p.name for p in PROTOCOLS.values() if "duplicate_group" in p.takes
        )
        raise DatasetError(
            f"dataset {dataset.name}: protocol {kind!r} may put rows of one duplicate group, such as copies, "
            f"on both sides of a split: use {others}, or do not ask for duplicate groups (copies_together)"
        )
    filled = protocol.options(options)
    derived = derive_seed(seed, "split", dataset.name, kind, repeat)
    try:
        return protocol.function(dataset.y, seed=derived, **columns, **filled)
    except ValueError as error:
        raise DatasetError(f"dataset {dataset.name}: {error}") from None


def rows_for_the_next(kind: str, dataset: Dataset, **options: object) -> Ints:
    """Select the rows to fit a model for rows to come, in the way the models of the test parts were fitted.

    Where a window of days trains, these are the last such days, and else all rows.
    """
    protocol = _protocol(kind)
    if protocol.function is not prequential:
        return np.arange(len(dataset.y))
    assert dataset.day is not None  # or there would be no folds
    try:
        return latest_window(
            dataset.y, dataset.day, protocol.options(options)["train"]
        )
    except ValueError as error:
        raise DatasetError(f"dataset {dataset.name}: {error}") from None


def count_folds(kind: str, /, **options: object) -> int:
    """Count the folds that a repeat of a protocol has, without looking at data."""
    protocol = _protocol(kind)
    filled = protocol.options(options)
    if filled.get("inner_folds") is not None:
        integer(
            f"protocol {kind!r}",
            "inner_folds",
            filled["inner_folds"],
            1,
            _MOST_INNER,
        )
    if protocol.counted_by is None:
        return 1
    return integer(
        f"protocol {kind!r}", protocol.counted_by, filled[protocol.counted_by], 1
    )


def _protocol(kind: str) -> Protocol:
    if kind not in PROTOCOLS:
        raise DatasetError(
            f"unknown protocol {kind!r}; {did_you_mean(kind, PROTOCOLS)}"
        )
    return PROTOCOLS[kind]

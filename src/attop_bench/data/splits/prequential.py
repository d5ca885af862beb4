"""Splits in time: train on some days, wait until their labels are known, test on the days after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from attop.experiment import Fold, require_classes
from attop.extending import Ints, check_groups, check_labels
from attop_bench.data.errors import DatasetError
from attop_bench.data.parameters import Count, checked

_WHERE = "prequential split"
_Days = Annotated[int, Field(strict=True, ge=0)]


@checked(_WHERE)
def prequential(
    y: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    day: ArrayLike,
    entity: ArrayLike | None = None,
    n_folds: Count = 1,
    train: Count = 7,
    delay: _Days = 7,
    test: Count = 7,
    drop_known: bool = True,
    inner_folds: Count = 2,
    inner_train: Annotated[Count | None, Field()] = None,
    inner_delay: Annotated[_Days | None, Field()] = None,
    inner_test: Annotated[Count | None, Field()] = None,
    seed: int,
) -> list[Fold]:
    """Train on a window of days, leave out the days whose labels are not yet known, test on the next days.

    Test windows follow each other to the end of the data, folds in the order of time. Hyper-parameters are
    selected in the same way further back: the last validation window ends where the training window of the
    fold ends, and rows to select with may lie before it. `groups` and `seed` are not used.

    Parameters
    ----------
    day : array-like of int, shape (n,)
        Day of each row, counted from any day.
    entity : array-like of shape (n,), optional
        Customer, card or machine of each row.
    n_folds : int
        Test windows, in the order of time.
    train, test : int
        Days of the training and of the test window.
    delay : int
        Days between the two: how long it takes until a label is known.
    drop_known : bool
        Leave rows out of a test window whose entity is known to be positive: it has a positive since the
        training window began, more than `delay` days before the row.
    inner_folds : int
        Validation windows.
    inner_train, inner_delay, inner_test : int, optional
        Days of the windows to select with, by default `train`, `delay` and `test`.

    Notes
    -----
    With one fold, and entities that are customers, this is the split of the handbook's chapter 3.

    Differences from the handbook: it selects with windows as long as those of the test, for which the data
    must reach back `train` + `delay` days before the training window.

    References
    ----------
    Le Borgne, Siblini, Lebichot and Bontempi (2022), Reproducible machine learning for credit card fraud
    detection, chapters 3.3 and 5.2.
    """
    outer = _Windows(train, delay, test)
    inner = _Windows(
        inner_train or train,
        delay if inner_delay is None else inner_delay,
        inner_test or test,
        "inner_",
    )
    labels = check_labels(y)
    days = np.asarray(day, dtype=np.int64)
    codes = (
        None
        if entity is None or not drop_known
        else check_groups(entity, len(labels))
    )
    first, end = int(days.min()), int(days.max()) + 1
    outer.require(
        n_folds,
        first,
        end,
        f"{n_folds} folds",
        "lower n_folds, train, delay or test",
    )
    # Where the training window of the first fold ends.
    earliest = end - n_folds * test - delay
    remedy = (
        "lower inner_folds, or give smaller inner_train, inner_delay and inner_test"
    )
    inner.require(
        inner_folds, first, earliest, f"{inner_folds} inner folds of fold 0", remedy
    )

    folds = []
    for f in range(n_folds):
        before = end - (n_folds - 1 - f) * test
        fit, held = outer.rows(labels, days, codes, before, f"fold {f}")
        until = before - test - delay
        pairs = []
        for i in reversed(range(inner_folds)):
            what = f"inner fold {inner_folds - 1 - i} of fold {f}"
            last = until - i * inner.test
            pairs.append(inner.rows(labels, days, codes, last, what))
        folds.append(Fold(fit, held, pairs))
    return folds


def latest_window(y: Ints, day: Ints, train: int) -> Ints:
    """Select the rows of the last `train` days: the training window of the days that come next."""
    rows = np.flatnonzero(day > day.max() - train)
    require_classes(
        y[rows], f"the window of the last {train} days", "give train more days"
    )
    return rows


@dataclass(frozen=True)
class _Windows:
    """A training window, a delay and a test window, in days."""

    train: int
    delay: int
    test: int
    #: What the names of its options begin with.
    prefix: str = ""

    def require(
        self, count: int, first: int, end: int, what: str, remedy: str
    ) -> None:
        """Refuse days from `first` to before `end` if they are too few for so many test windows."""
        needed = self.train + self.delay + count * self.test
        if end - first < needed:
            raise DatasetError(
                f"{_WHERE}: {what} need {needed} days (train {self.train}, delay {self.delay}, test "
                f"{count} x {self.test}), and there are {max(end - first, 0)}: {remedy}"
            )

    def rows(
        self,
        y: Ints,
        days: Ints,
        codes: Ints | None,
        end: int,
        what: str,
    ) -> tuple[Ints, Ints]:
        """Select the rows to train on, and those to test on among the days before `end`."""
        tested = end - self.test
        trained = tested - self.delay
        begin = trained - self.train
        fit = (days >= begin) & (days < trained)
        held = (days >= tested) & (days < end)
        if codes is not None:
            since = np.where(
                (y == 1) & (days >= begin), days, np.iinfo(np.int64).max
            )
            known = np.full(codes.max() + 1, np.iinfo(np.int64).max)
            np.minimum.at(known, codes, since)
            held &= known[codes] >= days - self.delay
        for rows, window, option in (
            (fit, "training", "train"),
            (held, "test", "test"),
        ):
            require_classes(
                y[rows],
                f"the {window} window of {what}",
                f"give {self.prefix}{option} more days",
            )
        return np.flatnonzero(fit), np.flatnonzero(held)

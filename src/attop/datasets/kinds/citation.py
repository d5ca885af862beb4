"""Citation recommendation, as the authors of PAP publish it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attop.datasets.base import Dataset, DatasetError, Unavailable
from attop.datasets.builder_parameters import fraction, integer
from attop.datasets.features.interaction import interaction_features
from attop.datasets.formats.pickled_frame import load_columns
from attop.typing import Floats, Ints

__all__ = ["CONTACTS", "citation_recommendation"]

_WHERE = "dataset citation"
#: What passed between a user and the authors and the conference of a paper.
CONTACTS = (
    "CoAuthorCount",
    "UserAuthorCitationCount",
    "AuthorUserCitationCount",
    "UserCitedConference",
    "UserPublishedInConferenceCount",
)
_WORDS = 50


def citation_recommendation(
    train: str | os.PathLike[str],
    validation: str | os.PathLike[str],
    test: str | os.PathLike[str],
    sha256: Sequence[str] | None = None,
    *,
    min_positives: int = 3,
    min_share: float = 0.1,
) -> Dataset:
    """Read the three tables of papers to cite for papers in progress.

    Parameters
    ----------
    train, validation, test : path
        Pickled tables with the columns ``u_id`` and ``paper_id_written`` (together the user), `CONTACTS`,
        ``0`` to ``49`` (word embedding of the paper in progress), ``50`` to ``99`` (of the paper to
        cite) and ``label``.
    sha256 : three str
        Digests of the files; a pickle is not read without.
    min_positives : int
        Users with fewer positives in a table are left out of it.
    min_share : float
        So are users with a smaller share of positives.

    Returns
    -------
    dataset : Dataset
        155 features; the tables are its parts, users its groups.

    Raises
    ------
    Unavailable
        If no digests are given.
    DatasetError
        If a table has another form or no user is left in it.

    Notes
    -----
    Differences from the paper: it says 157 features, seven of them contacts; the published tables have five
    contacts. Which users stay is not printed; the bounds are those of the authors' published scripts.

    References
    ----------
    Hiranandani et al. (2020), section 7.3.1; Budhiraja et al. (2020), Rich-item recommendations.
    """
    integer(_WHERE, "min_positives", min_positives, 0)
    fraction(_WHERE, "min_share", min_share)
    if sha256 is None:
        raise Unavailable(
            "citation: the tables are pickles, which are not read without a checksum, and none is published",
            "trust the files you have, and give their SHA-256 as sha256: [train, validation, test] in params",
        )
    if len(sha256) != 3:
        raise DatasetError(
            f"{_WHERE}: sha256 must be three digests (train, validation, test), got {sha256!r}"
        )
    tables = [
        _rows(path, digest, min_positives, min_share)
        for path, digest in zip((train, validation, test), sha256, strict=True)
    ]
    X, y, user = (np.concatenate(parts) for parts in zip(*tables, strict=True))
    facts = {
        "title": "Citation recommendation",
        "source": "citation set published with Hiranandani et al. (2020)",
        "licence": "none stated",
        "positive": "paper that is cited",
    }
    part = np.repeat(range(3), [len(table[1]) for table in tables])
    return Dataset("citation", X, y, user, facts, part)


def _rows(
    path: str | os.PathLike[str], digest: str, min_positives: int, min_share: float
) -> tuple[Floats, Ints, NDArray[Any]]:
    """Return features, labels and users of one table."""
    table = load_columns(path, digest)
    words = [str(j) for j in range(2 * _WORDS)]
    missing = [c for c in ("u_id", "paper_id_written", "label", *CONTACTS, *words) if c not in table]
    if missing:
        raise DatasetError(
            f"{_WHERE}: {path} has no column {missing[0]!r}; it has {', '.join(list(table)[:12])}, ...: "
            "give the table as published"
        )
    user = np.array([f"{u}_{p}" for u, p in zip(table["u_id"], table["paper_id_written"], strict=True)])
    y = (table["label"].astype(np.float64) == 1).astype(np.int64)
    codes, size = np.unique(user, return_inverse=True, return_counts=True)[1:]
    positives = np.bincount(codes, weights=y)
    keep = ((positives >= min_positives) & (positives >= min_share * size))[codes]
    if not keep.any():
        raise DatasetError(
            f"{_WHERE}: no user in {path} has {min_positives} positives and a share of {min_share:g}: "
            "lower them"
        )
    columns = np.column_stack([table[c] for c in (*CONTACTS, *words)]).astype(np.float64)[keep]
    contacts, paper, cited = np.split(columns, [len(CONTACTS), len(CONTACTS) + _WORDS], axis=1)
    return np.hstack([contacts, interaction_features(paper, cited)]), y[keep], user[keep]

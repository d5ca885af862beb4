"""Citation: papers to cite for papers in progress (Hiranandani et al. 2020)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from attop.extending import Floats, Ints
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.catalogue import Kind, Stage
from attop_bench.data.columns.features import interaction_features
from attop_bench.data.parameters import Share, checked
from attop_bench.data.reading.pickled import read_pickle

if TYPE_CHECKING:
    import pandas as pd

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
#: Git object id of the archive the authors publish, ``data/citation/citation.tar.gz`` of their repository.
PUBLISHED = "d6f58223a307cc093fd4a11fdb11de00297bdd52"
_TABLES = tuple(f"citation/CitationDataset_{part}.pkl" for part in ("Train", "Val", "Test"))


@checked(_WHERE)
def citation_recommendation(
    archive: str | os.PathLike[str],
    digest: str = PUBLISHED,
    *,
    min_positives: Annotated[int, Field(strict=True, ge=0)] = 3,
    min_share: Share = 0.1,
) -> Dataset:
    """Read the three tables of papers to cite for papers in progress: 155 features, users are groups.

    Parameters
    ----------
    archive : path
        Holds a pickled table for training, validation and test each, with the columns ``u_id`` and
        ``paper_id_written`` (together the user), `CONTACTS`, ``0`` to ``49`` (word embedding of the paper
        in progress), ``50`` to ``99`` (of the paper to cite) and ``label``.
    digest : str
        Of the archive: no pickle of another is read. Default: the git object id of the published one.
    min_positives : int
        Users with fewer positives in a table are left out of it.
    min_share : float
        So are users with a smaller share of positives.

    Notes
    -----
    Differences from the paper: it says 157 features, seven of them contacts; the published tables have five
    contacts. Which users stay is not printed; the bounds are those of the authors' published scripts.

    References
    ----------
    Hiranandani et al. (2020), section 7.3.1; Budhiraja et al. (2020), Rich-item recommendations.
    """
    tables = [_rows(read_pickle(archive, digest, name), name, min_positives, min_share) for name in _TABLES]
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
    table: pd.DataFrame, name: str, min_positives: int, min_share: float
) -> tuple[Floats, Ints, NDArray[Any]]:
    """Return features, labels and users of one table."""
    table.columns = table.columns.map(str)
    words = [str(j) for j in range(2 * _WORDS)]
    if missing := [c for c in ("u_id", "paper_id_written", "label", *CONTACTS, *words) if c not in table]:
        raise DatasetError(
            f"{_WHERE}: {name} has no column {missing[0]!r}; it has {', '.join(list(table)[:12])}, ...: "
            "give the table as published"
        )
    user = np.array([f"{u}_{p}" for u, p in zip(table["u_id"], table["paper_id_written"], strict=True)])
    y = (table["label"].to_numpy(np.float64) == 1).astype(np.int64)
    codes, size = np.unique(user, return_inverse=True, return_counts=True)[1:]
    positives = np.bincount(codes, weights=y)
    keep = ((positives >= min_positives) & (positives >= min_share * size))[codes]
    if not keep.any():
        raise DatasetError(
            f"{_WHERE}: no user in {name} has {min_positives} positives and a share of {min_share:g}: "
            "lower them"
        )
    columns = table[[*CONTACTS, *words]].to_numpy(np.float64)[keep]
    contacts, paper, cited = np.split(columns, [len(CONTACTS), len(CONTACTS) + _WORDS], axis=1)
    return np.hstack([contacts, interaction_features(paper, cited)]), y[keep], user[keep]


CITATION = Kind("citation", (Stage("dataset", citation_recommendation),), ("archive",))

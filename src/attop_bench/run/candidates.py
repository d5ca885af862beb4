"""Scores of the candidates of a search, kept next to the record of a run.

A search that was killed goes on where it was, and one of more candidates trains the new ones alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from attop.experiment import InnerScores
from attop_bench.archives import DAMAGED
from attop_bench.files import StrPath, replacing
from attop_bench.run.parameters import digest_of_value

#: What reading a file raises that is not whole, or of which a byte was changed.
_DAMAGED = (OSError, ValueError, KeyError, *DAMAGED)
#: The folder of the files lies next to the record.
FOLDER = "candidates"


class CandidateFiles:
    """A file for each candidate of a run, named by a digest of all that its scores depend on.

    So one that another method left on the same fold, by the same search, serves as well.

    Parameters
    ----------
    folder : path
        That of a fold's record, below that of the method. Made with the first file.
    depends : str
        A digest of data, method and code, but not of how many candidates there are, nor of what selects.
    """

    def __init__(self, folder: StrPath, depends: str):
        self._folder = Path(folder)
        self._depends = depends

    def read(self, candidate: Mapping[str, object]) -> InnerScores | None:
        """Read the scores of a candidate; None if no whole file of them exists, by any method."""
        *_, fold, folder, name = self._path(candidate).parts
        for path in self._folder.parents[2].glob(f"*/{fold}/{folder}/{name}"):
            with suppress(*_DAMAGED), np.load(path, allow_pickle=False) as file:
                scores = [
                    file[f"fold{number}"] for number in range(int(file["folds"]))
                ]
                return InnerScores(scores, float(file["seconds"]))
        return None

    def write(self, candidate: Mapping[str, object], scores: InnerScores) -> None:
        """Write the scores of a candidate, whole or not at all."""
        self._folder.mkdir(parents=True, exist_ok=True)
        arrays = {
            f"fold{number}": values for number, values in enumerate(scores.scores)
        }
        with replacing(self._path(candidate)) as file:
            np.savez_compressed(
                file,
                allow_pickle=False,
                seconds=scores.seconds,
                folds=len(arrays),
                **arrays,
            )

    def _path(self, candidate: Mapping[str, object]) -> Path:
        return self._folder / f"{digest_of_value([self._depends, candidate])}.npz"

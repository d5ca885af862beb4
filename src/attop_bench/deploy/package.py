"""The folder a model is taken away in: the pipeline twice, what it reads, its list and its card."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import InconsistentVersionWarning

from attop.core.files import read_json, replacing, write_json
from attop.core.top import Top
from attop.core.wording import did_you_mean
from attop.metrics.scorer import scores_of
from attop_bench.data.base import DatasetError
from attop_bench.data.formats import format_of, read_frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HARMLESS", "MODEL", "NOTES", "SAFE_MODEL", "Package", "read_package", "write_package"]

MODEL, SAFE_MODEL, NOTES = "model.joblib", "model.skops", "model.json"
#: Types skops asks to be trusted with that hold no code; an imputer of scikit-learn's has one.
HARMLESS = ["numpy.dtype"]


@dataclass(frozen=True)
class Package:
    """A fitted pipeline and what it reads.

    Attributes
    ----------
    pipeline : Pipeline
    notes : mapping
        ``features`` and ``beside``: names of columns; ``format`` and ``reader``: how files are written;
        ``group``: the column within which rows are ranked, or None; ``top``.
    """

    pipeline: Any
    notes: Mapping[str, Any]

    def rank(self, path: str | Path) -> pd.DataFrame:
        """Return the rows of a file, highest score first, with the columns that are no features.

        Raises
        ------
        DatasetError
            If the file cannot be read or lacks a feature.
        """
        import pandas as pd

        try:
            format = format_of(path)
        except DatasetError:  # then it is as the data were, whose format had to be told as well
            format = self.notes["format"]
        rows = read_frame(path, format, self.notes["reader"] if format == self.notes["format"] else {})
        missing = [name for name in self.notes["features"] if name not in rows.columns]
        if missing:
            hint = did_you_mean(missing[0], rows.columns)
            raise DatasetError(
                f"{path}: the model reads columns that the file lacks: {', '.join(missing)}; {hint}"
            )
        try:
            scores = scores_of(self.pipeline, rows)
        except ValueError as error:
            raise DatasetError(f"{path}: {error}") from None
        kept = [name for name in self.notes["beside"] if name in rows.columns]
        beside = {name: rows[name] for name in kept}
        ranked = pd.DataFrame({"row": range(1, len(rows) + 1), **beside, "score": scores})
        return in_order(ranked, self.notes["group"], "score")

    def head(self, ranked: pd.DataFrame, top: Top | None = None) -> pd.DataFrame:
        """Return the rows at the top of a list, or of each group's."""
        top = top or Top.of(self.notes["top"])
        within = self.notes["group"]
        n = len(ranked) if within not in ranked else int(ranked[within].value_counts().iloc[0])
        if top.kappa is not None:
            raise DatasetError(f"{top} is a share of the positives, unknown among new rows: give k or tau")
        return ranked[ranked["rank"] <= top.resolve(n, 0)]


def in_order(ranked: pd.DataFrame, group: str | None, by: str) -> pd.DataFrame:
    """Return rows, highest first and as they came among equals, with their rank, within each group if any."""
    ranked = ranked.sort_values(by, ascending=False, kind="stable", na_position="last").reset_index(drop=True)
    rank = ranked.groupby(group).cumcount() if group in ranked else np.arange(len(ranked))
    ranked.insert(0, "rank", rank + 1)
    return ranked.sort_values([group, "rank"], kind="stable") if group in ranked else ranked


def write_package(folder: Path, package: Package) -> list[str]:
    """Write pipeline and notes; return the types that keep skops from loading it without trust in code.

    The file of skops is written where nothing does and skops is installed: the list is then empty.
    """
    import joblib

    with replacing(folder / MODEL) as file:
        joblib.dump(package.pipeline, file)
    write_json(folder / NOTES, dict(package.notes))
    safe = folder / SAFE_MODEL
    safe.unlink(missing_ok=True)
    try:
        import skops.io
    except ImportError:
        return ["skops is not installed"]
    content = skops.io.dumps(package.pipeline)
    untrusted = [t for t in skops.io.get_untrusted_types(data=content) if t not in HARMLESS]
    if not untrusted:
        with replacing(safe) as file:
            file.write(content)
    return untrusted


def read_package(place: str | Path) -> Package:
    """Read what `write_package` wrote, by its folder or a file in it; by skops, if that is the file named.

    A file of joblib runs whatever code it holds: read those you trust alone.

    Raises
    ------
    DatasetError
        If there is none.
    """
    import joblib

    path = Path(place)
    folder = path if path.is_dir() else path.parent
    if not (folder / NOTES).is_file():
        raise DatasetError(f"{place} does not hold a model of attop deploy: there is no {folder / NOTES}")
    notes = read_json(folder / NOTES)
    if path.name == SAFE_MODEL:
        import skops.io

        return Package(skops.io.load(path, trusted=HARMLESS), notes)
    with warnings.catch_warnings():
        warnings.simplefilter("error", InconsistentVersionWarning)  # it may score otherwise
        try:
            return Package(joblib.load(folder / MODEL), notes)
        except InconsistentVersionWarning as error:
            raise DatasetError(f"{folder / MODEL}: {error}; install the versions the card names") from None

"""A deployed model: the pipeline and its notes, in a folder."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import Pipeline

from attop._core.files import read_json, replacing, write_json
from attop._core.top import Top
from attop._core.wording import count_noun, did_you_mean
from attop.metrics._scorer import scores_of
from attop_bench.data.base import DatasetError
from attop_bench.data.formats import Table, format_of, read_table
from attop_bench.data.kinds.columns import as_identifiers, require_present
from attop_bench.deploy.contributions import contributions, largest

MODEL, SAFE_MODEL, NOTES = "model.joblib", "model.skops", "model.json"
_NOTES = ("features", "beside", "format", "reader", "needs_reader", "group", "top", "middle")
#: Types without code that skops does not trust; an imputer of scikit-learn's has one.
HARMLESS = ["numpy.dtype"]


@dataclass(frozen=True)
class Package:
    """A fitted pipeline and what it reads."""

    pipeline: Any
    #: ``features``, ``beside``: columns; ``format``, ``reader``: of its files; ``needs_reader``: text has
    #: blanks that pandas keeps; ``group``: column within which rows are ranked, or None; ``top``;
    #: ``middle``: the mean of `contributions` over the training rows, or None.
    notes: Mapping[str, Any]

    @property
    def categories(self) -> dict[str, NDArray]:
        """Categorical columns, and the values each had in training."""
        for name, step, its in self.pipeline["columns"].transformers_:
            if name == "categories":
                encoder = step[-1] if isinstance(step, Pipeline) else step
                return dict(zip(its, encoder.categories_, strict=True))
        return {}

    def rank(self, path: str | Path, tell: Callable[[str], None] = lambda line: None) -> pd.DataFrame:
        """Return the rows of a file, highest score first; `tell` gets a line on values unseen in training."""
        own = self.notes["format"]
        form = format_of(path, own)
        table = read_table(path, form, self.notes["reader"] if form == own else {})
        for what, number in table.passed.items():
            tell(f"{path}: {count_noun(number, 'row')} {what}: passed over")
        if form == "svmlight":
            table = self._as_wide(table, tell)
        group, columns = self.notes["group"], table.frame.columns
        wanted = [*self.notes["features"], *([] if group is None else [group])]
        if missing := [name for name in wanted if name not in columns]:
            hint = did_you_mean(missing[0], columns)
            raise DatasetError(f"{path}: the file lacks columns of the model: {', '.join(missing)}; {hint}")
        X = self._features(table, tell)
        scores = scores_of(self.pipeline, X)
        beside = {name: table.frame[name] for name in self.notes["beside"] if name in columns}
        ranked = pd.DataFrame({"row": range(1, len(scores) + 1), **beside, "score": scores})
        if self.notes["middle"] and (added := contributions(self.pipeline, X)) is not None:
            ranked["why"] = largest(added, np.array(self.notes["middle"]), list(X))
        groups = None if group is None else as_identifiers(table.text(group), table.where)
        return in_order(ranked, groups, "score")

    def _as_wide(self, table: Table, tell: Callable[[str], None]) -> Table:
        """Return rows of SVMlight with all features of the model: 0 where the file ends before."""
        features, frame = self.notes["features"], table.frame
        known = {*features, *self.notes["beside"], "label", "qid"}
        if new := [name for name in frame if name not in known]:
            tell(f"{table.where}: {count_noun(len(new), 'feature')} unknown to the model: left out")
        return replace(table, frame=frame.assign(**{name: 0.0 for name in features if name not in frame}))

    def _features(self, table: Table, tell: Callable[[str], None]) -> pd.DataFrame:
        """Return the features of a file as the pipeline reads them, numbers and text."""
        transformers = [part for part in self.pipeline["columns"].transformers_ if part[0] != "remainder"]
        first = [step[0] if isinstance(step, Pipeline) else step for _, step, _ in transformers]
        fills = any(hasattr(step, "statistics_") for step in first)
        words = {columns for name, _, columns in transformers if name.startswith("words of ")}
        seen = self.categories
        features = {}
        for name in self.notes["features"]:
            if name in words:
                features[name] = table.text(name).fillna("")
                continue
            if name not in seen:
                numbers = table.numbers(name).astype(np.float64)
                features[name] = numbers if fills else require_present(numbers, table.where)
                continue
            text = features[name] = table.text(name)
            new = text[~text.isin(seen[name]) & ~(fills & text.isna())]
            if len(new):
                tell(
                    f"{table.where}: column {name!r}: {len(new):,} of {len(text):,} values were never seen "
                    f"in training, such as {new.iloc[0]!r}: they count as a rare category, or as none"
                )
        return pd.DataFrame(features)

    def head(self, ranked: pd.DataFrame, top: Top | None = None) -> pd.DataFrame:
        """Return the rows at the top of a list, or of each group's; of fewer than k, all."""
        top = top or Top.of(self.notes["top"])
        if top.kappa is not None:
            raise DatasetError(f"{top} is a share of the positives, unknown among new rows: give k or tau")
        group = (ranked["rank"] == 1).cumsum()
        sizes = group.map(group.value_counts())
        k = {n: top.resolve(n if top.depends_on_sample else sizes.max(), 0) for n in sizes.unique()}
        return ranked[ranked["rank"] <= sizes.map(k)]

    def changes(
        self,
        ranked: pd.DataFrame,
        head: pd.DataFrame,
        previous: str,
        column: str,
        tell: Callable[[str], None],
    ) -> pd.Series:
        """Return of each row "entered", "stayed", "left" or nothing, against the top of the `previous` list.

        Rows are known by `column`, which is no feature; `tell` gets a line on rows that are gone.
        """
        last = pd.read_csv(previous, dtype=str, keep_default_na=False)
        for file, columns in (("the new file", ranked), (previous, last)):
            if not {column, "rank"} <= {*columns}:
                named = ", ".join(self.notes["beside"]) or "a column that is no feature: the model has none"
                raise DatasetError(f"{file} has no column rank or no --id {column}: give a list, and {named}")
        listed = last.get("listed", pd.Series("1", last.index)) == "1"
        last = last[(last["rank"].astype(int) <= head["rank"].max()) & listed]
        new, old = (pd.Index(f[column].fillna("").astype(str)) for f in (ranked, last))
        if not new.is_unique or not old.is_unique:
            raise DatasetError(f"--id {column}: several rows have the same: give a column that differs")
        if gone := int((~old.isin(new)).sum()):
            tell(f"{gone:,} of the {len(old):,} rows of {previous} are not among the new rows")
        now, before = ranked.index.isin(head.index), new.isin(old)
        change = np.select([now & before, now, before], ["stayed", "entered", "left"], "")
        return pd.Series(change, ranked.index)

    def explore(self, ranked: pd.DataFrame, head: pd.DataFrame, number: int, seed: int) -> pd.Series:
        """Draw rows below the top; return the rows each stands for, which are weights for unbiased sums."""
        rest = ranked.index.difference(head.index)
        if not 0 < number <= len(rest):
            raise DatasetError(f"--explore {number}: there are {len(rest):,} rows below the top to draw from")
        drawn = np.random.default_rng(seed).choice(rest, number, replace=False)
        stands_for = pd.Series(ranked.index.isin(head.index).astype(float), ranked.index)
        stands_for[drawn] = len(rest) / number
        return stands_for


def in_order(ranked: pd.DataFrame, groups: pd.Series | None, by: str) -> pd.DataFrame:
    """Sort rows by a column, highest first, and rank them, within each group if any."""
    ranked = ranked.sort_values(by, ascending=False, kind="stable", na_position="last")
    lists = None if groups is None else groups.loc[ranked.index]
    rank = np.arange(len(ranked)) if lists is None else lists.groupby(lists).cumcount()
    ranked.insert(0, "rank", rank + 1)
    ranked = ranked if lists is None else ranked.loc[lists.sort_values(kind="stable").index]
    return ranked.reset_index(drop=True)


def write_package(folder: Path, package: Package) -> list[str]:
    """Write pipeline and notes; return the types that keep skops, which has a file else, from trusting it."""
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
    """Read a package from its folder or a file in it, by skops if that is its file.

    A file of joblib runs the code it holds: read only one you trust.
    """
    path = Path(place)
    folder = path if path.is_dir() else path.parent
    if not (folder / NOTES).is_file():
        raise DatasetError(f"{place} does not hold a model of attop deploy: there is no {folder / NOTES}")
    try:
        notes = read_json(folder / NOTES)
        if missing := {*_NOTES} - set(notes):
            raise ValueError(f"it lacks {min(missing)}")
    except (ValueError, TypeError) as error:
        raise DatasetError(f"{folder / NOTES} is not by attop deploy ({error}): deploy again") from None
    file = path if path.name == SAFE_MODEL else folder / MODEL
    with warnings.catch_warnings():
        warnings.simplefilter("error", InconsistentVersionWarning)  # it may score otherwise
        try:
            if file is path:
                import skops.io

                return Package(skops.io.load(file, trusted=HARMLESS), notes)
            return Package(joblib.load(file), notes)
        except Exception as error:  # a damaged file raises anything
            raise DatasetError(
                f"{file} cannot be loaded ({type(error).__name__}: {error}): install the versions the card "
                "names, or deploy again"
            ) from error

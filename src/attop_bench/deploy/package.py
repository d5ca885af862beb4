"""A deployed model: the pipeline and its notes, in a folder."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import Pipeline

from attop._core.files import read_json, write_bytes, write_json
from attop._core.top import Top
from attop._core.wording import count_noun, did_you_mean
from attop.experiment._forecast import HeldOut, next_list
from attop.metrics._overlap import ties_at_k
from attop.metrics._scorer import scores_of
from attop_bench.data.base import DatasetError
from attop_bench.data.dialect import dialect
from attop_bench.data.formats import Table, format_of
from attop_bench.data.kinds.columns import as_identifiers
from attop_bench.deploy.contributions import contributions, largest
from attop_bench.deploy.lists import in_order
from attop_bench.deploy.new_rows import read_new_rows, readable_numbers, sorted_out
from attop_bench.deploy.promise import HELD_OUT, read_held_out, write_held_out

MODEL, SAFE_MODEL, NOTES = "model.joblib", "model.skops", "model.json"
_NOTES = {"features", "beside", "format", "reader", "by_pandas", "group", "label"}
_NOTES |= {"top", "middle", "rows", "positives", "digests"}
#: Types without code that skops does not trust; an imputer of scikit-learn's has one.
HARMLESS = ["numpy.dtype"]


@dataclass(frozen=True)
class Package:
    """A fitted pipeline and what it reads."""

    pipeline: Any
    #: ``features``, ``beside``: columns; ``format``, ``reader``: of its files; ``by_pandas``: options
    #: by which pandas reads them, or None; ``group``: column within which rows are ranked, or None; ``top``;
    #: ``middle``: the mean of `contributions` over the training rows, or None; ``rows``, ``positives``: of
    #: the data; ``label``: its column, values, and the positive one; ``digests``: of the files.
    notes: Mapping[str, Any]
    #: Held-out scores of the model chosen, and of those it was chosen among; none with groups.
    held_out: list[list[HeldOut]]

    @property
    def categories(self) -> dict[str, NDArray]:
        """Categorical columns, and the values each had in training."""
        for name, step, its in self.pipeline["columns"].transformers_:
            if name == "categories":
                encoder = step[-1] if isinstance(step, Pipeline) else step
                return dict(zip(its, encoder.categories_, strict=True))
        return {}

    def rank(self, path: str | Path, tell: Callable[[str], None] = lambda line: None) -> pd.DataFrame:
        """Return the rows of a file, highest score first; `tell` gets a line on values unseen in training.

        No row is left out for its content unless the model cannot rank it: ``attrs["ledger"]`` of the result
        has the `Ledger` of all that were read.
        """
        form = format_of(path, self.notes["format"])
        table = read_new_rows(path, self.notes, tell)
        if form == "svmlight":
            table = self._as_wide(table, tell)
        group, columns = self.notes["group"], table.frame.columns
        wanted = [*self.notes["features"], *([] if group is None else [group])]
        if missing := [name for name in wanted if name not in columns]:
            hint = did_you_mean(missing[0], columns)
            own_mark = self.notes["reader"].get("separator", ",")
            if form == "csv" and (mark := dialect(path, {})[0].get("separator", ",")) != own_mark:
                hint = f"its first line is separated by {mark!r}, unlike the data: write it as they are"
            raise DatasetError(f"{path}: the file lacks columns of the model: {', '.join(missing)}; {hint}")
        X, reasons = self._features(table, tell)
        if group is not None:
            without_group = table.text(group).isna() & reasons.eq("")
            reasons = reasons.mask(without_group, f"{group} is missing, which names its list")
        places, numbers, ledger = sorted_out(table, reasons)
        table = replace(table, frame=table.frame.iloc[places].reset_index(drop=True))
        X = X.iloc[places].reset_index(drop=True)
        scores = scores_of(self.pipeline, X)
        beside = {name: table.frame[name] for name in self.notes["beside"] if name in columns}
        ranked = pd.DataFrame({"row": numbers, **beside, "score": scores})
        if self.notes["middle"] and (added := contributions(self.pipeline, X)) is not None:
            ranked["why"] = largest(added, np.array(self.notes["middle"]), list(X))
        groups = None if group is None else as_identifiers(table.text(group), table.where)
        ranked = in_order(ranked, groups, "score")
        ranked.attrs["ledger"] = ledger
        return ranked

    def _as_wide(self, table: Table, tell: Callable[[str], None]) -> Table:
        """Return rows of SVMlight with all features of the model: 0 where the file ends before."""
        features, frame = self.notes["features"], table.frame
        known = {*features, *self.notes["beside"], "label", "qid"}
        if new := [name for name in frame if name not in known]:
            tell(f"{table.where}: {count_noun(len(new), 'feature')} unknown to the model: left out")
        return replace(table, frame=frame.assign(**{name: 0.0 for name in features if name not in frame}))

    def _features(self, table: Table, tell: Callable[[str], None]) -> tuple[pd.DataFrame, pd.Series]:
        """Return the features of a file as the pipeline reads them, and why a row has none, else ""."""
        transformers = [part for part in self.pipeline["columns"].transformers_ if part[0] != "remainder"]
        first = [step[0] if isinstance(step, Pipeline) else step for _, step, _ in transformers]
        fills = any(hasattr(step, "statistics_") for step in first)
        words = {columns for name, _, columns in transformers if name.startswith("words of ")}
        seen = self.categories
        features = {}
        reasons = pd.Series("", table.frame.index, dtype=object)
        is_empty = pd.Series(True, table.frame.index)
        for name in self.notes["features"]:
            is_empty &= table.text(name).isna()
            if name in words:
                features[name] = table.text(name).fillna("")
                continue
            if name not in seen:
                features[name], odd = readable_numbers(table, name)
                if not fills:
                    gaps = features[name].isna() & odd.eq("")
                    odd = odd.mask(gaps, f"{name} is missing, and the model fills no gaps")
                reasons = reasons.where(reasons.ne(""), odd)
                continue
            text = features[name] = table.text(name)
            new = text[~text.isin(seen[name]) & ~(fills & text.isna())]
            if len(new):
                tell(
                    f"{table.where}: column {name!r}: {len(new):,} of {len(text):,} values were never seen "
                    f"in training, such as {new.iloc[0]!r}: they count as a rare category, or as none"
                )
        return pd.DataFrame(features), reasons.mask(
            is_empty & reasons.eq(""), "it has no value in any column"
        )

    def head(self, ranked: pd.DataFrame, top: Top | None = None) -> pd.DataFrame:
        """Return the rows at the top of a list, or of each group's; of fewer than the model's k, all."""
        own = Top.of(self.notes["top"])
        most, top = 0 if top else own.k or 0, top or own
        group = (ranked["rank"] == 1).cumsum()
        sizes = group.map(group.value_counts())
        most = max(most, sizes.max())
        k = {
            n: top.resolve(n if top.depends_on_sample else most, None, where="a new list")
            for n in sizes.unique()
        }
        return ranked[ranked["rank"] <= sizes.map(k)]

    def expect(
        self, ranked: pd.DataFrame, head: pd.DataFrame, prevalence: float | None, tell: Callable[[str], None]
    ) -> dict[str, Any] | None:
        """Return the promise of the top of a list, and tell it; None where nothing is known.

        `prevalence` is the share of positives among its rows, by default that of the data.
        """
        k, length, rows = len(head), len(ranked), self.notes["rows"]
        top = Top.of(self.notes["top"])
        if not self.held_out:
            known = self.notes["precision"]
            tell(f"Of the rows at the top of each group ({top}) {known['mean']:.0%} are to be positive")
            same = prevalence is None and len(self.head(ranked)) == k
            mean, low, high = (known[name] * k for name in ("mean", "low", "high"))
            return {"k": k, "length": length, "expected": mean, "least": low, "high": high} if same else None
        chosen, *rivals = self.held_out
        coming = next_list(chosen, k, length, rivals=rivals, prevalence=prevalence)
        cut = top.resolve(rows, 0)
        share = f"{self.notes['positives'] / rows:.2g}, as of the data (else --prevalence)"
        tell(f"{coming.sentence}, if the share of positives is {share if prevalence is None else prevalence}")
        if k / length > 1.05 * cut / rows and k < length:
            tell(
                f"That is deeper, {k / length:.1%} of the rows, than the card's {cut:,} of {rows:,}, "
                f"{cut / rows:.1%}: expect another share than there"
            )
        if (ties := ties_at_k(ranked["score"], k)).items:
            tell(f"{ties.items:,} rows are tied at the cut, for {ties.places:,} of the places")
        names = ("k", "length", "expected", "low", "high", "least")
        return None if coming.reason else {**{n: getattr(coming, n) for n in names}, "prevalence": prevalence}


def write_package(folder: Path, package: Package) -> list[str]:
    """Write pipeline and notes; return the types that keep skops, which has a file else, from trusting it."""
    folder.mkdir(parents=True, exist_ok=True)
    joblib.dump(package.pipeline, folder / MODEL)
    untrusted = ["skops is not installed"]
    if find_spec("skops") is not None:
        import skops.io

        content = skops.io.dumps(package.pipeline)
        untrusted = [t for t in skops.io.get_untrusted_types(data=content) if t not in HARMLESS]
        if not untrusted:
            write_bytes(folder / SAFE_MODEL, content)
    write_held_out(folder / HELD_OUT, package.held_out)
    digests = {n: _digest(folder / n) for n in (MODEL, SAFE_MODEL, HELD_OUT) if (folder / n).exists()}
    write_json(folder / NOTES, {**package.notes, "digests": digests})
    return untrusted


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def read_notes(place: str | Path) -> dict[str, Any]:
    """Read the notes of a package, from its folder or a file in it, without loading the model."""
    folder = _folder(place)
    if not (folder / NOTES).is_file():
        raise DatasetError(f"{place} does not hold a model of attop deploy: there is no {folder / NOTES}")
    try:
        notes = read_json(folder / NOTES)
        if missing := _NOTES - set(notes):
            raise ValueError(f"it lacks {min(missing)}")
        if notes["middle"] is not None and len(notes["middle"]) != (n := len(notes["features"]) + 1):
            raise ValueError(f"middle has {len(notes['middle'])} numbers instead of {n}")
    except (ValueError, TypeError) as error:
        raise DatasetError(f"{folder / NOTES} is not by attop deploy ({error}): deploy again") from None
    return notes


def _folder(place: str | Path) -> Path:
    return Path(place) if Path(place).is_dir() else Path(place).parent


def read_package(place: str | Path) -> Package:
    """Read a package from its folder or a file in it, by skops if that is its file.

    A file of joblib runs the code it holds: read only one you trust.
    """
    path, folder, notes = Path(place), _folder(place), read_notes(place)
    file = path if path.name == SAFE_MODEL else folder / MODEL
    for one in (file, folder / HELD_OUT):
        if not one.is_file() or _digest(one) != notes["digests"].get(one.name):
            raise DatasetError(
                f"{one} is not that of {folder / NOTES}, as after an interruption: deploy again"
            )
    held_out = read_held_out(folder / HELD_OUT)
    with warnings.catch_warnings():
        warnings.simplefilter("error", InconsistentVersionWarning)  # it may score otherwise
        try:
            if file is path:
                import skops.io

                return Package(skops.io.load(file, trusted=HARMLESS), notes, held_out)
            return Package(joblib.load(file), notes, held_out)
        except Exception as error:  # a damaged file raises anything
            raise DatasetError(
                f"{file} cannot be loaded ({type(error).__name__}: {error}): install the versions the card "
                "names, or deploy again"
            ) from error

"""A deployed model: the pipeline and its notes, in a folder."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.exceptions import InconsistentVersionWarning

from attop.experiment import HeldOut, NextList, next_list
from attop.extending import (
    Floats,
    Ints,
    Top,
    count_noun,
    join_first,
    nearest,
    pitfall,
)
from attop.metrics import scores_of, ties_at_k
from attop_bench.data.base import DatasetError
from attop_bench.data.columns.categories import as_identifiers
from attop_bench.data.reading.formats import format_of
from attop_bench.data.reading.table import Table
from attop_bench.deploy.contributions import contributions, largest
from attop_bench.deploy.lists import columns_of_list
from attop_bench.deploy.new_rows import (
    features_of,
    read_new_rows,
    repeated_values,
    sorted_out,
    typed,
    unseen_values,
)
from attop_bench.deploy.notes import NOTES, folder_of, read_notes
from attop_bench.deploy.promise import (
    HELD_OUT,
    Promise,
    read_held_out,
    sentence_of_groups,
    write_held_out,
)
from attop_bench.deploy.training import (
    TRAINING,
    Training,
    effect_of,
    read_training,
    write_training,
)
from attop_bench.deploy.trial import (
    TRIAL,
    changed_versions,
    largest_difference,
    read_trial,
    versions_of,
    write_trial,
)
from attop_bench.deploy.unlike import findings
from attop_bench.files import write_bytes, write_json

MODEL, SAFE_MODEL = "model.joblib", "model.skops"
LIST, CARD, CURVE = "ranked.csv", "card.md", "capacity.png"
#: What a folder of a model has; the notes, which hold digests of the others, are put in place first.
FILES = (NOTES, MODEL, SAFE_MODEL, HELD_OUT, TRIAL, TRAINING, LIST, CARD, CURVE)
#: Files without which nothing can be scored.
_NEEDED = (HELD_OUT, TRIAL, TRAINING)
#: Why nothing is promised of rows that are not like those of training.
_MEANT = "the promise is meant for rows like those of training, and these are not"
#: Types without code that skops does not trust; an imputer of scikit-learn's has one.
HARMLESS = ["numpy.dtype"]


@dataclass(frozen=True)
class Package:
    """A fitted pipeline and what it reads."""

    pipeline: Any
    #: ``input``: what the model is fitted on, see `MethodConfig`; ``features``, ``beside``: columns;
    #: ``distinct``: of those beside, the ones of which no two rows have the same value;
    #: ``categories``: those of the features that are, each with its values in training; ``texts``: those that
    #: are texts; ``fills_gaps``, ``takes_unseen``: whether rows with missing numbers, or with new categories,
    #: can be ranked; ``unused``: features of which no score depends;
    #: ``format``, ``reader``: of its files; ``group``: column within which rows are ranked, or
    #: None; ``top``; ``middle``: the mean of `contributions` over the training rows, or None; ``rows``,
    #: ``positives``: of the data; ``label``: its column, values, and the positive one; ``digests``: of the
    #: files; ``unit``: column whose rows are alike, of customers or lists, or None.
    notes: Mapping[str, Any]
    #: Held-out scores of the model chosen, and of those it was chosen among; none with groups.
    held_out: list[list[HeldOut]]
    #: A few rows of the data, by which a model that is loaded is tried.
    trial: pd.DataFrame = field(default_factory=pd.DataFrame)
    #: What new rows are compared with.
    training: Training = field(default_factory=Training)

    @property
    def used(self) -> list[str]:
        """Features that the model uses."""
        unused = frozenset(self.notes["unused"])
        return [name for name in self.notes["features"] if name not in unused]

    @property
    def numeric(self) -> list[str]:
        """Features that are read as numbers."""
        others = {*self.notes["categories"], *self.notes["texts"]}
        return [name for name in self.notes["features"] if name not in others]

    def rank(
        self,
        path: str | Path,
        tell: Callable[[str], None] = lambda line: None,
        wanted_columns: Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Rank the rows of a file, highest score first; `tell` gets a line on values unseen in training.

        Beside columns that are no features it has the `wanted_columns` of the file; see `columns_of_list`.
        No row is left out for its content unless the model cannot rank it: ``attrs["ledger"]`` of the result
        has the `Ledger` of all that were read, and ``attrs["unlike"]`` what of them is not like training.
        """
        form = format_of(path, self.notes["format"])
        table = read_new_rows(path, self.notes, tell)
        if form == "svmlight":
            table = self._as_wide(table, tell)
        group, columns = self.notes["group"], table.frame.columns
        self._refuse_lacking(table, path)
        self._tell_of_unused(table, tell)
        X, reasons = features_of(table, self.notes, self.used, tell)
        if group is not None:
            gap = f"{group} is missing, which names its list"
            without = np.flatnonzero(table.text(group).isna()).tolist()
            reasons = dict.fromkeys(without, gap) | reasons
        places, numbers, ledger = sorted_out(table, reasons)
        table = replace(
            table, frame=table.frame.iloc[places].reset_index(drop=True)
        )
        X = X.iloc[places].reset_index(drop=True)
        unlike = findings(self.training, X, self._design_effect(table))
        for line in repeated_values(table, self.notes, numbers):
            tell(line)
        for line in unseen_values(X, self.notes):
            tell(f"{table.where}: {line}")
        told = [finding.column for finding in unlike if finding.is_missing]
        self._tell_of_gaps(X.drop(columns=told), numbers, tell)
        X = self._with_unused(X)
        scores = scores_of(self.pipeline, X)
        why = self._reasons(X)
        names = columns_of_list(
            columns, self.notes, wanted_columns, has_reasons=bool(why)
        )
        ranked = pd.DataFrame(
            {"row": numbers, **table.frame[names], "score": scores, **why}
        )
        groups = (
            None
            if group is None
            else as_identifiers(table.text(group), table.where)
        )
        ranked = in_order(ranked, groups, "score")
        ranked.attrs.update(
            ledger=ledger, unlike=[finding.sentence for finding in unlike]
        )
        return ranked

    def _refuse_lacking(self, table: Table, path: str | Path) -> None:
        """Refuse a file without a column that the model uses."""
        columns = table.frame.columns
        group = self.notes["group"]
        wanted = [*self.used, *([] if group is None else [group])]
        missing = [name for name in wanted if name not in columns]
        if not missing:
            return
        hint = nearest(missing[0], columns) or (
            f"add them, without a value in rows that have none; the file has {join_first(columns)}"
        )
        raise DatasetError(
            f"{path}: the file lacks columns of the model: {', '.join(missing)}; {hint}"
        )

    def _tell_of_unused(self, table: Table, tell: Callable[[str], None]) -> None:
        """Tell which columns a file lacks that are of no use to the model."""
        lacking = [name for name in self.notes["unused"] if name not in table.frame]
        if lacking:
            tell(
                f"{table.where}: lacks columns that the model does not use: {join_first(lacking)}"
            )

    def _tell_of_gaps(
        self,
        X: pd.DataFrame,
        numbers: Ints,
        tell: Callable[[str], None],
    ) -> None:
        """Tell which rows have a gap in a column of `X` that had none in training."""
        complete = [
            one.aspect.column
            for one in self.training.distributions
            if one.missing == 0
        ]
        filled = "filled in" if self.notes["input"] == "matrix" else "left so"
        # A column that the model has no use for may be absent.
        for name in X.columns.intersection(complete):
            rows = numbers[X[name].isna()]
            if len(rows):
                tell(
                    f"{name} is missing in {count_noun(len(rows), 'row')}, {filled}, and was in none of "
                    f"training: row {join_first(rows.astype(str))}"
                )

    def _with_unused(self, X: pd.DataFrame) -> pd.DataFrame:
        """Complete the features that the model takes: those of no use have any value."""
        categories = self.notes["categories"]
        unused = {
            name: categories[name][0] if name in categories else 0.0
            for name in self.notes["unused"]
        }
        return typed(X.assign(**unused)[self.notes["features"]], self.notes)

    def _design_effect(self, table: Table) -> float:
        """Compute how many new rows are worth one: those of one customer, or of one list, are alike."""
        unit = self.notes["unit"]
        if unit is None or unit not in table.frame:
            return self.training.design_effect
        codes = pd.factorize(table.text(unit), use_na_sentinel=False)[0]
        return effect_of(np.arange(len(codes)), codes)

    def _reasons(self, X: pd.DataFrame) -> dict[str, list[str]]:
        """Make the column ``why`` of rows, or nothing where the model does not say it exactly."""
        if not self.notes["middle"]:
            return {}
        added = contributions(self.pipeline, X)
        return (
            {}
            if added is None
            else {"why": largest(added, np.array(self.notes["middle"]), X)}
        )

    def forecast(
        self,
        ranked: pd.DataFrame,
        head: pd.DataFrame,
        prevalence: float | None = None,
    ) -> NextList | None:
        """Forecast the positives at the top of a list; None with groups, which have one each."""
        if not self.held_out:
            return None
        chosen, *rivals = self.held_out
        return next_list(
            chosen, len(head), len(ranked), rivals=rivals, prevalence=prevalence
        )

    def _as_wide(self, table: Table, tell: Callable[[str], None]) -> Table:
        """Complete rows of SVMlight to all features of the model: 0 where the file ends before."""
        features, frame = self.notes["features"], table.frame
        names = {*features, *self.notes["beside"], "label", "qid"}
        if new := [name for name in frame if name not in names]:
            tell(
                f"{table.where}: {count_noun(len(new), 'feature')} unknown to the model: left out"
            )
        return replace(
            table,
            frame=frame.assign(
                **{name: 0.0 for name in features if name not in frame}
            ),
        )

    def head(self, ranked: pd.DataFrame, top: Top | None = None) -> pd.DataFrame:
        """Select the rows at the top of a list, or of each group's; of fewer than the model's k, all."""
        top_of_model = Top.of(self.notes["top"])
        most, top = 0 if top else top_of_model.k or 0, top or top_of_model
        group = (ranked["rank"] == 1).cumsum()
        sizes = group.map(group.value_counts())
        most = max(most, sizes.max())
        k = {
            n: top.resolve(
                n if top.depends_on_sample else most, None, where="a new list"
            )
            for n in sizes.unique()
        }
        return ranked[ranked["rank"] <= sizes.map(k)]

    def expect(
        self,
        ranked: pd.DataFrame,
        head: pd.DataFrame,
        prevalence: float | None,
        tell: Callable[[str], None],
    ) -> Promise:
        """Forecast the positives at the top of a list, with a lower bound, and tell it.

        `prevalence` is the share of positives among its rows, by default that of the data. Of rows that are
        not like those of training nothing is promised.
        """
        unlike = ranked.attrs.get("unlike", [])
        if not unlike:
            return self._expect(ranked, head, prevalence, tell)
        for sentence in unlike:
            tell(f"not as in training: {sentence}")
        tell("Of a list as in training:")
        promise = self._expect(ranked, head, prevalence, tell)
        promise = promise.without(f"{_MEANT}: {'; '.join(unlike)}")
        tell(f"But {promise.sentence[0].lower()}{promise.sentence[1:]}")
        return promise

    def _expect(
        self,
        ranked: pd.DataFrame,
        head: pd.DataFrame,
        prevalence: float | None,
        tell: Callable[[str], None],
    ) -> Promise:
        """Forecast the positives at the top of a list like those of training, and tell the forecast."""
        forecast = self.forecast(ranked, head, prevalence)
        if forecast is None:
            return self._expect_of_groups(ranked, head, prevalence, tell)
        k, length, rows = len(head), len(ranked), self.notes["rows"]
        cut = Top.of(self.notes["top"]).resolve(rows, 0)
        share = f"{self.notes['positives'] / rows:.2g}, as of the data (else --prevalence)"
        expected_share = share if prevalence is None else prevalence
        tell(f"{forecast.sentence}, if the share of positives is {expected_share}")
        if k / length > 1.05 * cut / rows and k < length:
            tell(
                f"That is deeper, {k / length:.1%} of the rows, than the card's {cut:,} of {rows:,}, "
                f"{cut / rows:.1%}: expect another share than there"
            )
        if (ties := ties_at_k(ranked["score"], k)).items:
            tied = f"{ties.items:,} rows are tied at the cut, for {ties.places:,} of the places"
            tell(f"{tied} ({pitfall('ties')})")
        promise = Promise.of_list(forecast, prevalence)
        if not forecast.reason:
            tell(promise.sentence)
        return promise

    def _expect_of_groups(
        self,
        ranked: pd.DataFrame,
        head: pd.DataFrame,
        prevalence: float | None,
        tell: Callable[[str], None],
    ) -> Promise:
        top, precision = Top.of(self.notes["top"]), self.notes["precision"]
        tell(
            sentence_of_groups(
                top, precision["mean"], precision["low"], precision["high"]
            )
        )
        promise = Promise.of_groups(len(head), len(ranked), precision, prevalence)
        if len(self.head(ranked)) != len(head):
            promise = promise.without(
                f"the card is of {top} of each group, and these are other rows"
            )
        tell(promise.sentence)
        return promise


def in_order(
    ranked: pd.DataFrame, groups: pd.Series | None, by: str
) -> pd.DataFrame:
    """Sort rows by a column, highest first, and rank them, within each group if any."""
    ranked = ranked.sort_values(
        by, ascending=False, kind="stable", na_position="last"
    )
    lists = None if groups is None else groups.loc[ranked.index]
    rank = (
        np.arange(len(ranked)) if lists is None else lists.groupby(lists).cumcount()
    )
    ranked.insert(0, "rank", rank + 1)
    ranked = (
        ranked
        if lists is None
        else ranked.loc[lists.sort_values(kind="stable").index]
    )
    return ranked.reset_index(drop=True)


def write_model(folder: Path, package: Package) -> list[str]:
    """Write a pipeline; return the types that keep skops, which has a file else, from trusting it."""
    folder.mkdir(parents=True, exist_ok=True)
    joblib.dump(package.pipeline, folder / MODEL)
    untrusted = ["skops is not installed"]
    if find_spec("skops") is not None:
        import skops.io

        content = skops.io.dumps(package.pipeline)
        untrusted = [
            t
            for t in skops.io.get_untrusted_types(data=content)
            if t not in HARMLESS
        ]
        if not untrusted:
            write_bytes(folder / SAFE_MODEL, content)
    write_held_out(folder / HELD_OUT, package.held_out)
    write_trial(folder / TRIAL, package.pipeline, package.trial)
    write_training(folder / TRAINING, package.training)
    return untrusted


def write_notes(folder: Path, package: Package) -> None:
    """Write the notes of a package, with digests of all its files, which are there."""
    digests = {
        name: _digest(folder / name)
        for name in FILES
        if name != NOTES and (folder / name).exists()
    }
    additions = {"versions": versions_of(package.pipeline), "digests": digests}
    write_json(folder / NOTES, {**package.notes, **additions})


def _digest(file: Path) -> str:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def read_package(
    place: str | Path, tell: Callable[[str], None] = lambda line: None
) -> Package:
    """Read a package from its folder, or by one of its two files of the model.

    It is read by skops where it has such a file and skops is installed. Else joblib unpickles it, which runs
    the code it holds: read only one you trust. `tell` gets a line if it does, and if other versions are here
    than it was made with. A few rows are scored, and a model that gives them other scores is refused.

    Raises
    ------
    DatasetError
        If files are of different models, cannot be read, or the scores are others.
    """
    folder, notes = folder_of(place), read_notes(place)
    _refuse_mixed(folder, notes["digests"])
    file = _file_of(Path(place), folder, tell)
    if not file.is_file():
        raise DatasetError(
            f"{file} is not there, of which {folder / NOTES} is: deploy again"
        )
    changed = changed_versions(notes["versions"])
    package = Package(
        _load(file, changed),
        notes,
        read_held_out(folder / HELD_OUT),
        training=read_training(folder / TRAINING),
    )
    rows, scores = read_trial(folder / TRIAL)
    _try_out(file, package.pipeline, (typed(rows, notes), scores), changed, tell)
    return package


def _refuse_mixed(folder: Path, digests: Mapping[str, str]) -> None:
    """Refuse files that are not of the notes; list, card and curve may be elsewhere."""
    for name in FILES:
        file = folder / name
        if name == NOTES or not (file.exists() or name in _NEEDED):
            continue
        if not file.is_file() or _digest(file) != digests.get(name):
            remedy = (
                "deploy again"
                if name in (MODEL, SAFE_MODEL, *_NEEDED)
                else "deploy again, or move it"
            )
            raise DatasetError(
                f"{file} is not that of {folder / NOTES}, as after an interruption or an edit: {remedy}"
            )


def _file_of(path: Path, folder: Path, tell: Callable[[str], None]) -> Path:
    """Choose the file to load: that which was named, or the one that holds no code if it can be read."""
    if path.name == SAFE_MODEL:
        return path
    safe, reads = (folder / SAFE_MODEL).is_file(), find_spec("skops") is not None
    if safe and reads and path.name != MODEL:
        return folder / SAFE_MODEL
    why = "it was asked for" if path.name == MODEL else f"there is no {SAFE_MODEL}"
    if safe and not reads:
        why = f"{SAFE_MODEL} needs skops: pip install skops"
    tell(f"{folder / MODEL} is unpickled, which runs the code it holds: {why}")
    return folder / MODEL


def _load(file: Path, changed: Mapping[str, tuple[str, str]]) -> Any:
    """Load a pipeline, of another version of scikit-learn too: `_try_out` comes after it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InconsistentVersionWarning)
            if file.name == SAFE_MODEL:
                import skops.io

                return skops.io.load(file, trusted=HARMLESS)
            return joblib.load(file)
    except Exception as error:  # a damaged file raises anything
        made = (
            f"; it was made with {_versions_in_words(changed)}" if changed else ""
        )
        raise DatasetError(
            f"{file} cannot be loaded ({type(error).__name__}: {error}){made}: install the versions the card "
            "names, or deploy again"
        ) from error


def _try_out(
    file: Path,
    pipeline: Any,
    trial: tuple[pd.DataFrame, Floats],
    changed: Mapping[str, tuple[str, str]],
    tell: Callable[[str], None],
) -> None:
    """Refuse a model that gives the stored rows other scores; else tell of versions that differ."""
    rows, scores = trial
    made = (
        f"{file} was made with {_versions_in_words(changed)}"
        if changed
        else f"{file}"
    )
    remedy = "install the versions the card names, or deploy again"
    try:
        difference = largest_difference(pipeline, rows, scores)
    except Exception as error:  # of code of another version
        reason = f"{type(error).__name__}: {error}"
        raise DatasetError(
            f"{made}: it cannot score its stored rows ({reason}); {remedy}"
        ) from error
    if difference:
        raise DatasetError(
            f"{made}: the scores of {count_noun(len(rows), 'stored row')} differ by up to "
            f"{difference:.2g} of the largest; {remedy}"
        )
    if "scikit-learn" in changed and not len(rows):
        raise DatasetError(
            f"{made}, and there are no stored rows to try it on: {remedy}"
        )
    if changed:
        tell(
            f"{made}; the scores of {count_noun(len(rows), 'stored row')} are equal"
        )


def _versions_in_words(changed: Mapping[str, tuple[str, str]]) -> str:
    """Name versions, such as "scikit-learn 1.8.0 (here 1.9.1)"."""
    return ", ".join(
        f"{package} {then} (here {here})"
        for package, (then, here) in changed.items()
    )

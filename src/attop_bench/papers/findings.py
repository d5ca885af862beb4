"""Findings of a rebuilt paper: the verdict, a picture, its tables next to ours, and reasons of differences.

A paper's module has two functions. ``tables(results, story)`` makes its CSV files from the tables of the run
and of the paper's simulations, by name, and the manifest; ``findings(tables)`` makes the page from those
files alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd
from matplotlib.figure import Figure

from attop.experiment import MIN_RUNS, Verdict, decide
from attop.extending import Top, count_noun, did_you_mean, nearest
from attop_bench.files import StrPath

NOT_COMPARABLE = "not comparable"
#: Differences up to this are of no importance; all printed metrics lie in [0, 1], but for DCG.
_TOLERANCE = 0.01

#: Key of a printed number in its table.
_KEY = ["dataset", "top", "metric", "method"]
_OURS = ["selection", "ours", "spread", "n", "constant"]
_PRINTED = ["printed", "printed_spread"]
#: The columns of a file of printed numbers.
_OF_THE_FILE = ["table", *_KEY, "mean", "std"]
#: The columns of a comparison.
COLUMNS = [*_KEY, *_OURS, *_PRINTED, "verdict", "why"]


#: Whether the claims of a paper hold here.
ANSWERS = ("Holds", "In part", "No", "Open")
#: Words that follow the answer in the list of all pages.
MOST_WORDS = 20

#: Data set of the benchmark -> (as printed, how parameters were selected).
DatasetNames = Mapping[str, tuple[str, str]]
#: The CSV files of a paper, by name.
Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Table:
    """A table of the page and a note on it; each value of the column `by` opens the table of its rows."""

    title: str
    cells: pd.DataFrame
    note: str = ""
    by: str = ""


@dataclass(frozen=True)
class Plot:
    """A picture; `name` is that of its file, the caption states metric, direction, n and what the spread
    is.
    """

    name: str
    caption: str
    canvas: Figure


@dataclass(frozen=True)
class Findings:
    """All that the page of a paper says."""

    title: str
    citation: str
    #: At most five sentences, the answer first and in bold.
    verdict: Sequence[str]
    #: The first thing seen: printed against ours, the colour is the verdict.
    picture: Plot
    tables: Sequence[Table] = ()
    #: Differences from the paper, and choices it leaves open.
    reasons: Sequence[str] = ()
    plots: Sequence[Plot] = ()
    #: CSV file -> its content.
    files: Mapping[str, str] = field(default_factory=dict)
    #: For the list of all pages: whether it holds, one of `ANSWERS`, and at most 20 words on it.
    answer: str = "Open"
    short: str = ""

    def __post_init__(self) -> None:
        """Refuse an answer that is none, and a text that is not short."""
        if self.answer not in ANSWERS:
            raise ValueError(
                f"answer must be one of {', '.join(ANSWERS)}, got {self.answer!r}"
            )
        if (n := len(self.short.split())) > MOST_WORDS:
            raise ValueError(
                f"short must have at most {MOST_WORDS} words, got {n}: {self.short!r}"
            )


def printed_numbers(file: StrPath) -> pd.DataFrame:
    """Read the numbers a paper prints from a CSV file: table, `_KEY`, ``mean`` and ``std``.

    A top may be written as in ``attop look --top``.

    Raises
    ------
    PrintedError
        If a column is missing or unknown, a cell of ``mean`` or ``std`` is not a number, a mean is
        missing, a top is none, or a table has two numbers of a key.
    """
    printed = _read_table(file)
    _check_columns(printed.columns, file)
    numbers = {
        column: _read_numbers(printed[column], file) for column in ("mean", "std")
    }
    spellings = {text: _read_top(text, file) for text in printed["top"].unique()}
    printed = printed.assign(top=printed["top"].map(spellings), **numbers)
    _check_rows(printed, file)
    return printed


def _read_table(file: StrPath) -> pd.DataFrame:
    """Read the cells of a CSV file as text, gaps as NaN."""
    try:
        table = pd.read_csv(file, dtype=str)
    except (
        pd.errors.ParserError,
        pd.errors.EmptyDataError,
        UnicodeDecodeError,
    ) as error:
        raise PrintedError(f"{file} is not a CSV file in UTF-8: {error}") from None
    # Which pandas makes of the first cells of longer lines.
    if not isinstance(table.index, pd.RangeIndex):
        raise PrintedError(
            f"{file}: its rows have more cells than its first line has names"
        )
    return table


def _check_columns(columns: Iterable[str], file: StrPath) -> None:
    """Refuse other columns than those of a file of printed numbers."""
    for column in columns:
        if column not in _OF_THE_FILE:
            raise PrintedError(
                f"{file} has the column {column!r}; {did_you_mean(column, _OF_THE_FILE)}"
            )
    for column in _OF_THE_FILE:
        if column not in columns:
            raise PrintedError(
                f"{file} has no column {column}: it needs {', '.join(_OF_THE_FILE)}"
            )


def _read_numbers(cells: pd.Series, file: StrPath) -> pd.Series:
    """Convert a column to numbers, gaps to NaN."""
    numbers = pd.to_numeric(cells, errors="coerce")
    wrong = cells[numbers.isna() & cells.notna()]
    for at, text in wrong.items():
        raise PrintedError(
            f"{file}: the column {cells.name} has no number but {text!r} {_row(at)}"
        )
    return numbers


def _check_rows(printed: pd.DataFrame, file: StrPath) -> None:
    """Refuse a row without a mean, and one whose key its table has before."""
    for at in printed.index[printed["mean"].isna()]:
        raise PrintedError(
            f"{file}: no mean {_row(at)}: leave out the rows that are not printed"
        )
    for at in printed.index[printed.duplicated(["table", *_KEY])]:
        key = ", ".join(printed.loc[at, ["table", *_KEY]].astype(str))
        raise PrintedError(
            f"{file}: {key} is there again {_row(at)}: a table prints one number of it"
        )


def _row(at: object) -> str:
    """Name a row as an editor counts lines, the names being line 1."""
    return f"in line {int(str(at)) + 2}"


def _read_top(text: object, file: StrPath) -> str:
    try:
        return str(Top.parse(str(text)))
    except ValueError as error:
        raise PrintedError(f"{file}: the column top: {error}") from None


def count_runs(numbers: Iterable[float], noun: str) -> str:
    """Say over how many runs means are, from the column of a table: "20 partitions", "10 to 20 partitions".

    Examples
    --------
    >>> count_runs([20, 20], "partition"), count_runs([10, 20], "partition"), count_runs([1], "trial")
    ('20 partitions', '10 to 20 partitions', '1 trial')
    """
    counts = [int(number) for number in numbers]
    least = min(counts, default=0)
    most = max(counts, default=0)
    return (
        count_noun(most, noun)
        if least == most
        else f"{least:,} to {count_noun(most, noun)}"
    )


class PrintedError(ValueError):
    """Error of a printed number that cannot be compared with one of the run's."""

    for_the_user = True


def verdicts(table: pd.DataFrame, reasons: Mapping[str, str]) -> pd.DataFrame:
    """Judge every printed number of a table by the rule of all comparisons, `attop.experiment.decide`.

    The table has metric, ours, spread, n, printed and printed_spread. "above", "below": ours is shown to be
    so, by a t-test of the two means, adjusted by Holm for the numbers of the table; "equal": shown to be
    within 0.01; "open": neither; "untested": fewer than 5 runs; "not comparable": a number or every spread is
    missing, or the metric is another, with `reasons` by metric. A spread of 0 is none; a number without one
    is given that of the other.

    Both means are of the same data set, so that only the partitions differ: the error of either is its spread
    over the square root of its runs, of which the printed one is taken to have as many as ours.
    """
    ours = table["spread"].where(table["spread"] > 0)
    printed = table["printed_spread"]
    printed = printed.where(printed > 0)
    why = pd.Series("", index=table.index)
    why[printed.isna()] = "the paper prints no spread: that of ours stands for it"
    why[ours.isna()] = "ours has no spread: the paper's stands for it"
    why[table["n"] < MIN_RUNS] = f"fewer than {MIN_RUNS} runs of ours"
    verdict = pd.Series(Verdict.UNTESTED, index=table.index)
    missing = {
        "neither number has a spread": ours.isna() & printed.isna(),
        "no number of ours": table["ours"].isna(),
        "the paper prints no number": table["printed"].isna(),
        **{reason: table["metric"] == metric for metric, reason in reasons.items()},
    }
    for reason, rows in missing.items():
        why[rows], verdict[rows] = reason, NOT_COMPARABLE
    tested = table[(verdict == Verdict.UNTESTED) & (table["n"] >= MIN_RUNS)].index
    a = ours.fillna(printed)[tested]
    b = printed.fillna(ours)[tested]
    n = table.loc[tested, "n"]
    difference = (table["ours"] - table["printed"])[tested]
    decisions = decide(
        difference.abs().tolist(),
        ((a**2 + b**2) / n).pow(0.5).tolist(),
        (2 * (n - 1)).tolist(),
        tolerance=_TOLERANCE,
        chosen_from=2,  # either may be the higher
    )
    for row, decision in zip(tested, decisions, strict=True):
        shown = decision.verdict is Verdict.AHEAD
        verdict[row] = (
            Verdict.beside(difference[row], True) if shown else decision.verdict
        )
    return pd.DataFrame({"verdict": verdict, "why": why})


def compare(
    printed: pd.DataFrame,
    summary: pd.DataFrame,
    datasets: DatasetNames,
    *,
    not_comparable: dict[str, str] | None = None,
    absent: Collection[str] = (),
) -> pd.DataFrame:
    """Compare printed numbers with our summary: a row for each number and data set, with `COLUMNS`.

    `datasets` are data set of the benchmark -> (as printed, how parameters were selected); `not_comparable`
    is metric -> why; `absent` are printed methods and data sets that the benchmark does not have.
    ``constant`` counts those of the n runs whose model ranks nothing.

    A printed data set that is none of `datasets` is left out, but for a name near one of theirs, which is a
    `PrintedError` unless `absent` has it. A printed top, metric or method that the run has not is one too,
    unless the run has nothing of the data set.
    """
    _check_datasets(
        printed["dataset"], {name for name, _ in datasets.values()}, absent
    )
    printed = printed.rename(
        columns={"mean": "printed", "std": "printed_spread"}
    ).assign(
        id=printed["dataset"].map(
            lambda name: [d for d in datasets if datasets[d][0] == name]
        )
    )
    printed = printed.explode("id").dropna(subset="id")
    ours = _named(summary, datasets)
    _check_keys(printed[printed["id"].isin(ours["id"])], ours, absent)
    table = printed.merge(ours.drop(columns="dataset"), "left", ["id", *_KEY[1:]])
    table["selection"] = table["id"].map(
        {d: selection for d, (_, selection) in datasets.items()}
    )
    table = table.fillna({"n": 0, "constant": 0}).astype(
        {"n": int, "constant": int}
    )[COLUMNS[:-2]]
    return table.join(verdicts(table, not_comparable or {}))


def _check_datasets(
    printed: Iterable[str], names: set[str], absent: Collection[str]
) -> None:
    """Refuse a printed data set that is most likely misspelt: none of the `names`, and near one."""
    for name in sorted({*printed} - names - {*absent}):
        if near := nearest(name, sorted(names)):
            raise PrintedError(
                f"the printed numbers have the dataset {name!r}, which the run has not; {near} "
                "What is printed and not run belongs to `absent` of compare"
            )


def _check_keys(
    printed: pd.DataFrame, ours: pd.DataFrame, absent: Collection[str]
) -> None:
    """Refuse a printed key that stands for nothing in the run, which is most likely misspelt."""
    methods = {*ours["method"], *absent}
    metrics = {*ours["metric"]}
    for dataset, rows in printed.groupby("dataset"):
        tops = {*ours.loc[ours["dataset"] == dataset, "top"]}
        for key, names in {
            "top": tops,
            "metric": metrics,
            "method": methods,
        }.items():
            for name in sorted({*rows[key]} - names):
                raise PrintedError(
                    f"the printed numbers of {dataset} have the {key} {name!r}, which the run has not; "
                    f"{did_you_mean(name, sorted(names))}. What is printed and not run belongs to `absent` "
                    "of compare; a run of a part of the methods goes without the page by --config paper=null"
                )


def ours_alone(
    printed: pd.DataFrame,
    summary: pd.DataFrame,
    datasets: DatasetNames,
) -> pd.DataFrame:
    """Select the rows of our summary that are not printed; parameters as for `compare`."""
    rows = _named(summary, datasets)
    printed_keys = pd.MultiIndex.from_frame(printed[_KEY])
    return rows.loc[
        ~pd.MultiIndex.from_frame(rows[_KEY]).isin(printed_keys), [*_KEY, *_OURS]
    ].reset_index(drop=True)


def _named(summary: pd.DataFrame, datasets: DatasetNames) -> pd.DataFrame:
    """Rename our rows and columns as the paper and a comparison have them; ``id`` is our data set."""
    rows = summary[summary["dataset"].isin(list(datasets))]
    return rows.rename(
        columns={"mean": "ours", "std": "spread", "n_constant": "constant"}
    ).assign(
        id=rows["dataset"],
        dataset=rows["dataset"].map(lambda d: datasets[d][0]),
        selection=rows["dataset"].map(lambda d: datasets[d][1]),
    )

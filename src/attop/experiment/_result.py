"""The result of a comparison: a table of the models with intervals and verdicts, a sentence, a figure."""

from __future__ import annotations

import io
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from attop._core.top import Top
from attop._core.wording import count_noun, format_fixed, format_p
from attop.experiment._capacity import curve_interval, draw_capacity
from attop.experiment._forecast import HeldOut, NextList, next_list
from attop.experiment._headline import TopJudgement, headline, judge_top
from attop.experiment._interval import UNKNOWN, Units, interval
from attop.experiment._judge import judge_pair
from attop.experiment._learner import Sample
from attop.experiment._parts import Parts
from attop.experiment._parts_at_top import parts_at_top
from attop.experiment._run import Row, Split
from attop.metrics._metric import Metric

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MARK, _RUNS, _BASELINE = "#1f5a96", "#9db8d2", "#8a8a8a"


@dataclass(frozen=True)
class TopComparison:
    """Result of `compare_at_top`.

    Attributes
    ----------
    table : DataFrame, one row a model, best first
        The metric's mean with a 95% interval (`low`, `high`), how many times more positives than chance at
        the top (`lift`, which counts rows, whatever they weigh), the difference to the best model (`behind`)
        with the interval of the test that gave the verdict (`behind_low`, `behind_high`: above zero exactly
        where the model is behind), the lead of the best that such runs would show in 8 of 10 cases
        (`needs`), adjusted `p` that it is not behind, `verdict` (best, behind, equal, open or untested), and
        mean `seconds` of a run.
    runs : DataFrame, one row a model and run
        `run`, `repeat` and `fold`, from 0, `value`, `lift`, `hits` (those among the first 0, 0.1 k, ... 3 k,
        divided by k), the `candidate` that was chosen, or that an ensemble begins with, how many are
        `averaged`, `seconds`, the `reason` of an undefined value or the
        error of a model that `failed`, the first `warning`, what is `torn` within the fit, how many items,
        `n_train` and `n_test`, and, if they were asked for, the fitted `estimator`.
    held_out : tuple of HeldOut or None
        Test rows, labels and scores of each row of `runs`; None where the model failed.
    metric, top : str, Top
    list_length : int
        Items of the list that the sentence speaks of: those given, or what `top` says.
    share : float
        Positives among the items: what chance finds.
    grouped : bool
        Whether each value is a mean over groups.
    judgement : TopJudgement
        The best against every other model, see `attop.experiment.judge`.
    pos_label : label
        What is to be found: by default the second label in sorted order.
    next : NextList or None
        How many positives the best finds in the next list of that length, chosen as it was among all
        models; of precision@k alone, and None with groups, each of which is a list.
    notes : tuple of str
        What to know besides the numbers: that models split rows within their fit and tear entities or groups,
        which failed, and by which metric they are compared where weights or amounts chose it.
    parts : DataFrame or None, one row a model and part
        With `by`: how many `rows` are of a part, their share `of_all` and the share of them that is
        `positive`; among the first k its `share` and its `precision`, with 95% intervals (`share_low`, ...).
        Rows count whatever they weigh; the sums of all test parts are divided.
    """

    table: pd.DataFrame
    runs: pd.DataFrame
    metric: str
    top: Top
    list_length: int
    share: float
    grouped: bool
    judgement: TopJudgement
    pos_label: object
    next: NextList | None
    held_out: tuple[HeldOut | None, ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    parts: pd.DataFrame | None = None

    @property
    def sentence(self) -> str:
        """Sentence on the best model: its hits, and whether it is shown to be better than the next."""
        return headline([self.judgement])

    @property
    def scores(self) -> pd.DataFrame:
        """Held-out scores: of each row, by each model that did not fail on it.

        Columns: `model`, `repeat`, `fold`, `row` (of `X`, from 0), `y` (1 for a positive), `score`.
        """
        import pandas as pd

        keys = self.runs[["model", "repeat", "fold"]].to_dict("records")
        frames = [
            pd.DataFrame(
                {**key, "row": one.rows, "y": one.y_true, "score": one.y_score}
            )
            for key, one in zip(keys, self.held_out, strict=True)
            if one is not None
        ]
        return pd.concat(frames, ignore_index=True).astype({"model": "category"})

    def between(self, first: str, second: str) -> str:
        """Compare two models that were chosen after the numbers were seen.

        Of the best and another one it is what the table says. Of two others p is adjusted by Holm for all
        pairs of the models: a pair that was not chosen beforehand has to be. Name one to `compare_at_top` as
        `against`, and smaller leads are shown.

        Parameters
        ----------
        first, second : str
            Names of two models.

        Returns
        -------
        sentence : str

        Raises
        ------
        ValueError
            If they are not two of the models.
        """
        names = list(self.table.index)
        if first == second or not {first, second} <= {*names}:
            raise ValueError(
                f"two of the models {names} are needed, got {first!r} and {second!r}"
            )
        values = self.runs.pivot(index="run", columns="model", values="value")[
            names
        ]
        judged = self.judgement
        ratio = self._test_train_ratio
        better, rival = judge_pair(
            {m: values[m].to_numpy() for m in names}, first, second, ratio, judged
        )
        leader, other = (
            f"{m} ({judged.found(judged.means.get(m, math.nan))})"
            for m in (better, rival.model)
        )
        sentence = f"{leader} is {rival.verdict.sentence(other, 'better than')}{judged.beside(rival)}"
        why = f": {rival.reason}" if rival.reason else f" (p {format_p(rival.p)})"
        pairs = count_noun(len(names) * (len(names) - 1) // 2, "pair")
        return f"Chosen afterwards, of {pairs}: {sentence}{why}."

    @property
    def _test_train_ratio(self) -> float:
        sizes = self.runs.drop_duplicates("run")[["n_test", "n_train"]].sum()
        return float(sizes["n_test"] / sizes["n_train"])

    def plot(
        self, kind: Literal["strip", "capacity"] = "strip", axes: Axes | None = None
    ) -> Axes:
        """Draw the comparison, by default on a new figure of pyplot's.

        Parameters
        ----------
        kind : {"strip", "capacity"}
            "strip": every model's mean, 95% interval, runs and verdict, best on top, and chance if in range.
            "capacity": hits against rows looked at, up to three times k, and the band of the next list.
        axes : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        axes : matplotlib Axes

        Raises
        ------
        ValueError
            If the kind is unknown, or a curve is asked for and each group is a list of its own.
        ImportError
            If matplotlib is not installed.
        """
        if kind not in ("strip", "capacity"):
            raise ValueError(f"kind must be 'strip' or 'capacity', got {kind!r}")
        table, n = self.table, len(self.table)
        if axes is None:
            axes = _new_axes(4.2 if kind == "capacity" else self._height)
        if kind == "capacity":
            return self._plot_capacity(axes)
        rows = np.arange(n)[::-1]
        for row, name in zip(rows, table.index, strict=True):
            values = self.runs.loc[self.runs["model"] == name, "value"]
            axes.plot(
                values,
                np.full(len(values), row),
                "|",
                color=_RUNS,
                markersize=9,
                zorder=1,
            )
            axes.annotate(
                self.judgement.state(str(name)).word, (1, row), xycoords=("axes fraction", "data"),
                xytext=(5, 0), textcoords="offset points", va="center", color=_BASELINE, fontsize="small",
            )  # fmt: skip
        middle = table[self.metric]
        reach = np.nan_to_num([middle - table["low"], table["high"] - middle])
        axes.errorbar(
            middle, rows, xerr=reach, fmt="o", color=_MARK, capsize=3, zorder=2
        )
        if self.metric == "precision@k":
            axes.axvline(self.share, color=_BASELINE, linestyle=":", linewidth=1)
            axes.annotate(
                "chance", (self.share, 1), xycoords=("data", "axes fraction"), xytext=(3, -10),
                textcoords="offset points", color=_BASELINE, fontsize="small",
            )  # fmt: skip
        axes.set_yticks(rows, table.index)
        axes.set_ylim(-0.6, n - 0.4)
        top = f" ({self.top})" if self.judgement.needs_top else ""
        axes.set_xlabel(
            f"{self.metric}{top}, mean, 95% interval and runs", loc="right"
        )
        axes.spines[["top", "right"]].set_visible(False)
        return axes

    def _plot_capacity(self, axes: Axes) -> Axes:
        k = self.judgement.k
        if self.grouped or k is None:
            raise ValueError(
                "a curve of hits is of one list, and with groups there is one each: plot('strip')"
            )
        ran = self.runs[~self.runs["failed"]].groupby("model")["hits"]
        curves = {
            m: np.stack(list(ran.get_group(m)))
            for m in self.table.index
            if m in ran.groups
        }
        n_pos = round(self.share * self.list_length)
        units = self.judgement.units if self.metric == "precision@k" else UNKNOWN
        ratio = self._test_train_ratio
        bands = {
            m: curve_interval(hits, ratio, units=units)
            for m, hits in curves.items()
        }
        draw_capacity(
            axes,
            curves,
            k,
            self.list_length,
            n_pos,
            forecast=self.next,
            bands=bands,
        )
        axes.set_title(
            f"Positives among the first k of {self.list_length:,} items",
            loc="left",
            pad=18,
        )
        return axes

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the benchmark's page of this comparison: one HTML file that opens without a network.

        Raises
        ------
        ImportError
            If the benchmark, or what it draws with, is not installed.
        """
        try:
            (page,) = entry_points(group="attop.report", name="page")
            page.load()(self, path)
        except (ImportError, ValueError) as error:
            raise ImportError(
                f"the page needs the benchmark: pip install 'attop[workflow]' ({error})"
            ) from error

    def __str__(self) -> str:
        shown = self.table.copy()
        shown["seconds"] = shown["seconds"].map("{:.2f}".format, na_action="ignore")
        text = self.sentence + self._sought + self._coming
        table = shown.to_string(float_format="{:z.3f}".format, na_rep="")
        return "\n".join([table, "", text, *self.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        picture = ""
        with suppress(ImportError):  # matplotlib may not be installed
            from matplotlib.figure import Figure

            figure = Figure(figsize=(6.4, self._height), layout="constrained")
            self.plot(axes=figure.subplots())
            drawn = io.StringIO()
            figure.savefig(drawn, format="svg")
            picture = drawn.getvalue()[drawn.getvalue().find("<svg") :]
        shown = self.table[[self.metric, "lift", "behind", "verdict", "seconds"]]
        shown.insert(1, "95% interval", self._range("low", "high"))
        shown.insert(4, "its interval", self._range("behind_low", "behind_high"))
        table = shown.rename_axis(None).to_html(
            border=0, float_format="{:z.3f}".format, na_rep="–"
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        text = f"<p><b>{escape(self.sentence + self._sought)}</b>{escape(self._coming)}</p>{notes}"
        return f"{text}{picture}{table}"

    def _range(self, low: str, high: str) -> pd.Series:
        """Join two columns as text, such as the ends of intervals; a dash stands for a missing value."""
        ends = self.table[[low, high]].map(format_fixed)
        return (ends[low] + " to " + ends[high]).where(self.table[low].notna(), "–")

    @property
    def _height(self) -> float:
        """Height of the strip of models, in inches."""
        return 1.3 + 0.42 * len(self.table)

    @property
    def _sought(self) -> str:
        return "" if self.pos_label in (0, 1) else f" Positive: {self.pos_label!r}."

    @property
    def _coming(self) -> str:
        return "" if self.next is None else f" {self.next.sentence}."


def summarise(
    results: Sequence[Row],
    splits: Sequence[Split],
    metric: Metric,
    top: Top,
    sample: Sample,
    parts: Parts | None = None,
    against: str | None = None,
    notes: Sequence[str] = (),
) -> TopComparison:
    """Summarise all runs at a top as a comparison; `results` are in the order of the splits."""
    runs = _runs(results, splits)
    values = runs.pivot(index="run", columns="model", values="value")
    sizes = [(len(split.fold.train), len(split.fold.test)) for split in splits]
    n_train, n_test = np.array(sizes).T
    ratio = float(n_test.sum() / n_train.sum())
    n = len(sample.y)
    share = float(sample.y.mean())
    grouped = sample.groups is not None
    length = top.out_of or (
        n if sample.groups is None else round(n / len(np.unique(sample.groups)))
    )
    units = sample.units(metric, top, ratio, [split.fold.test for split in splits])
    judged = judge_top(
        {model: values[model].to_numpy() for model in dict.fromkeys(runs["model"])},
        metric,
        top,
        dataset="data",
        test_train_ratio=ratio,
        n=length,
        share=share,
        grouped=grouped,
        units=units,
        against=against or "",
    )
    rivals = {rival.model: rival for rival in judged.rivals}
    order = dict.fromkeys(filter(None, [judged.best, *rivals, *runs["model"]]))
    table = _table(runs, values, judged, [*order], metric, ratio, units)
    forecast = None
    tested = _tested(results)
    whole = {
        model: tested[model]
        for model in order
        if len(tested.get(model, ())) == len(splits)
    }
    if (
        judged.best in whole
        and judged.k
        and metric.name == "precision@k"
        and not grouped
    ):
        best = whole.pop(judged.best)
        forecast = next_list(best, judged.k, length, rivals=[*whole.values()])
    parts_table = None
    if parts is not None:
        parts_table = parts_at_top(
            {model: tested[model] for model in order if model in tested},
            parts,
            top,
            ratio,
            y=sample.y,
            groups=sample.groups,
            entity=sample.entity,
        )
    return TopComparison(
        table=table,
        runs=runs,
        metric=metric.name,
        top=top,
        list_length=length,
        share=share,
        grouped=grouped,
        judgement=judged,
        pos_label=sample.positive,
        next=forecast,
        held_out=tuple(cast("HeldOut | None", row["held_out"]) for row in results),
        notes=(*notes, *_failures(results), *_torn(results)),
        parts=parts_table,
    )


def _runs(results: Sequence[Row], splits: Sequence[Split]) -> pd.DataFrame:
    """Tabulate the runs, without their test parts, with the numbers and sizes of their folds."""
    import pandas as pd

    models = len(results) // len(splits)
    numbers = [run for run in range(len(splits)) for _ in range(models)]
    places = [
        {
            "run": run,
            "repeat": splits[run].repeat,
            "fold": splits[run].number,
            "n_train": len(splits[run].fold.train),
            "n_test": len(splits[run].fold.test),
        }
        for run in numbers
    ]
    return pd.DataFrame(results).drop(columns="held_out").join(pd.DataFrame(places))


def _table(
    runs: pd.DataFrame,
    values: pd.DataFrame,
    judged: TopJudgement,
    order: list[str],
    metric: Metric,
    ratio: float,
    units: Units,
) -> pd.DataFrame:
    """Tabulate one row a model, in `order`: means with intervals, and the difference to the best."""
    import pandas as pd

    rivals = {rival.model: rival for rival in judged.rivals}
    means = runs.groupby("model")[["lift", "seconds"]].mean().loc[order]
    limits = np.array(
        [
            interval(values[model], ratio, units=units, bounds=metric.bounds)
            for model in order
        ]
    ).T
    behind = {
        "behind": "difference", "behind_low": "low", "behind_high": "high", "needs": "needs", "p": "p"
    }  # fmt: skip
    return pd.DataFrame(
        {
            metric.name: pd.Series(judged.means, dtype=float).reindex(order),
            "low": limits[0],
            "high": limits[1],
            "lift": means["lift"],
            **{
                c: pd.Series({m: getattr(r, a) for m, r in rivals.items()})
                for c, a in behind.items()
            },
            "verdict": [judged.state(model).word for model in order],
            "seconds": means["seconds"],
        },
        index=pd.Index(order, name="model"),
    )


def _tested(results: Sequence[Row]) -> dict[str, list[HeldOut]]:
    """Collect the test parts on which each model did not fail."""
    tested: dict[str, list[HeldOut]] = {}
    for row in results:
        if not row["failed"]:
            tested.setdefault(cast("str", row["model"]), []).append(
                cast("HeldOut", row["held_out"])
            )
    return tested


def _failures(results: Sequence[Row]) -> list[str]:
    """Report the failures of each model: in how many runs, and the reason of the first."""
    reasons: dict[str, list[str]] = {}
    for row in results:
        if row["failed"]:
            reasons.setdefault(cast("str", row["model"]), []).append(
                cast("str", row["reason"])
            )
    count = Counter(row["model"] for row in results)
    return [
        f"{model} failed in {len(why)} of {count[model]} runs: {why[0]}"
        for model, why in reasons.items()
    ]


def _torn(results: Sequence[Mapping[str, object]]) -> list[str]:
    """Report once for each model which of its own splits tear entities or groups."""
    sentences = [
        f"{result['model']}: {sentence}."
        for result in results
        for sentence in cast("list", result["torn"])
    ]
    return list(dict.fromkeys(sentences))


def _new_axes(height: float) -> Axes:
    """Make axes on a new figure of matplotlib's pyplot, `height` in inches."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            f"to plot, install matplotlib: pip install matplotlib ({error})"
        ) from error
    return pyplot.figure(figsize=(6.4, height), layout="constrained").subplots()

"""Sentences of the papers that can be computed in seconds: each with a number of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attop.metrics import pap_at_k
from attop.surrogates import PrecAtKAvg
from attop_bench.papers.findings import Findings, Plot, Table, Tables
from attop_bench.papers.pictures import COLOURS, panels
from attop_bench.report.figures.scene import figure_theme
from attop_bench.run.paper import Simulation
from studies.publish import Sizes
from studies.theory import prec_margins, push_risk, top_margin_loss

SIMULATIONS = {"sentences": Simulation("studies.sentences.sentences")}
CONFIGURATION = "studies/sentences.yaml"
#: Every item of the papers, its state and the test or page that holds it.
ITEMS = Path(__file__).with_name("items.csv")
_STATES = ["works", "partly", "missing", "not available"]
#: Sizes of samples whose quantile is looked at, draws of each, and the share above it.
_SIZES, _DRAWS, _TAU = (100, 400, 1600, 6400), 400, 0.1
#: Lists of which half is right: n+ and k of each, the lower half of the list.
_LISTS = ((5, 10), (10, 20), (50, 100))
#: Samples whose metric is looked at.
_CASES = 200
_COLUMNS = ["paper", "sentence", "setting", "value", "expected", "holds"]


def sentences(seed: int) -> pd.DataFrame:
    """Return a row a number: what a sentence says (`expected`, in words or digits) and what comes out."""
    rng = np.random.default_rng(seed)
    parts: tuple[Callable[[np.random.Generator], Iterator[tuple[Any, ...]]], ...] = (
        _preference_pairs,
        _quantile,
        _khintchine,
        _without_a_separator,
        _slow_discounts,
        _smaller_k,
        _steep_prices,
    )
    return pd.DataFrame([row for part in parts for row in part(rng)], columns=_COLUMNS)


def _preference_pairs(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Stack both ends of pairs, in which an item may be preferred once and not another time."""
    items = rng.normal(size=30)
    pairs = rng.integers(0, len(items), (200, 2))
    threshold, rho = 0.3, 1.0
    both = np.concatenate([items[pairs[:, 0]], items[pairs[:, 1]]])
    y = np.repeat([1, 0], len(pairs))
    stacked = top_margin_loss(both, y, threshold=threshold, rho=rho)
    terms = [
        0.5 * _ramp(items[preferred] - threshold, rho) + 0.5 * _ramp(threshold - items[other], rho)
        for preferred, other in pairs
    ]
    error = abs(stacked - float(np.mean(terms)))
    ends = np.intersect1d(*pairs.T)
    setting = f"{len(pairs)} pairs, {len(ends)} of {len(items)} items at both ends"
    sentence = "section 2: pairs of a general preference are two stacked samples"
    yield "AATP", sentence, setting, error, "no difference to the mean over pairs", error < 1e-12


def _ramp(margin: float, rho: float) -> float:
    return min(1.0, max(0.0, 1.0 - margin / rho))


def _quantile(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Measure how much probability lies between a sample's quantile and the true one."""
    sentence = "section 4, footnote: P(score between q and its estimate) is O(1/sqrt m)"
    limit = math.sqrt(2 * _TAU * (1 - _TAU) / math.pi)
    for m in _SIZES:
        # The distribution function of any continuous score is uniform.
        uniform = np.sort(rng.random((_DRAWS, m)), axis=1)
        estimate = uniform[:, m - math.ceil(_TAU * m)]
        scaled = float(np.abs(estimate - (1 - _TAU)).mean() * math.sqrt(m))
        close = abs(scaled - limit) < 0.15 * limit
        yield "AATP", sentence, f"m = {m}, times sqrt m", scaled, f"{limit:.3f} in the limit", close


def _khintchine(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Compute E|sum of m signs| / sqrt m, whose least value is that of two signs."""
    sentence = "section 4, proof: the bound is tight up to 1/sqrt 2 (Kahane, Khintchine)"
    for m in (1, 2, 8, 512):
        sums = np.abs(m - 2 * np.arange(m + 1))
        chances = [math.exp(_log_binomial(m, j) - m * math.log(2)) for j in range(m + 1)]
        ratio = float(sums @ np.array(chances)) / math.sqrt(m)
        yield "AATP", sentence, f"m = {m}", ratio, "at least 0.707", ratio > 0.5**0.5 - 1e-12


def _log_binomial(m: int, j: int) -> float:
    return math.lgamma(m + 1) - math.lgamma(j + 1) - math.lgamma(m - j + 1)


def _without_a_separator(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Show scores that no threshold separates, with a perfect top and a loss of zero."""
    scores, y = np.array([4.0, -1.0, 0.0, -2.0]), np.array([1, 1, 0, 0])
    value, _ = PrecAtKAvg(1).value_and_coef(scores, y)
    margins = prec_margins(scores, y, 1)
    sentence = "section 4: a perfect ranking may be found where no classifier separates"
    setting = f"k = 1, margin of all pairs {margins.strong:g}, of the mean {margins.k:g}"
    yield "PREC", sentence, setting, float(value), "avg is 0", value == 0 and margins.strong < 0


def _slow_discounts(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Compute NDCG of lists whose lower half is right, with the usual discount and slow ones."""
    sentence = 'section 2: NDCG with slow discounts gives "almost 90%" to a list whose lower half is right'
    discounts = {"1 / log2(1 + i)": lambda i: 1 / np.log2(1 + i), "i to the -0.1": lambda i: i**-0.1}
    for name, discount in discounts.items():
        for n_pos, k in _LISTS:
            places = discount(np.arange(1, k + 1.0))
            value = float(places[k - n_pos :].sum() / places[:n_pos].sum())
            slow = name.startswith("i ")
            expected = "almost 0.90" if slow else "far less with the usual discount"
            holds = 0.8 < value < 0.95 if slow else value < 0.7
            yield "PAP", sentence, f"{name}, n+ = {n_pos}, k = {k}", value, expected, holds


def _smaller_k(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Measure how far pAp@k of a sample is from its mean over samples, by k."""
    sentence = "section 6: the smaller k, the looser the bound"
    y = np.repeat([1, 0], [100, 200])
    samples = rng.normal(size=(_CASES, len(y))) + y
    spreads = [float(np.std([pap_at_k(y, scores, k) for scores in samples])) for k in (1, 4, 16, 64)]
    for k, spread, wider in zip((4, 16, 64), spreads[1:], spreads, strict=False):
        setting = f"k = {k} of {200} negatives, spread over samples"
        yield "PAP", sentence, setting, spread, f"below {wider:.3f}, that of k = {k // 4}", spread < wider


def _steep_prices(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Compute g^-1 of the mean of g at the misranked shares of the negatives, g ever steeper."""
    sentence = "section 2: with a steep g, g^-1(sum of g) nears the largest share, R_max"
    y = np.repeat([1, 0], [40, 60])
    scores = rng.normal(size=len(y)) + y
    shares = (scores[:40, None] <= scores[None, 40:]).mean(axis=0)
    gaps = []
    for p in (1, 4, 16, 64, 256):
        gaps.append(float(shares.max()) - push_risk(scores, y, p=p))
        smaller = len(gaps) == 1 or gaps[-1] < gaps[-2]
        yield "PUSH", sentence, f"g(r) = r^{p}", gaps[-1], "ever nearer to 0", smaller
    gaps = []
    for rate in (1, 16, 256, 4096):
        value = math.log(np.exp(rate * (shares - shares.max())).mean()) / rate
        gaps.append(-value)
        smaller = len(gaps) == 1 or gaps[-1] < gaps[-2]
        yield "PUSH", sentence, f"g(r) = exp({rate} r)", gaps[-1], "ever nearer to 0", smaller


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the numbers, and the list of all items."""
    return {"sentences": results["sentences"], "items": pd.read_csv(ITEMS)}


def findings(tables: Tables) -> Findings:
    """Return the page."""
    rows = tables["sentences"]
    by_sentence = rows.groupby(["paper", "sentence"], sort=False)["holds"].agg(["sum", "size"])
    whole = int((by_sentence["sum"] == by_sentence["size"]).sum())
    cells = rows.assign(
        value=rows["value"].map("{:.3g}".format), holds=rows["holds"].map({True: "yes", False: "no"})
    )
    return Findings(
        title="Sentences of the papers, computed",
        answer="Holds" if whole == len(by_sentence) else "In part",
        short="What the papers say in passing, each with a number of its own.",
        citation="AATP (2012), PREC (2015), PAP (2020), PUSH (2005).",
        verdict=[
            f"**Of {len(by_sentence)} sentences {whole} hold in every number of the table.**",
            "Each is made of samples drawn for it, without a data set.",
        ],
        picture=_picture(rows),
        tables=[Table("Sentence by sentence", cells), _count_items(tables["items"])],
        reasons=(
            "Sentences on the papers' data stand on the papers' own pages. Those that contradict themselves "
            "stand in the errata.",
        ),
        files={"sentences": "the numbers", "items": "every item of the papers, its state and its evidence"},
    )


def _count_items(items: pd.DataFrame) -> Table:
    """Return how many items of each paper are in each state."""
    counts = items.groupby("paper", sort=False)["state"].value_counts().unstack(fill_value=0)
    counts = counts.reindex(columns=_STATES, fill_value=0).loc[list(dict.fromkeys(items["paper"]))]
    counts.loc["all"] = counts.sum()
    return Table(
        f"All items: {len(items)}",
        counts.rename_axis(columns=None).reset_index(),
        "What the papers define, state and print. The file names the test or page that holds each.",
    )


def sizes(tables: Tables) -> Sizes:
    """Return the first and the last setting of the sentences on a limit."""
    rows = tables["sentences"]
    ends = {
        "quantile, m = 100 → 6,400": rows[rows["sentence"].str.contains("footnote")],
        "push, p = 1 → 256": rows[rows["setting"].str.startswith("g(r) = r^")],
    }
    return Sizes(
        "distance",
        ("first", "last"),
        {name: (its["value"].iloc[0], its["value"].iloc[-1]) for name, its in ends.items()},
    )


def _picture(rows: pd.DataFrame) -> Plot:
    canvas, (left, right) = panels(["AATP: quantile, times sqrt m", "PUSH: distance to R_max"], 2.4)
    quantile = rows[rows["sentence"].str.contains("footnote")]
    powers = rows[rows["setting"].str.startswith("g(r) = r^")]
    with figure_theme():
        left.plot(range(len(quantile)), quantile["value"], "o-", color=COLOURS["equal"])
        left.set_xticks(range(len(quantile)), quantile["setting"].str.extract(r"(\d+)", expand=False))
        left.set(xlabel="m", ylim=(0, None))
        right.plot(range(len(powers)), powers["value"], "o-", color=COLOURS["equal"])
        right.set_xticks(range(len(powers)), powers["setting"].str.extract(r"\^(\d+)", expand=False))
        right.set(xlabel="p", ylim=(0, None))
    caption = "A sample's quantile nears the true one with the root of m; the push nears R_max with p"
    return Plot("sentences", caption, canvas)

"""The question of Vanderschueren et al. (2022) on the board: a capacity that is limited and uncertain.

``python -m studies.board.capacity`` writes docs/board/capacity.md from the board's published values.

The rule, fixed before the first result:

- *Law*: the capacity k is a quarter, a half, or all of the number of positives, with equal chance. Expected
  precision is linear in the chances, so that a set's value is the mean of its precisions at these tops.
- *Sets*: all of the board on which `METHODS` have a value at each of the tops, at least eight.
- *Comparisons*: LambdaMART and TopStack against LightGBM's classifier, and TopStack against LambdaMART, by
  Wilcoxon's signed ranks over the sets, adjusted by Holm for the three. Shown is what has p below 5%.
- *Limited*: the same at the least capacity alone, a quarter of the positives.
- *What decides*: Spearman's correlation of a difference with the positives, the share of positives and the
  rows of a set, adjusted by Holm for all of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import spearmanr

from attop.extending import count_noun
from attop.statistics import holm, wilcoxon
from attop_bench.files import write_bytes

_BOARD = Path(__file__).parents[2] / "docs/board"
#: Equal chances of these tops are the law.
TOPS = ("n+/4", "n+/2", "n+")
METHODS = ("LightGBM", "LambdaMART (LightGBM)", "TopStack")
PAIRS = ((METHODS[1], METHODS[0]), (METHODS[2], METHODS[0]), (METHODS[2], METHODS[1]))
_FACTS = ("positives", "prevalence", "rows")
_LEVEL, _LEAST_SETS = 0.05, 8
_QUESTION = (
    "Vanderschueren et al. (2022) say that LambdaMART beats classification where fewer items can be acted on "
    "than are positive, and their number is not certain."
)
_RULE = (
    "Every model is trained for its own top, as everywhere there: no model was trained for the law itself. "
    "The rule stands in studies/board/capacity.py. It was fixed before the first result. TopStack was "
    "developed on some of the sets, as docs/board/sets.csv says of each."
)
_NOTE = (
    "The mean difference over sets. p is of Wilcoxon's signed ranks over the sets, adjusted by Holm for the "
    "three comparisons of a capacity."
)


def expected_values(values: pd.DataFrame) -> pd.DataFrame:
    """Return the expected precision of each set and method, and that at the least capacity.

    A row a set, a column for each method; those of the least capacity have the suffix ``, least``.
    """
    rows = values[values["top"].isin(TOPS)].dropna(subset=list(METHODS))
    complete = rows.groupby("set")["top"].nunique() == len(TOPS)
    rows = rows[rows["set"].map(complete)]
    if rows["set"].nunique() < _LEAST_SETS:
        raise ValueError(f"the rule asks for {_LEAST_SETS} sets, got {rows['set'].nunique()}")
    expected = rows.groupby("set")[list(METHODS)].mean()
    least = rows[rows["top"] == TOPS[0]].set_index("set")[list(METHODS)]
    return expected.join(least.add_suffix(", least"))


def comparisons(expected: pd.DataFrame) -> pd.DataFrame:
    """Return each comparison over the sets: mean difference, sets higher and lower, and p by Holm."""
    rows = []
    for suffix, law in (("", "uncertain"), (", least", "a quarter of the positives")):
        tests: list[dict[str, Any]] = []
        for method, rival in PAIRS:
            gap = expected[method + suffix] - expected[rival + suffix]
            test = wilcoxon(expected[method + suffix], expected[rival + suffix])
            counts = {"sets higher": int((gap > 0).sum()), "sets lower": int((gap < 0).sum())}
            about = {"capacity": law, "method": method, "rival": rival}
            tests.append({**about, "difference": float(gap.mean()), **counts, "p": test.p})
        adjusted = holm([row["p"] for row in tests])
        rows += [{**row, "p": p} for row, p in zip(tests, adjusted, strict=True)]
    return pd.DataFrame(rows)


def what_decides(expected: pd.DataFrame, sets: pd.DataFrame) -> pd.DataFrame:
    """Return Spearman's correlation of each difference with facts of the sets, p by Holm."""
    facts = sets.set_index("set").loc[expected.index]
    rows = []
    for method, rival in PAIRS:
        gap = expected[method] - expected[rival]
        for fact in _FACTS:
            correlation, p = spearmanr(gap, facts[fact].astype(float))
            rows.append({"method": method, "rival": rival, "fact": fact, "correlation": correlation, "p": p})
    table = pd.DataFrame(rows)
    return table.assign(p=holm(table["p"].tolist()))


def page(values: pd.DataFrame, sets: pd.DataFrame) -> str:
    """Return the page, of the board's values alone."""
    expected = expected_values(values)
    compared, decides = comparisons(expected), what_decides(expected, sets)
    n = count_noun(len(expected), "set")
    lines = [
        "# Where the capacity is limited and uncertain",
        "",
        _QUESTION,
        "",
        f"**{_answer(compared)}**",
        "",
        f"The law: a quarter, a half, or all of the number of positives, with equal chance, on {n} of the "
        "[board](README.md). " + _RULE,
        "",
        "## Expected precision",
        "",
        *_markdown(_compared_cells(compared)),
        "",
        _NOTE,
        "",
        "## What decides",
        "",
        *_markdown(_decides_cells(decides)),
        "",
        _decided(decides),
        "",
        "## By set",
        "",
        *_markdown(expected[list(METHODS)].map("{:.3f}".format).reset_index()),
    ]
    return "\n".join(lines) + "\n"


def _answer(compared: pd.DataFrame) -> str:
    said = []
    for row in compared[compared["rival"] == METHODS[0]].to_dict("records"):
        shown = row["p"] < _LEVEL
        way = "above" if row["difference"] > 0 else "below"
        word = f"shown to be {way}" if shown else "not shown to differ from"
        numbers = f"{row['difference']:+.3f}, p {row['p']:.3f}"
        said.append(f"Capacity {row['capacity']}: {row['method']} is {word} {row['rival']} ({numbers}).")
    return " ".join(said)


def _compared_cells(compared: pd.DataFrame) -> pd.DataFrame:
    return compared.assign(
        difference=compared["difference"].map("{:+.3f}".format), p=compared["p"].map("{:.3f}".format)
    )


def _decides_cells(decides: pd.DataFrame) -> pd.DataFrame:
    return decides.assign(
        correlation=decides["correlation"].map("{:+.2f}".format), p=decides["p"].map("{:.3f}".format)
    )


def _decided(decides: pd.DataFrame) -> str:
    shown = decides[decides["p"] < _LEVEL]
    if shown.empty:
        return "None of these is shown to decide."
    said = [
        f"{row['method']} less {row['rival']}: {row['fact']} ({row['correlation']:+.2f})"
        for row in shown.to_dict("records")
    ]
    return f"Shown to decide: {'; '.join(said)}."


def _markdown(table: pd.DataFrame) -> list[str]:
    rows = [[str(value) for value in row] for row in table.itertuples(index=False)]
    return [f"| {' | '.join(cells)} |" for cells in ([*table.columns], ["---"] * len(table.columns), *rows)]


def write() -> None:
    """Write the page beside the board's values."""
    values, sets = (pd.read_csv(_BOARD / f"{name}.csv") for name in ("values", "sets"))
    write_bytes(_BOARD / "capacity.md", page(values, sets).encode())


if __name__ == "__main__":
    write()

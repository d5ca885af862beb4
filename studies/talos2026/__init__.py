"""Tables 3.1 and 4.1 of Talos (S. Zhang et al. 2026): AATP among losses of users' lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from attop.extending import join_words
from attop_bench.papers.findings import Findings, Plot, Table, Tables, printed_numbers
from attop_bench.papers.pictures import beside, dumbbells
from studies.publish import Sizes
from studies.slatk2025 import near_printed

#: Methods, as a reader calls them: table 3.1, beside it, and table 4.1.
NAMES = {
    "talos": "Talos",
    "psl": "PSL",
    "softmax": "Softmax",
    "bsl": "BSL",
    "advinfonce": "AdvInfoNCE",
    "smoothi-at-20": "SmoothI@20",
    "llpauc": "LLPAUC",
    "bpr": "BPR",
    "aatp-regressed": "AATP (regressed threshold)",
    "rs-at-20": "RS@20",
    "aatp": "AATP (20th score)",
    "softmax-at-20": "SL@20",
    "ease": "EASE",
    "popularity": "Popularity",
    "talos-without-threshold": "Talos without threshold",
    "talos-inside": "Talos (temperature inside)",
    "talos-without-denominator": "Talos without denominator",
    "talos-lightgcn": "Talos (LightGCN)",
    "softmax-lightgcn": "Softmax (LightGCN)",
}
#: Printed for LightGCN, and not run on it.
_ABSENT = tuple(
    f"{name}-lightgcn"
    for name in (
        "bpr", "aatp-regressed", "rs-at-20", "smoothi-at-20", "bsl", "psl", "advinfonce", "llpauc"
    )
)  # fmt: skip
_REASONS = (
    "All items stand in the loss, and a step is over 1000 users. The paper draws 1024 items for each pair.",
    "BPR, PSL, RS@20 and SmoothI@20 take too long over all items. They see the positives and 1024 items that "
    "are drawn for each block of 120 users.",
    "Temperatures are of the paper's grid. All losses have 256 steps, BPR 384, so that the whole ends within "
    "half an hour on two cores. The rate of learning is 0.1 and there is no weight decay. The paper searches "
    "the rate and the decay, and stops by the validation pairs.",
    "The paper's code has BPR of inner products against one drawn item. Here all losses are of cosines.",
    "The paper's code starts from longer vectors, which a step of Adam turns less, and takes many more "
    "steps, of fewer users each. Its RS@20 is ours, whose slope nearly vanishes on a positive far from the "
    "top, as most are at the start.",
    "The paper's code ranks a user's validation pairs among the candidates at test, and does not train on "
    "them. The set beauty is so. In beauty-refit they are trained on in the end, and no candidates.",
    "Softmax, BSL, AdvInfoNCE and SL@20 choose the highest of their temperatures, Talos, PSL and RS@20 the "
    "lowest. Others were not tried.",
    "SmoothI@20 is the loss of its source, over all positives of a user. The paper has one positive and "
    "drawn negatives, and one indicator for all items.",
    "BSL's first temperature divides the whole loss, which Adam does not feel: BSL is softmax without the "
    "positive itself below the line.",
    "XSimGCL is not run. Gowalla is 29,858 users by 40,988 items, for which a step takes ten times as long. "
    "Of Games and Electronics the paper's repository has no split. Nor has it one of its temporal shift.",
    "SL@20, EASE and popularity are not in the paper.",
)

#: A module that names a file is run again where the file changes.
PRINTED = Path(__file__).with_name("printed.csv")
CONFIGURATION = "config/papers/talos2026.yaml"


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return printed numbers beside ours, then ours alone."""
    sets = {d: (d, "validation pairs") for d in story["datasets"]}
    return {"losses": near_printed(printed_numbers(PRINTED), results["summary"], sets, _ABSENT)}


def findings(tables: Tables) -> Findings:
    """Return the page."""
    losses = tables["losses"]
    precision, recall = (losses[losses["metric"] == metric] for metric in ("precision@k", "recall@k"))
    note = "▲ ▼: more than 5% above or below the printed number; =: within 5%. One random start."
    panels: dict[str, pd.DataFrame] = {}
    for dataset, rows in precision.groupby("dataset", sort=False):
        table = rows.set_index("method").reindex([m for m in NAMES if m in set(precision["method"])])
        names = [""] * len(table) if panels else table.index.map(NAMES)
        panels[str(dataset)] = table.assign(row=names).fillna({"verdict": "not comparable"})
    caption = "Precision@20, printed (hollow) and ours (filled, one start); higher is better"
    return Findings(
        title="Talos (2026): AATP among losses of users' lists",
        citation="S. Zhang et al. Talos: Optimizing Top-K Accuracy in Recommender Systems. WWW 2026.",
        verdict=list(_verdict(losses)),
        picture=Plot("printed-and-ours", caption, dumbbells(panels, "Precision@20", 4.6)),
        tables=[
            Table("Precision@20", beside(precision, "method", "dataset", NAMES, digits=4), note),
            Table("Recall@20", beside(recall, "method", "dataset", NAMES, digits=3)),
        ],
        reasons=_REASONS,
        files={"losses": "both metrics"},
        answer="In part",
        short="Talos leads the printed losses by less than printed, SL@20 leads Talos; AATP is as printed.",
    )


def sizes(tables: Tables) -> Sizes:
    """Return Precision@20 on Beauty, in percent, of the losses of the paper's question."""
    its = tables["losses"].query("metric == 'precision@k' and dataset == 'beauty'").set_index("method")
    rows = its.loc[its.index.isin(["talos", "softmax", "bpr", "aatp-regressed"])]
    return Sizes(
        "Precision@20 on Beauty in percent",
        ("printed", "ours"),
        {NAMES[str(name)]: (100 * row["printed"], 100 * row["ours"]) for name, row in rows.iterrows()},
    )


def _verdict(losses: pd.DataFrame) -> Iterator[str]:
    rows = losses[(losses["dataset"] == "beauty") & (losses["metric"] == "precision@k")]
    ours, printed = (rows.set_index("method")[column] for column in ("ours", "printed"))
    ranked = ours.dropna().sort_values(ascending=False)
    place = {method: at for at, method in enumerate(ranked.index, 1)}
    beside_printed = {
        name: f"{ours[name]:.4f} (printed {printed[name]:.4f})"
        for name in ("aatp-regressed", "talos", "softmax")
    }
    yield (
        "**On Beauty AATP with a threshold by regression, as the paper has it, has a precision@20 of "
        f"{beside_printed['aatp-regressed']}. About each user's 20th score, which is AATP's threshold, and "
        f"with its scale chosen, it has {ours['aatp']:.4f}. Talos has {beside_printed['talos']}, softmax "
        f"{beside_printed['softmax']}, and SL@20, which is not printed, {ours['softmax-at-20']:.4f}.**"
    )
    both = rows.dropna(subset=["ours", "printed"]).to_dict("records")
    kept = [
        (a["ours"] - b["ours"]) * (a["printed"] - b["printed"]) >= 0
        for a, b in combinations(both, 2)
        if a["printed"] != b["printed"]
    ]
    near = [NAMES[row["method"]] for row in both if row["verdict"] == "equal"]
    yield (
        f"Of {len(kept)} printed orders of two losses {sum(kept)} hold. Within 5% of the printed number are "
        f"{len(near)} of {len(both)}: {join_words(near) or 'none'}."
    )
    refit = losses[(losses["dataset"] == "beauty-refit") & (losses["metric"] == "precision@k")]
    again = refit.set_index("method")["ours"].dropna().sort_values(ascending=False)
    said = join_words([f"{NAMES[str(name)]} {value:.4f}" for name, value in again.items()])
    yield f"Where the validation pairs are trained on in the end, and are no candidates: {said}."
    yield f"EASE, one closed form, is number {place['ease']} of {len(place)}."
    parts = ["talos-without-threshold", "talos-inside", "talos-without-denominator"]
    lost = [f"{NAMES[name]} {ours[name] / ours['talos'] - 1:+.0%}" for name in parts if name in ours]
    yield f"Of Talos's parts: {join_words(lost)}."

"""The data sets of Boyd et al. (2012) over many partitions, with features prepared in several ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from attop_bench.papers.findings import Findings
from studies.partitions.partitions import partition_comparisons, sentences

__all__ = ["findings"]

_OWN = {"aatp": "aatp", "aatp-pairs": "aatp"}
_SHORT = {"ionosphere": "Ionosphere", "housing": "Boston Housing", "spambase": "Spambase"}


def findings(tables: Mapping[str, pd.DataFrame], story: Mapping[str, Any]) -> Findings:
    """Return P@tau by preparation, and the methods in pairs."""
    means, tests = partition_comparisons(tables, "precision@k", list(_OWN))
    names = {m: about["title"] for m, about in story["methods"].items()} | _SHORT
    return Findings(
        title="Accuracy at the Top, NIPS 2012: over partitions, by preparation",
        citation="S. Boyd, C. Cortes, M. Mohri, A. Radovanovic. Accuracy at the Top. NIPS 2012.",
        own=_OWN,
        answers=[*_claims(tests.table), *sentences(tests.table, means.table, names, "P@tau")],
        choices=[
            "As many items train as in the paper, three tenths of Ionosphere, two thirds of Housing and a "
            "twentieth of Spambase, drawn at random, stratified by class, for each partition.",
            "C or lambda on three inner folds of the training part, of the tables' six values.",
            "Preparation is learnt from the training part alone.",
        ],
        comparisons=[means, tests],
    )


def _claims(tests: pd.DataFrame) -> Iterator[str]:
    """Say what became of the paper's three claims of significance, features standardised."""
    rows = tests[(tests["preparation"] == "standard") & tests["rival"].isin(["svm-perf", "infinite-push"])]
    rows = rows[rows["method"] == "aatp"]

    def found(dataset: str, rival: str, top: str | None = None) -> tuple[bool, str]:
        its = rows[(rows["dataset"] == dataset) & (rows["rival"] == rival)]
        its = its if top is None else its[its["top"] == top]
        higher, lower = ((its["verdict"] == v).sum() for v in ("higher", "lower"))
        return higher == len(its), f"higher at {higher}, lower at {lower} of {len(its)} tau against {rival}"

    svm, push = found("ionosphere", "svm-perf"), found("ionosphere", "infinite-push")
    both = "held" if svm[0] and push[0] else "not held"
    yield (
        "Claim: on Ionosphere AATP is significantly better than the others, most of all at the smallest tau. "
        f"{both.capitalize()}, over partitions, C chosen in training: {svm[1]}; {push[1]} (tests.csv)."
    )
    four = found("housing", "svm-perf", "tau=0.04")
    yield (
        "Claim: on Housing AATP is significantly above SVMperf at 4%, and level with it at the very top. "
        f"{'Held' if four[0] else 'Not held'} at 4%: {four[1]}; at all tau {found('housing', 'svm-perf')[1]} "
        "(tests.csv)."
    )
    yield (
        "Claim: on LETOR (TREC 2003) AATP is significantly better than SVMperf. Not testable: the set is not "
        "available."
    )

"""The list of all items of the papers, and the two that are held here alone."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_circles
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from studies.sentences import findings

from attop.from_papers import GDPApK
from attop.metrics import get_metric, pap_at_k, precision_at_k
from attop.surrogates import PrecAtKAvg
from attop_bench.papers.page import read_tables
from support import ROOT

FOLDER = ROOT / "docs/papers/sentences"
ITEMS = pd.read_csv(FOLDER / "items.csv")
STATES = ["works", "partly", "missing", "not available"]


def test_every_item_has_a_state_and_evidence_that_is_there():
    assert not ITEMS.duplicated(["paper", "item"]).any()
    assert {*ITEMS["state"]} <= {*STATES}
    for evidence in ITEMS["evidence"]:
        file, _, test = evidence.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        if file.startswith("tests/"):
            assert re.search(rf"^def {test}\(", text, re.M), f"{file} has no test {test}"
        else:
            assert not test, f"{file} is a page"
            assert file.startswith("docs/"), file


def test_the_page_counts_them():
    page = findings(read_tables(FOLDER))
    counts = ITEMS["state"].value_counts()
    [table] = [table for table in page.tables if table.title.startswith("All items")]
    assert table.cells.set_index("paper").loc["all", STATES].tolist() == [counts[state] for state in STATES]
    few = {**read_tables(FOLDER), "items": ITEMS[:9]}
    [table] = [table for table in findings(few).tables if table.title.startswith("All items")]
    assert table.cells.set_index("paper").loc["all", STATES].sum() == 9


def test_multi_label_is_a_group_for_each_item():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, (6, 8)), rng.normal(size=(6, 8))
    labels[:, 0] = 1
    groups = np.repeat(np.arange(6), 8)
    of_each = [precision_at_k(y, s, 2) for y, s in zip(labels, scores, strict=True)]
    of_all = get_metric("precision@k").evaluate(labels.ravel(), scores.ravel(), 2, groups)
    assert of_all.value == pytest.approx(np.mean(of_each))
    losses = [PrecAtKAvg(2).value_and_coef(s, y)[0] for y, s in zip(labels, scores, strict=True)]
    value, _ = PrecAtKAvg(2).value_and_coef(scores.ravel(), labels.ravel(), groups=groups)
    assert value == pytest.approx(np.mean(losses))


@pytest.mark.filterwarnings("ignore:.*GDPApK stopped")
def test_a_kernel_lets_pap_rank_what_no_line_ranks():
    X, y = make_circles(200, noise=0.1, factor=0.4, random_state=0)
    plain = GDPApK("avg", top=20, lam=0.0001, eta=0.5, max_iter=300, random_state=0)
    kernel = make_pipeline(Nystroem(gamma=1.0, n_components=50, random_state=0), plain)
    values = [pap_at_k(y, model.fit(X, y).decision_function(X), 20) for model in (plain, kernel)]
    assert values[0] < 0.2
    assert values[1] == 1

"""CoIL 2000: features, models and lists, without a label of the customers to choose from."""

import numpy as np
import pandas as pd
import pytest
from studies.coil2000 import findings, tables
from studies.coil2000.customers import COLUMNS, FEATURES, KEY, POLICY_LEVELS, customer_features
from studies.coil2000.kind import coil2000, coil2000_evaluation, evaluation_features
from studies.coil2000.models import PolicyBayes, PolicyBlend, PolicyLogistic, PolicyStack

from attop.metrics import scores_of
from attop_bench.data.base import DatasetError


def customers(n, seed):
    """Customers with car and fire policies, and who of them has a caravan."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 4, (n, len(COLUMNS)))
    for policy, classes in (("PERSAUT", (0, 5, 6)), ("BRAND", (0, 2, 4))):
        paid = rng.choice(classes, n)
        table[:, COLUMNS.index(f"P{policy}")] = paid
        table[:, COLUMNS.index(f"A{policy}")] = np.where(paid > 0, rng.integers(1, 6, n), 0)
    table[:, COLUMNS.index("MKOOPKLA")] = rng.integers(1, 9, n)
    caravan = (table[:, COLUMNS.index("PPERSAUT")] == 6) & (rng.random(n) < 0.4)
    return table, caravan.astype(int)


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / name for name in ("ticdata2000.txt", "ticeval2000.txt", "tictgts2000.txt")]
    (table, y), (others, labels) = customers(400, 0), customers(150, 1)
    for path, rows in zip(paths, (np.column_stack([table, y]), others, labels[:, None]), strict=True):
        np.savetxt(path, rows, fmt="%d", delimiter="\t")
    return paths


def test_features_are_the_columns_and_what_they_amount_to():
    table, _ = customers(50, 2)
    X = customer_features(table)
    assert X.shape == (50, len(FEATURES))
    np.testing.assert_array_equal(X[:, :85], table)
    row = dict(zip(FEATURES, X[0], strict=True))
    raw = dict(zip(COLUMNS, table[0].tolist(), strict=True))
    assert row["paid in all"] == sum(v for c, v in raw.items() if c in COLUMNS[43:64])
    assert row["kinds of policies"] == sum(v > 0 for c, v in raw.items() if c in COLUMNS[64:])
    assert row["PPERSAUT x APERSAUT"] == raw["PPERSAUT"] * raw["APERSAUT"]
    paid, number = raw["PBRAND"], min(raw["ABRAND"], 3)
    assert row[f"PBRAND, ABRAND = {paid}, {number}"] == 1
    assert sum(v for f, v in row.items() if f.startswith("PBRAND, ABRAND = ")) == 1
    # Naive Bayes: one of each kind, for eight kinds.
    assert set(X[:, POLICY_LEVELS].sum(axis=1)) == {8}
    assert set(POLICY_LEVELS) < set(KEY)


def test_naive_bayes_multiplies_the_shares_of_the_classes():
    table, y = customers(300, 3)
    X = customer_features(table)
    model = PolicyBayes(alpha=2.0).fit(X, y)
    odds = np.log(model.predict_proba(X)[:, 1] / model.predict_proba(X)[:, 0])
    by_hand = np.full(len(y), np.log(y.sum() / (len(y) - y.sum())))
    for label, sign in ((1, 1), (0, -1)):
        counts = X[y == label][:, POLICY_LEVELS].sum(axis=0) + 2.0
        by_hand += sign * X[:, POLICY_LEVELS] @ np.log(counts / counts.sum())
    np.testing.assert_allclose(odds, by_hand, rtol=1e-9)


def test_scaled_features_are_the_same_to_naive_bayes():
    table, y = customers(300, 3)
    X = customer_features(table)
    scaled = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    used = X[:, POLICY_LEVELS].std(axis=0) > 0
    assert used.sum() > 15
    rank = [PolicyBayes().fit(Z, y).predict_proba(Z)[:, 1].argsort(kind="stable") for Z in (X, scaled)]
    np.testing.assert_array_equal(*rank)


@pytest.mark.parametrize("model", [PolicyBayes(), PolicyLogistic(), PolicyBlend(), PolicyStack(top=40, cv=2)])
def test_models_find_who_drives_the_cars_of_class_six(model):
    (table, y), (others, labels) = customers(400, 4), customers(200, 5)
    model.fit(customer_features(table), y)
    X = customer_features(others)
    top = np.argsort(-scores_of(model, X))[:40]
    assert labels[top].mean() > 2 * labels.mean()


def test_the_official_split_has_the_labels_and_the_other_does_not_need_them(files):
    path, evaluation, labels = files
    data = coil2000(path, evaluation)
    assert (len(data.y), data.n_pos) == (400, customers(400, 0)[1].sum())
    whole = coil2000_evaluation(path, evaluation, labels)
    assert np.bincount(whole.part).tolist() == [400, 150]
    np.testing.assert_array_equal(whole.X[whole.part == 1], evaluation_features(evaluation))
    labels.write_text("0\n1\n")
    with pytest.raises(DatasetError, match="2 labels for 150 customers"):
        coil2000_evaluation(path, evaluation, labels)
    with pytest.raises(DatasetError, match="85 columns of whole numbers are needed, got 86 columns"):
        coil2000(path, path)


def page(labelled):
    rng = np.random.default_rng(0)
    keys = [("coil2000", m, f) for m in ("good", "better") for f in range(15)]
    value = {k: rng.normal(0.16 + 0.01 * (k[1] == "better"), 0.002) for k in keys}
    value |= {("coil2000-evaluation", m, 0): n / 400 for m, n in labelled.items()}
    evaluation = [
        {"dataset": d, "method": m, "repeat": 0, "fold": f, "metric": metric, "value": v * scale}
        for (d, m, f), v in value.items()
        for metric, scale in (("precision@k", 0.5), ("recall@k", 3.3))
    ]
    runs = pd.DataFrame(list(value), columns=["dataset", "method", "fold"])
    runs = runs.assign(repeat=0, status="ok", top="k=800", constant=False, n_train=4000, n_test=1000)
    story = {"methods": {"good": {"title": "Good"}, "better": {"title": "Better"}}}
    made = tables({"evaluation": pd.DataFrame(evaluation), "runs": runs}, story)
    return made["estimate"], findings(made)


def test_the_page_chooses_by_cross_validation_and_says_what_it_awaits():
    estimate, found = page({})
    assert found.verdict[0].endswith("the count awaits the labels (tictgts2000.txt).**")
    assert found.tables[0].cells["list of 800"][0] == "Better (chosen)"
    assert estimate["found"].isna().all()
    row = estimate.iloc[0]
    assert row["low"] < row["recall"] < row["high"]
    assert row["expected low"] < 238 * row["low"] < 238 * row["high"] < row["expected high"]


def test_the_page_counts_where_the_labels_are():
    _, found = page({"good": 2, "better": 3})
    assert "found 3: outside the interval" in found.verdict[0]
    assert found.tables[0].cells["found"].tolist() == ["3", "2"]

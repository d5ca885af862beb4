"""Parts of the rows among the first k: shares and precision against every order of tied rows, intervals."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

import oracles.parts as oracle
from attop import Top, compare_at_top
from attop.experiment import HeldOut
from attop.experiment._interval import clopper_pearson
from attop.experiment._parts import MISSING, Parts, read_parts
from attop.experiment._parts_at_top import parts_at_top

pytestmark = pytest.mark.workflow


def cases(seed, count):
    """Small lists with ties, one positive, empty parts; several test parts each."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n, n_parts = int(rng.integers(4, 7)), int(rng.integers(1, 4))
        runs = int(rng.integers(2, 4))
        y = (rng.random(n * runs) < rng.choice([0.2, 0.5])).astype(int)
        y[0] = 1
        scores = rng.integers(0, int(rng.integers(1, 5)), n * runs).astype(float)
        codes = rng.integers(0, n_parts, n * runs)
        yield y, scores, codes, n_parts, n, runs, int(rng.integers(1, n + 1))


def test_shares_and_precision_are_those_of_every_order_of_ties():
    for y, scores, codes, n_parts, n, runs, k in cases(seed=1, count=60):
        parts = Parts("part", list(range(n_parts)), codes)
        rows = np.split(np.arange(n * runs), runs)
        tested = [HeldOut(r, y[r], scores[r]) for r in rows]
        table = parts_at_top({"m": tested}, parts, Top(k=k), 0.5, y=y).loc["m"]
        each = [oracle.counts(y[r], scores[r], codes[r], k, n_parts) for r in rows]
        assert table["rows"].tolist() == np.bincount(codes, minlength=n_parts).tolist()
        for part in range(n_parts):
            among = sum(one[0][part] for one in each)
            found = sum(one[1][part] for one in each)
            row = table.loc[part]
            assert row["share"] == pytest.approx(float(among) / (k * runs))
            assert row["share_low"] <= row["share"] + 1e-12
            assert row["share"] <= row["share_high"] + 1e-12
            if among == 0:
                assert row[["precision", "precision_low", "precision_high"]].isna().all()
                continue
            assert row["precision"] == pytest.approx(float(found / among))
            assert 0 <= row["precision_low"] <= row["precision"] + 1e-12
            assert row["precision"] <= row["precision_high"] + 1e-12
            assert row["precision_high"] <= 1


def test_an_interval_is_never_narrower_than_the_exact_one_of_the_rows():
    y, codes = np.tile([1, 1, 0, 0, 0, 0, 0, 0], 20), np.tile([0, 1], 80)
    tested = [HeldOut(r, y[r], np.tile(np.arange(8.0, 0, -1), 5)) for r in np.split(np.arange(160), 4)]
    table = parts_at_top({"m": tested}, Parts("part", ["a", "b"], codes), Top(k=10), 1 / 3, y=y).loc["m"]
    assert table["share"].tolist() == [0.5, 0.5]
    assert table["precision"].tolist() == [1.0, 1.0]
    low, high = clopper_pearson(1.0, 20.0)  # 5 rows of each of 4 test parts
    np.testing.assert_allclose(table[["precision_low", "precision_high"]], [[low, high]] * 2)
    np.testing.assert_allclose(table["share_low"], clopper_pearson(0.5, 40.0)[0])
    # Rows of an entity are alike: four of them are as one.
    alike = parts_at_top(
        {"m": tested}, Parts("p", ["a", "b"], codes), Top(k=10), 1 / 3, y=y, entity=np.arange(160) // 4
    ).loc["m"]
    np.testing.assert_allclose(alike["precision_low"], clopper_pearson(1.0, 5.0)[0])


def test_lists_have_tops_of_their_own_and_short_ones_none():
    y, scores = np.array([1, 0, 0, 1, 0, 1]), np.array([3.0, 2.0, 1.0, 3.0, 2.0, 9.0])
    codes, groups = np.array([0, 1, 0, 1, 0, 0]), np.array([0, 0, 0, 1, 1, 2])
    tested = [HeldOut(np.arange(6), y, scores), HeldOut(np.arange(5), y[:5], scores[:5])]
    table = parts_at_top({"m": tested}, Parts("p", ["a", "b"], codes), Top(k=2), 1.0, y=y, groups=groups)
    assert table["share"].tolist() == [0.5, 0.5]
    assert table["precision"].tolist() == [0.5, 0.5]


def data(n=300):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(n, 2)), columns=["amount", "age"])
    frame["region"] = rng.integers(0, 3, n)
    return frame, (frame["amount"] + rng.normal(size=n) > 1).astype(int)


def test_a_comparison_has_them_by_a_column_or_by_values():
    frame, y = data()
    models = {"logistic": LogisticRegression(), "none": DummyClassifier()}
    found = compare_at_top(models, frame, y, 30, by="region", cv=3, verbose=False)
    assert found.parts.index.names == ["model", "region"]
    for name, parts in found.parts.groupby("model"):
        assert parts["share"].sum() == pytest.approx(1)
        assert parts["rows"].sum() == len(y)
        whole = (parts["share"] * parts["precision"]).sum()
        assert whole == pytest.approx(found.table.loc[name, "precision@k"])
    np.testing.assert_allclose(found.parts.loc["logistic", "positive"], y.groupby(frame["region"]).mean())
    words = np.array(["north", "south", "west"])[frame["region"]]
    # Weights are of the metric and the models; a row is a row in a part, though it weighs nothing.
    weights = np.where(np.arange(len(y)) % 5, 1.0, 0.0)
    named = compare_at_top({"none": DummyClassifier()}, frame, y, 30, by=words, sample_weight=weights,
                           cv=3, verbose=False)  # fmt: skip
    assert named.parts.loc["none"].index.tolist() == ["north", "south", "west"]
    constant = found.parts.loc["none", ["share", "precision"]].to_numpy()
    np.testing.assert_allclose(named.parts[["share", "precision"]], constant)
    assert compare_at_top(models, frame, y, 30, cv=3, verbose=False).parts is None


def test_rows_without_a_value_are_a_part():
    for values in (["b", None, "a", np.nan], pd.Series(["b", None, "a", None]), [2.0, np.nan, 1.0, np.nan]):
        parts = read_parts(values, None, 4)
        assert parts.names[-1] == MISSING
        assert parts.codes.tolist() == [1, 2, 0, 2]
    assert read_parts(pd.Series([1, 1, 2], name="region"), None, 3).column == "region"
    assert read_parts(["a", 1, "a"], None, 3).names == ["1", "a"]
    frame, _ = data()
    with pytest.raises(ValueError, match=r"its columns are \['amount', 'age', 'region'\]; did you mean 'reg"):
        read_parts("regoin", frame, len(frame))

"""Columns that find the first positives alone: in twenty seeded tables all are named, and no honest one."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from attop_bench.data.build import make
from attop_bench.data.profile.leaks_at_top import Part, _Order, leaks_at_top
from attop_bench.data.profile.look import look
from attop_bench.data.profile.proposal import parameters, propose


def scaled(values):
    return (values - values.min()) / np.ptp(values)


def of_another_model(rng, y):
    """Return a score of which the higher half of the positives stands above all negatives."""
    sure = y & (rng.random(len(y)) < 0.65)
    return np.where(sure, rng.integers(81, 101, len(y)), rng.integers(5, 81, len(y)))


#: Columns known after the label only, each a function of (generator, labels).
LEAKS = {
    "model_score": of_another_model,
    "survival_probability": lambda rng, y: (1 - scaled(of_another_model(rng, y))).round(3),
    "paid_back_days": lambda rng, y: np.where(
        ~y & (rng.random(len(y)) < 0.6), rng.integers(1, 90, len(y)), np.nan
    ),
    "closed_after_days": lambda rng, y: np.where(
        y & (rng.random(len(y)) < 0.7), rng.integers(400, 700, len(y)), rng.integers(1, 410, len(y))
    ),
    "recovered": lambda rng, y: np.where(
        y & (rng.random(len(y)) < 0.7), 1000 + rng.gamma(2, 300, len(y)), rng.gamma(2, 90, len(y))
    ).round(2),
    "part_of_label": lambda rng, y: np.where(
        y & (rng.random(len(y)) < 0.6), rng.normal(6, 1, len(y)), rng.normal(0, 1, len(y))
    ).round(3),
}


def honest(rng, n, share):
    """Return features and labels: one strong number, one number whose gap tells something, values."""
    risk, other = rng.normal(size=n), rng.normal(size=n)
    latent = risk + other + rng.normal(size=n)
    y = latent > np.quantile(latent, 1 - share)
    frame = pd.DataFrame(
        {
            "income": np.exp(9 - risk).round(1),
            "balance": np.where(rng.random(n) < 0.2 + 0.4 * y, np.nan, other.round(2)),
            "region": rng.choice(["north", "south", "east", "west"], n),
            "visits": rng.poisson(2 + y, n),
        }
    )
    return frame, y


@pytest.mark.parametrize("seed", range(20))
def test_every_leak_is_named_and_no_honest_column(seed, tmp_path):
    rng = np.random.default_rng(2000 + seed)
    frame, y = honest(rng, int(rng.integers(700, 1500)), rng.choice([0.1, 0.15, 0.2]))
    names = sorted(rng.choice(list(LEAKS), 1 + seed % 3, replace=False))
    frame = frame.assign(**{name: LEAKS[name](rng, y) for name in names}, y=y.astype(int))
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = look(tmp_path / "t.csv", "y")
    assert sorted(found.leaks) == names
    assert set(names) <= set(parameters(found)["drop"])


def filled(rng, y, values):
    """Return values in two thirds of the negatives alone."""
    return np.where(~y & (rng.random(len(y)) < 0.67), values, "")


#: Columns that only negatives have, or days that only one class has.
OF_NEGATIVES = {
    "renewed_by": lambda rng, y: filled(rng, y, rng.choice(["mail", "call", "web"], len(y))),
    "payment": lambda rng, y: np.where(
        filled(rng, y, "x") == "x", rng.choice(["card", "bank"], len(y)), "none"
    ),
    "paid_on": lambda rng, y: filled(rng, y, days(rng, len(y))),
    "thanks": lambda rng, y: filled(
        rng, y, [f"thank you for {i} years with {i + 1} of us" for i in range(len(y))]
    ),
    "receipt": lambda rng, y: filled(rng, y, [f"R{i:06}" for i in range(len(y))]),
    "end_date": lambda rng, y: np.where(y, days(rng, len(y)), "9999-12-31"),
    "updated_at": lambda rng, y: np.where(of_another_model(rng, y) > 80, "2025-03-01", days(rng, len(y))),
    "last_seen": lambda rng, y: np.where(y, days(rng, len(y)), "2025-01-01"),
}


def days(rng, n):
    dates = np.datetime64("2024-01-01") + rng.integers(0, 300, n)
    return dates.astype(str)


@pytest.mark.parametrize("name", OF_NEGATIVES)
def test_what_one_class_alone_has_is_named_whatever_its_kind(name, tmp_path):
    rng = np.random.default_rng(7)
    frame, y = honest(rng, 1200, 0.12)
    frame = frame.assign(**{name: OF_NEGATIVES[name](rng, y), "since": days(rng, len(y))}, y=y.astype(int))
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = look(tmp_path / "t.csv", "y")
    assert list(found.leaks) == [name]
    assert parameters(found)["day"] == "since"


@pytest.mark.parametrize("seed", range(5))
def test_an_honest_table_has_none(seed, tmp_path):
    rng = np.random.default_rng(seed)
    frame, y = honest(rng, 1500, 0.2)
    frame.assign(y=y.astype(int)).to_csv(tmp_path / "t.csv", index=False)
    assert look(tmp_path / "t.csv", "y").leaks == {}


def numbered(frame):
    from attop_bench.data.profile.readers import describe

    return [describe(frame, name, "") for name in frame]


def test_a_column_is_not_named_where_the_others_find_as_many():
    rng = np.random.default_rng(0)
    y = rng.random(1000) < 0.2
    strong = y + rng.normal(0, 0.2, 1000)
    parts = {f"part{i}": strong + rng.normal(0, 0.6, 1000) for i in range(12)}
    frame = pd.DataFrame({"strong": strong, **parts})
    assert leaks_at_top(frame, numbered(frame), y, (), {}) == {}
    alone = frame[["strong"]].assign(noise=rng.normal(size=1000))
    assert list(leaks_at_top(alone, numbered(alone), y, (), {})) == ["strong"]


def test_two_scores_of_one_model_do_not_hide_each_other():
    rng = np.random.default_rng(1)
    y = rng.random(1000) < 0.2
    score = of_another_model(rng, y)
    frame = pd.DataFrame({"score": score, "decile": score // 10 * 1.5, "noise": rng.normal(size=1000)})
    assert set(leaks_at_top(frame, numbered(frame), y, (), {})) == {"score", "decile"}


def test_what_is_found_is_the_mean_over_all_orders_of_ties():
    rng = np.random.default_rng(2)
    for _ in range(20):
        y, scores = rng.random(6) < 0.6, rng.integers(0, 3, 6).astype(float)
        if y.sum() < 2:
            continue
        length, hits = _Order("highest", scores).found(y, 2)
        orders = [o for o in permutations(range(6)) if all(np.diff(scores[list(o)]) <= 0)]
        assert hits == pytest.approx(np.mean([y[list(order[:length])].sum() for order in orders]))


def test_many_columns_of_noise_and_few_positives_are_not_named():
    rng = np.random.default_rng(3)
    y = np.arange(200) < 60
    frame = pd.DataFrame(rng.normal(size=(200, 300)), columns=[f"g{i}" for i in range(300)])
    assert leaks_at_top(frame, numbered(frame), y, (), {}) == {}


@pytest.mark.parametrize("n", [6000, 30_000])
def test_rows_of_a_value_are_named_where_the_others_do_not_expect_them(n):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    latent = 6 * frame["a"] + 6 * frame["b"] + rng.normal(size=n)
    y = (latent > np.quantile(latent, 0.95)).to_numpy()
    clear = np.argsort(-latent.to_numpy())[:40]  # far above the cut: the others expect these
    hidden = rng.permutation(np.flatnonzero(y))[:40]
    frame["ink"], frame["code"] = 0, 0
    frame.loc[clear, "ink"] = 1
    frame.loc[hidden, "code"] = 1
    parts = {name: Part("all positive", frame[name].to_numpy() == 1) for name in ("ink", "code")}
    assert leaks_at_top(frame, numbered(frame), y, (), {"ink": parts["ink"]}) == {}
    unclear = frame.assign(a=rng.normal(size=n), b=rng.normal(size=n))
    assert set(leaks_at_top(unclear, numbered(unclear), y, (), parts)) == {"ink", "code"}


def test_a_twin_does_not_hide_the_rows_of_a_value():
    rng = np.random.default_rng(6)
    y = rng.random(2000) < 0.06
    hidden = np.zeros(2000, bool)
    hidden[np.flatnonzero(y)[:80]] = True
    frame = pd.DataFrame({"a": rng.normal(size=2000), "b": rng.normal(size=2000)})
    frame["status"] = np.where(hidden, "X", rng.choice(["A", "B"], 2000))
    frame["code"] = np.where(hidden, 3, rng.choice([1, 2, 4, 5], 2000))
    part = {"status": Part("all positive", hidden)}
    assert set(leaks_at_top(frame, numbered(frame), y, (), part)) == {"status", "code"}


def test_codes_of_one_class_are_named_though_they_are_numbers_amid_others():
    rng = np.random.default_rng(8)
    y = rng.random(1500) < 0.1
    later = y & (rng.random(1500) < 0.6)
    code = np.where(later, rng.choice([12, 40, 91], 1500), rng.choice([10, 30, 44, 95], 1500))
    frame = pd.DataFrame({"code": code, "a": rng.normal(size=1500), "count": rng.poisson(3 + y)})
    assert list(leaks_at_top(frame, numbered(frame), y, (), {})) == ["code"]


@pytest.mark.parametrize("seed", range(10, 14))
def test_a_list_of_a_few_rows_tells_too(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(500) < 36
    frame = pd.DataFrame({"score": of_another_model(rng, y), "a": rng.normal(size=500)})
    assert list(leaks_at_top(frame, numbered(frame), y, (), {})) == ["score"]


def test_an_order_is_judged_by_how_many_are_tried():
    y = np.arange(400) < 200
    rng = np.random.default_rng(0)
    others = np.where(rng.random(400) < 0.15, ~y, y) + rng.random(400) / 10
    order = _Order("highest", y.astype(float))
    assert order.ahead_of(others, y)
    assert not replace(order, tried=1000).ahead_of(others, y)


def strong(seed, n=600):
    """Return a strong number and a strong word beside a date and noise, and labels."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.15
    word = np.where(y & (rng.random(n) < 0.7), "yes", "no")
    return pd.DataFrame(
        {
            "spend": rng.normal(size=n).round(3) + 4.0 * y,
            "fast": word,
            "when": days(rng, n),
            "noise": rng.normal(size=n).round(3),
            "y": y.astype(int),
        }
    )


def test_a_column_whose_role_is_named_stays_and_is_said(tmp_path):
    strong(1).to_csv(tmp_path / "t.csv", index=False)
    found = look(tmp_path / "t.csv", "y")
    assert set(parameters(found)["drop"]) == {*found.leaks} == {"spend", "fast"}
    assert any("--role spend=number" in line for line in found.complaints)
    named = look(tmp_path / "t.csv", "y", roles={"spend": "number"})
    assert parameters(named)["drop"] == ["fast"]
    (kept,) = [line for line in named.complaints if line.startswith("spend")]
    assert "kept" in kept
    assert "--role" not in kept
    assert "- spend" in propose(named)


def test_the_role_that_keeps_two_words_is_a_category(tmp_path):
    strong(1)[["fast", "noise", "y"]].to_csv(tmp_path / "t.csv", index=False)
    assert any("--role fast=category" in line for line in look(tmp_path / "t.csv", "y").complaints)
    params = parameters(look(tmp_path / "t.csv", "y", roles={"fast": "category"}))
    assert make("file", **params).facts["features"] == ["fast", "noise"]

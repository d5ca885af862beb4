"""Leaks of eight kinds, seeded in four tables: all are named and left out, and nothing else is."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml

from attop_bench.data.profile.leaks import _codes
from attop_bench.data.profile.look import look
from attop_bench.data.profile.proposal import propose


def some(rng, y, share):
    return y & (rng.random(len(y)) < share)


#: Columns that are known after the label only, each a function of (generator, labels).
LEAKS = {
    "copy": lambda rng, y: np.where(y, "chargeback", "none"),
    "score": lambda rng, y: (3 * y + rng.normal(size=len(y)) / 4).round(3),
    "status": lambda rng, y: np.where(
        y, rng.choice(["won", "lost"], len(y)), rng.choice(["new", "a"], len(y))
    ),
    "refund": lambda rng, y: np.where(some(rng, y, 0.8), rng.gamma(2, 30, len(y)).round(2), np.nan),
    "loss": lambda rng, y: np.where(some(rng, y, 0.7), rng.gamma(2, 30, len(y)).round(2), 0.0),
    "closed": lambda rng, y: np.where(some(rng, y, 0.6), "2026-03-01", ""),
    "mode_of_failure": lambda rng, y: some(rng, y, 0.4).astype(int),
    "reason": lambda rng, y: np.where(
        some(rng, y, 0.4), "legal", rng.choice(["web", "shop", "phone"], len(y))
    ),
}


def table(seed):
    """Return a table of some size and share of positives: columns that help, honestly, and others."""
    rng = np.random.default_rng(1000 + seed)
    n, share = int(rng.integers(800, 4000)), rng.choice([0.05, 0.1, 0.25])
    risk = rng.normal(size=n)
    y = risk + rng.normal(size=n) > np.quantile(risk + rng.normal(size=n), 1 - share)
    frame = pd.DataFrame(
        {
            "client_id": rng.integers(0, n // 3, n) + 5000,
            "income": (np.exp(9 + risk / 2)).round(-2),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(18, 90, n)),
            "region": rng.choice(["north", "south", "east", "west"], n),
            "product": [f"P{i}" for i in np.minimum(rng.geometric(0.1, n), 60)],
            "member": np.where(rng.random(n) < 0.4 + 0.3 * y, "yes", "no"),
            "visits": rng.poisson(2 + y, n),
            "good": np.where(rng.random(n) < 0.8, y, ~y).astype(int),
            "known": np.where(rng.random(n) < 0.3 + 0.5 * y, 1.5, np.nan),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 2000, n), "D"),
        }
    )
    return frame.assign(**{name: make(rng, y) for name, make in LEAKS.items()}, y=y.astype(int))


@pytest.mark.parametrize("seed", range(4))
def test_all_leaks_of_a_table_are_named_and_nothing_else(seed, tmp_path):
    written_as = {"sep": ";", "decimal": ","} if seed % 2 else {}
    table(seed).to_csv(tmp_path / "t.csv", index=False, **written_as)
    found = look(tmp_path / "t.csv", "y")
    assert set(found.leaks) == LEAKS.keys()
    said = propose(found)
    assert LEAKS.keys() <= set(yaml.safe_load(said)["datasets"][0]["params"]["drop"])
    assert [name for name, how in found.leaks.items() if f"# - {name}: {how}" not in said] == []
    assert any(f"{next(iter(found.leaks))}: tells the label nearly alone" in c for c in found.complaints)


def test_dates_that_tell_the_label_do_so_with_a_gap(tmp_path):
    rng = np.random.default_rng(2)
    y = rng.random(600) < 0.2
    days = pd.to_timedelta(rng.integers(0, 300, 600) + 300 * y, "D")
    decided = (pd.Timestamp("2024-01-01") + days).strftime("%Y-%m-%d").to_series(index=range(600))
    decided[[5, 50]] = ""
    frame = pd.DataFrame({"a": rng.normal(size=600), "decided": decided, "y": y.astype(int)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert list(look(tmp_path / "t.csv", "y").leaks) == ["decided"]


@pytest.mark.parametrize("values", [[1, 2, 5, 5], [5, 5, 7, 8], [5, 5, 5, 1], [1, 5, 5, 9]])
def test_a_value_of_half_of_the_rows_is_the_usual_one(values):
    column = SimpleNamespace(is_feature=True, kind="number", distinct=10**6)
    codes = dict(_codes(pd.Series(values, dtype=float), column))
    assert codes["another value than the usual"].tolist() == [value != 5 for value in values]

"""A made table as a practitioner has it: text, gaps, an identifier, customers, dates, rare positives."""

import numpy as np
import pandas as pd


def transactions(n=20_000, seed=0, share=0.024):
    """Return a table of `n` rows and 25 columns, of which `share` are positive (``fraud`` = yes)."""
    rng = np.random.default_rng(seed)
    customer = rng.integers(0, max(n // 6, 2), n)
    amount = rng.lognormal(3, 1, n).round(2)
    hour = rng.integers(0, 24, n)
    country = rng.choice(
        ["DE", "FR", "NL", "PL", "IT", "NG", "US", "CN"], n, p=[0.4, 0.2, 0.1, 0.1, 0.08, 0.02, 0.06, 0.04]
    )
    merchant = rng.zipf(1.5, n) % 300
    numbers = {f"v{i}": rng.normal(size=n).round(4) for i in range(1, 13)}
    night = (hour < 6).astype(float)
    risk = (
        0.9 * (np.log(amount) - 3)
        + 1.5 * night
        + 2.0 * np.isin(country, ["NG", "CN"])
        + 0.8 * numbers["v1"]
        - 0.7 * numbers["v2"]
        + 1.2 * (np.abs(numbers["v3"]) > 1.5)
        + 1.5 * (numbers["v4"] * numbers["v5"] > 1)
        + rng.logistic(size=n)
    )
    fraud = risk > np.quantile(risk, 1 - share)
    frame = pd.DataFrame(
        {
            "transaction_id": [f"T{i:07d}" for i in rng.permutation(n)],
            "customer_id": customer,
            "date": (pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 365, n), "D")).strftime(
                "%Y-%m-%d"
            ),
            "merchant": [f"merchant {m}" for m in merchant],
            "country": country,
            "channel": rng.choice(["web", "shop", "phone"], n),
            "currency": "EUR",
            "amount": amount,
            "hour": hour,
            **numbers,
            "age": rng.integers(18, 90, n).astype(float),
            "limit": rng.choice([500.0, 1000.0, 2000.0, 5000.0], n),
            "limit_copy": 0.0,
            "fraud": np.where(fraud, "yes", "no"),
        }
    )
    for column, gap in (("age", 0.12), ("v7", 0.05), ("country", 0.03), ("limit", 0.08)):
        frame.loc[rng.random(n) < gap, column] = None
    frame["limit_copy"] = frame["limit"]
    return frame

"""Simulated card transactions of the Fraud Detection Handbook, a pickled table a day."""

from __future__ import annotations

import os
from inspect import Parameter, Signature

import numpy as np

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.catalogue import Kind, Stage
from attop_bench.data.reading.pickled import read_pickle

_WHERE = "dataset fraud-handbook"
_WINDOWS = (1, 7, 30)
#: The handbook's 15 features, in its order.
FEATURES = (
    "TX_AMOUNT",
    "TX_DURING_WEEKEND",
    "TX_DURING_NIGHT",
    *(f"CUSTOMER_ID_{what}_{d}DAY_WINDOW" for d in _WINDOWS for what in ("NB_TX", "AVG_AMOUNT")),
    *(f"TERMINAL_ID_{what}_{d}DAY_WINDOW" for d in _WINDOWS for what in ("NB_TX", "RISK")),
)
#: SHA-256 of each day that is read, as published; no other pickle is.
_PUBLISHED = {
    "2018-07-25": "f5a718444156ebb788c6b01d09d531009c47ac8c9060aea25e282005378d812e",
    "2018-07-26": "69d72181e88686c9ccec4d5176c9c81ef9b7f18441f43204138ada57ea54e5ff",
    "2018-07-27": "74ab87cb34638a1463028ed03c31a9db8b1489de16e3d5d748511af75ec518a9",
    "2018-07-28": "563e35b989f12d832306927ac76c698262d9ac4c347ed516682947eac73f5d68",
    "2018-07-29": "2fd5b14284f5a9c0b5ff1cc2e3b0e803e5971ebc155bcc74708f06fc1c4dc47b",
    "2018-07-30": "f5a738fcda8b24ba65a56f2285fda359bdf77122403458b28afcd1e3b41c914b",
    "2018-07-31": "c163aff4289b6aeba3833c9af83c0e34b5f150b56eaaa2657c1222851fc83fc2",
    "2018-08-01": "30be18eed5ec99a05b32e7d67a6d8b82f910fd3d64d59ec0cdc8a0af3d830ad6",
    "2018-08-02": "0edbb0735de34674ebe73d10830622c4427075661e64a6e8cb820d7fbedac641",
    "2018-08-03": "0226407a0ba7ce67ba1c35e00f0779ff7953a6ec37130165fcdfbd71d66e9e5e",
    "2018-08-04": "43649ea86efd5e176dc9615320c108456b38afe717355e251c2d6a56eeb48281",
    "2018-08-05": "6f3c1cfc97ed46f8555cb842df8b48931aad71e44a1f2185aa3fa7971b978fab",
    "2018-08-06": "d3a564d875d9c0141fd1fe62ac415431c141ee30349850971c40ed351ba4c2d0",
    "2018-08-07": "79fd3b07e5aab93b5bbf793a242ab07ef569d97f4739614d0801a5796b61a4df",
    "2018-08-08": "35301d3948128876baa74b9d5455b35a078175520b698b4b964ff53024d64e62",
    "2018-08-09": "ed3dedd8630ddef17fcbada974365721b6167635079b1a87755efb6530489784",
    "2018-08-10": "2b20b074d7709c3a9348322f7c87be6a76d00967f146c8c80cb7088e6fd1b9b8",
    "2018-08-11": "858657133c4669d05cd44e8e5b49b74eac228b8e2e87119098271a4d2c2d4144",
    "2018-08-12": "ea97283cc4f591c0b88a2289033bc3c94e5598ef6d91a5fb153863803d23c880",
    "2018-08-13": "ed00658e9fbe0ac7ac8f534fcc80f43783dc149f41cb6d5dc99bdf27423f69e5",
    "2018-08-14": "a032e7138476dfdbabc79c6f435b2e9826ffc2912e64f3df310696c325a2c3f3",
}
#: Names of the files in a configuration.
FILES = tuple(f"day_{day.replace('-', '_')}" for day in _PUBLISHED)


def fraud_handbook(**days: str | os.PathLike[str]) -> Dataset:
    """Read three weeks of transactions: one to train on, one to wait, one to test on; entities are customers.

    `days` are the files from ``day_2018_07_25`` to ``day_2018_08_14``; one that is missing, too many, other
    than published or without a column is a `DatasetError`. Le Borgne, Siblini, Lebichot and Bontempi (2022),
    Reproducible machine learning for credit card fraud detection, chapters 3.1 to 3.3.
    """
    columns = [*FEATURES, "TRANSACTION_ID", "CUSTOMER_ID", "TX_TIME_DAYS", "TX_FRAUD"]
    missing_days = [name for name in FILES if name not in days]
    if missing_days or len(days) > len(FILES):
        raise DatasetError(f"{_WHERE}: files of {', '.join(FILES)} are needed, got {', '.join(days)}")
    parts = []
    for name, (day, published) in zip(FILES, _PUBLISHED.items(), strict=True):
        table = read_pickle(days[name], published)
        missing = [c for c in columns if c not in table]
        if missing:
            raise DatasetError(f"{_WHERE}: {day} has no column {missing[0]!r}: get the file as published")
        parts.append({c: table[c] for c in columns})
    whole = {c: np.concatenate([part[c].to_numpy() for part in parts]) for c in columns}
    order = np.argsort(whole["TRANSACTION_ID"], kind="stable")
    facts = {
        "title": "Fraud Detection Handbook, transactions",
        "licence": "none stated",
        "positive": "fraudulent transaction",
        "features": list(FEATURES),
    }
    return Dataset(
        "fraud-handbook",
        np.column_stack([whole[c][order].astype(np.float64) for c in FEATURES]),
        whole["TX_FRAUD"][order].astype(np.int64),
        facts=facts,
        entity=whole["CUSTOMER_ID"][order],
        day=whole["TX_TIME_DAYS"][order].astype(np.int64),
    )


# What the catalogue takes for the options of a kind: a function has no other way to say which names it takes.
vars(fraud_handbook)["__signature__"] = Signature([Parameter(f, Parameter.KEYWORD_ONLY) for f in FILES])

FRAUD_HANDBOOK = Kind("fraud-handbook", (Stage("dataset", fraud_handbook),), FILES)

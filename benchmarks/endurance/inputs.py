"""The inputs of the fuzz: each function makes one, hands it to attop, and says what came of it."""

from __future__ import annotations

import bz2
import copy
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet  # noqa: F401 - with the next, not anew in every child
import sklearn.datasets  # noqa: F401
import yaml

from attop.extending import Top
from attop.metrics import get_metric
from attop_bench.data.base import Dataset, Unavailable
from attop_bench.data.build import make
from attop_bench.data.files.fetch import obtain
from attop_bench.data.files.source import Source
from attop_bench.run.config import load_config, read_yaml
from attop_bench.run.evaluation import evaluate
from attop_bench.run.job import Run
from attop_bench.run.plan import Plan
from attop_bench.run.record import Record, digest_of
from attop_bench.run.up_to_date import Inputs, digest

ROOT = Path(__file__).parents[2]

#: What is put in the place of a value, or of bytes.
NASTY: list[Any] = [
    *(None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, float("nan"), float("inf"), 2**53 + 1, 2**70, 10**400),
    *("", " ", "a" * 5000, "\x00", "\ud800", "é", "../x", "~", "{x}"),
    *("=1+1", "<script>", "nan", "1e5", "yes"),
    *([], [[]], {}, {"a": {"b": []}}, [None], ["a", "a"], {"k": 3}, {"tau": 2}, {1: 2}, b"\xff"),
]
BYTES = [*b'\x00|\xff|\n|,|"|PK\3\4|{|\xef\xbb\xbf|nan|-|\r'.split(b"|"), b"9" * 30]


def damaged(draw: Random, content: bytes) -> bytes:
    """Return bytes that are cut, turned, doubled or exchanged in a few places; sometimes as they are."""
    content = bytearray(content)
    for _ in range(draw.choice([0, 1, 1, 1, 2, 3, 8])):
        at = draw.randrange(len(content) + 1)
        match draw.randrange(5):
            case 0:
                del content[at:]
            case 1:
                del content[at : at + draw.randrange(1, 40)]
            case 2:
                content[at:at] = draw.choice(BYTES)
            case 3 if at < len(content):
                content[at] ^= 1 << draw.randrange(8)
            case _:
                content[at:at] = content[at : at + draw.randrange(1, 200)]
    return bytes(content)


def changed(draw: Random, value: Any) -> Any:
    """Return a structure with a few of its values, or keys, exchanged."""
    value = copy.deepcopy(value)
    for _ in range(draw.choice([1, 1, 2, 4])):
        places = list(_places(value))
        holder, key = draw.choice(places)
        match draw.randrange(4):
            case 0 if isinstance(holder, dict):
                holder[draw.choice(["a", "kind", 3, "ki nd"])] = holder.pop(key)
            case 1 if isinstance(holder, dict):
                del holder[key]
            case 2:
                other, another = draw.choice(places)
                holder[key] = copy.deepcopy(other[another])
            case _:
                holder[key] = copy.deepcopy(draw.choice(NASTY))
    return value


def _places(value: Any) -> Any:
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from _places(value[key])


def configuration(draw: Random, work: Path) -> str:
    """A configuration of which values were exchanged, read as snakemake reads it."""
    raw = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    catalogue = yaml.safe_load((ROOT / "config/datasets.yaml").read_text())
    methods = yaml.safe_load((ROOT / "config/methods.yaml").read_text())
    full = {
        **raw,
        "datasets": [{"id": id, **catalogue[id]} for id in draw.sample(list(catalogue), 2)],
        "methods": [{"id": id, **methods[id]} for id in draw.sample(list(methods), 2)],
        **draw.choice([{}, {"metrics": ["auc", "precision@k"], "limits": {"seconds": 5}, "trace": False}]),
    }
    return _configured(load_config(changed(draw, full), root=ROOT))


def configuration_file(draw: Random, work: Path) -> str:
    """A configuration file with damaged bytes."""
    file = work / "config.yaml"
    source = draw.choice(["config/config.yaml", "config/suites/rare.yaml", "config/papers/prec2015.yaml"])
    file.write_bytes(damaged(draw, (ROOT / source).read_bytes()))
    try:
        raw = read_yaml(file)
    except ValueError as error:  # the Snakefile and the command line say it as it is
        return "refused" if str(file) in str(error) else f"FOUND a message without the file: {error}"
    return _configured(load_config(raw, root=ROOT))


def _configured(config: Any) -> str:
    plan = Plan(config)
    runs = list(islice(plan.runs(), 2))
    Inputs(plan, lambda name: ROOT / f"workflow/scripts/{name}.py").train()
    for run in runs:
        json.dumps(plan.job(run).as_dict(), default=str)
        digest(plan, run)
    return "read"


#: What a column can hold.
_KINDS: list[Callable[[Random], float]] = [
    lambda draw: draw.uniform(-1e6, 1e6),
    lambda draw: draw.randrange(-9, 10),
    lambda draw: draw.choice([True, False]),
    lambda draw: draw.randrange(-(2**52), 2**52),
    lambda draw: draw.choice([0.1, 1e-300, 1e300, -5e-324]),
    lambda draw: float(draw.randrange(3)),
]


def _table(draw: Random) -> pd.DataFrame:
    n = draw.choice([2, 3, 30])
    columns: dict[str, Any] = {}
    for i in range(draw.choice([1, 2, 5])):
        kind = draw.choice(_KINDS)
        columns[f"x{i}"] = [kind(draw) for _ in range(n)]
    kind = draw.randrange(3)
    values = [[1, 0], ["yes", "no"], [2**53 + 1, 2**53]][kind]
    columns["y"] = [values[i % 2] if i < 2 else draw.choice(values) for i in range(n)]
    return pd.DataFrame(columns)


def _read_back(frame: pd.DataFrame, file: Path, whole: bool) -> str:
    """Read a table; if nothing was damaged, or if it is read anyway, compare it with what was written."""
    positive = frame["y"].iloc[0]
    positive = positive.item() if hasattr(positive, "item") else positive
    found = make("file", path=str(file), label="y", positive=positive)
    if whole:
        np.testing.assert_array_equal(found.y, (frame["y"] == positive).to_numpy().astype(int))
        np.testing.assert_array_equal(found.X, frame.drop(columns="y").to_numpy(np.float64))
    return "read"


def _table_file(write: Callable[[pd.DataFrame, Path], None], suffix: str) -> Callable[[Random, Path], str]:
    def target(draw: Random, work: Path) -> str:
        frame = _table(draw)
        file = work / f"table{suffix}"
        write(frame, file)
        content = file.read_bytes()
        file.write_bytes(broken := damaged(draw, content))
        return _read_back(frame, file, broken == content)

    target.__doc__ = f"A table as {suffix} with damaged bytes."
    return target


def odd_columns(draw: Random, work: Path) -> str:
    """A Parquet or npz file with columns of any type."""
    frame = _table(draw)
    n = len(frame)
    odd = [
        lambda: pd.date_range("2020", periods=n),
        lambda: pd.timedelta_range("1s", periods=n),
        lambda: [b"\xff"] * n,
        lambda: [{"a": 1}] * n,
        lambda: [[1, 2]] * n,
        lambda: pd.array([1, None, *[3] * n][:n], dtype="Int64"),
        lambda: pd.Categorical(["a", "b", *["a"] * n][:n]),
        lambda: [None] * n,
        lambda: [2**63 + i for i in range(n)],
        lambda: np.full(n, draw.choice([np.nan, np.inf])),
        lambda: ["1.5", "x", *["2"] * n][:n],
    ]
    name = draw.choice(["x9", "y", "x0"])
    frame[name] = draw.choice(odd)()
    if draw.random() < 0.5:
        file = work / "table.parquet"
        frame.to_parquet(file)
    else:
        file = work / "table.npz"
        arrays = {c: frame[c].to_numpy() for c in frame}
        odd = [np.zeros(n, kind) for kind in ("M8[s]", complex, "f4,i4", "S3", np.float16)]
        arrays["extra"] = draw.choice([*odd, np.zeros((n, 2, 2)), np.zeros(()), np.zeros(n + 1)])
        np.savez(file, allow_pickle=True, **arrays)
    one_hot = draw.choice([True, False])
    label = draw.choice(["y", 1, -1])
    make(
        "file", path=str(file), label=label, positive=draw.choice([1, "yes", ">= e", "> 0"]), one_hot=one_hot
    )
    return "read"


def svmlight(draw: Random, work: Path) -> str:
    """A file of the SVMlight format with damaged bytes."""
    lines = [
        f"{draw.choice([1, 0, -1])} qid:{i % 3} "
        + " ".join(f"{j}:{draw.uniform(-1, 1):.3g}" for j in range(1, 5))
        for i in range(12)
    ]
    file = work / "table.svm"
    file.write_bytes(damaged(draw, "\n".join(lines).encode()))
    make("file", path=str(file), positive=draw.choice([1, "> 0"]), group=draw.choice([None, "qid"]))
    return "read"


def archive(draw: Random, work: Path) -> str:
    """A zip, tar or compressed file with damaged bytes, or odd names."""
    name = draw.choice(["a.csv", "b/a.csv", "../a.csv", "/a.csv", "a.csv/", "é.csv"])
    content = draw.choice([b"x,y\n1,2\n" * 9, b"", bytes(10**6)])
    box = io.BytesIO()
    kind = draw.choice(["zip", "stored", "tar", "gz", "bz2", "xz", "tar.gz"])
    if kind in ("zip", "stored"):
        with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED if kind == "zip" else zipfile.ZIP_STORED) as file:
            file.writestr(name, content)
            file.writestr("other", b"x" * 50)
    elif kind.startswith("tar"):
        with tarfile.open(
            fileobj=box, mode="w:gz" if kind == "tar.gz" else "w", format=draw.choice([0, 1, 2])
        ) as file:
            about = tarfile.TarInfo(name)
            about.size = len(content)
            about.type = draw.choice(
                [tarfile.REGTYPE] * 4 + [tarfile.SYMTYPE, tarfile.FIFOTYPE, tarfile.GNUTYPE_SPARSE]
            )
            if draw.random() < 0.2:
                header = draw.choice(["size", "GNU.sparse.size", "path", "GNU.sparse.map"])
                about.pax_headers = {header: draw.choice(["9" * 20, "x", "-1"])}
            file.addfile(about, io.BytesIO(content))
    else:
        box.write({"gz": gzip, "bz2": bz2, "xz": lzma}[kind].compress(content))
    packed = work / "packed"
    packed.write_bytes(broken := damaged(draw, box.getvalue()))
    try:
        out = obtain(Source("out", member=name, mirror="packed"), work / "cache", mirror=work)
    except Unavailable:
        return "refused"
    if broken == box.getvalue():
        assert out.read_bytes() == content
    return "read"


def _results(work: Path) -> tuple[Dataset, Path, Path]:
    rng = np.random.default_rng(0)
    dataset = Dataset("toy", rng.normal(size=(20, 2)), np.arange(20) % 2)
    scores = work / "scores.npz"
    record = work / "record.json"
    at_top = {"top": "k=3", "chosen": {"C": 1.0}, "at_edge": [], "validation": 0.5, "model": {}}
    at_top |= {"constant": False, "inner": [{"candidate": {"C": 1.0}, "values": [0.5, 0.5]}]}
    about = {"n_train": 10, "n_test": 10, "n_candidates": 1, "seconds": {"training": 0.1}}
    about |= {"peak_memory_mb": 99.0, "test": np.arange(10), "scores": rng.normal(size=(1, 10))}
    Record(tops=[at_top], scoring="precision@k", **about).write(scores, record, "a" * 16)  # type: ignore[arg-type]
    return dataset, scores, record


def results(draw: Random, work: Path) -> str:
    """Scores or a record with damaged bytes, or a record with exchanged values, evaluated."""
    dataset, scores, record = _results(work)
    if draw.random() < 0.4:
        record.write_text(json.dumps(changed(draw, json.loads(record.read_text())), default=str))
    else:
        file = draw.choice([scores, record])
        file.write_bytes(damaged(draw, file.read_bytes()))
    digest_of(record)
    metric = get_metric("precision@k")
    asked = {"tops": [Top.of({"k": 3})], "metrics": [metric], "scoring": metric}
    evaluate(dataset, [Run("toy", "m", 0, 0)], [scores], [record], **asked)
    return "read"


TARGETS: dict[str, Callable[[Random, Path], str]] = {
    "configuration": configuration,
    "configuration file": configuration_file,
    "csv": _table_file(lambda frame, file: frame.to_csv(file, index=False), ".csv"),
    "parquet": _table_file(lambda frame, file: frame.to_parquet(file), ".parquet"),
    "npz": _table_file(lambda frame, file: np.savez(file, **{c: frame[c].to_numpy() for c in frame}), ".npz"),
    "odd columns": odd_columns,
    "svmlight": svmlight,
    "archive": archive,
    "results": results,
}

"""The commands that hand a list, a model or a table over: what they write is what they were given."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import sklearn.linear_model  # noqa: F401 - with the next, not anew in every child
import yaml

from attop.metrics import precision_at_k
from attop_bench.cli.main import main
from attop_bench.files import plain_cell
from attop_bench.report.page import report  # noqa: F401
from attop_bench.run.config import load_config, read_yaml
from benchmarks.endurance.inputs import NASTY, ROOT, damaged

IDS = [
    *("007", "7", "1e5", "12345678901234567890", " a", "=1+1", "+49 30"),
    *("-3.5", "a,b", 'a"b', "é", "x;y", "@x"),
]
CODES = ["A1", "7", "12", "03", "3", "true", "True", "2024-01-01", "1e3", "-x", "nan "]
NAMES = [
    *("a", "b", "1e5", "100000", "01", "1", "NA", "None", "=x"),
    *(r"\input{x}", "<b>", "../x", "a/b", "é", "x" * 70),
]


def call(arguments: Sequence[object]) -> tuple[int, str]:
    """Run a command; return its exit status and what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = main([str(argument) for argument in arguments])
    assert status == 0 or len(printed.getvalue().strip().splitlines()) > 1, "refused without a word"
    return status, printed.getvalue()


def people(draw: Random, n: int) -> pd.DataFrame:
    """Return a table as text, as somebody's file has it."""
    rng = np.random.default_rng(draw.randrange(2**32))
    x = rng.normal(size=n)
    codes = draw.sample(CODES, 4)
    ids = draw.sample(IDS, 6) if draw.random() < 0.5 else [f"{draw.choice(IDS)}{i}" for i in range(n)]
    return pd.DataFrame(
        {
            "id": [draw.choice(ids) for _ in range(n)],
            "x": [f"{value:.6g}" for value in x],
            "code": [draw.choice(codes) for _ in range(n)],
            "gaps": [draw.choice(["", "1", "2.5"]) for _ in range(n)],
            "y": np.where(x + rng.normal(size=n) > 0.5, "yes", "no"),
        }
    )


def _written(draw: Random, frame: pd.DataFrame, file: Path, comma: bool) -> None:
    if comma:
        frame = frame.assign(x=frame["x"].str.replace(".", ","), gaps=frame["gaps"].str.replace(".", ","))
    frame.to_csv(file, index=False, sep=";" if comma else ",")


def deploy_and_score(draw: Random, work: Path) -> str:
    """A model, its list, and lists of the same rows, permuted, one alone, and of damaged files."""
    out = work / "out"
    comma = draw.random() < 0.3
    suffix = draw.choice([".csv", ".csv", ".csv.gz"])
    frame = people(draw, draw.choice([40, 120]))
    file = work / f"mine{suffix}"
    _written(draw, frame, file, comma)
    params = {"path": str(file), "label": "y", "positive": "yes", "drop": ["id"]}
    params |= {"one_hot": True, "impute": "median"}
    if comma:
        params["reader"] = {"separator": ";", "decimal": ","}
    top = draw.choice([{"k": 5}, {"kappa": 0.5}, {"tau": 0.1}])
    protocol = {"kind": "stratified", "options": {"n_folds": 2, "inner_folds": 2}}
    entry = {"id": "mine", "kind": "file", "params": params, "protocol": protocol, "tops": [top]}
    methods = [
        {"id": "lr", "estimator": "sklearn.linear_model.LogisticRegression", "param_grid": {"C": [0.1, 1]}}
    ]
    (work / "c.yaml").write_text(yaml.safe_dump({"datasets": [entry], "methods": methods}))
    status, printed = call(["deploy", "mine", "--configfile", work / "c.yaml", "--output", out, "--jobs", 1])
    if status:
        return "refused"
    ranked = pd.read_csv(out / "ranked.csv", dtype=str, keep_default_na=False)
    assert ranked["id"].tolist() == [plain_cell(frame["id"][int(row) - 1]) for row in ranked["row"]]
    assert f"highest of {len(frame):,} rows" in printed
    scores = ranked.set_index(ranked["row"].astype(int))["score"].astype(float).sort_index().to_numpy()
    rows = draw.choice(
        [range(len(frame)), draw.sample(range(len(frame)), len(frame)), [draw.randrange(len(frame))]]
    )
    new = work / f"new{suffix}"
    _written(draw, frame.iloc[list(rows)].assign(more="1"), new, comma)
    status, printed = call(["score", out, new, "--all", "--output", work / "list.csv"])
    assert status == 0, printed
    found = pd.read_csv(work / "list.csv", dtype=str, keep_default_na=False)
    place = [rows[int(row) - 1] for row in found["row"]]
    np.testing.assert_allclose(found["score"].astype(float), scores[place], rtol=1e-9, atol=1e-12)
    assert found["id"].tolist() == [plain_cell(frame["id"][i]) for i in place]
    new.write_bytes(damaged(draw, new.read_bytes()))
    call(["score", draw.choice([out, work, out / "model.json"]), new, "--all"])
    assert call(["score", out, new, "--output", new])[0] == 1
    return "read"


def rescore(draw: Random, work: Path) -> str:
    """Stored scores under odd names, with exchanged values or damaged bytes."""
    out = work / "out"
    file = work / draw.choice(["p.csv", "p.parquet"])
    rng = np.random.default_rng(draw.randrange(2**32))
    n = 24
    names = draw.sample(NAMES, 2)
    data = draw.choice([draw.choice(NAMES), "mine", "mine"])
    label = rng.integers(0, 2, n)
    base = pd.DataFrame({"dataset": data, "fold": np.arange(n) % 3, "row": np.arange(n), "label": label})
    frame = pd.concat(
        [base.assign(method=name, score=rng.normal(size=n)) for name in names], ignore_index=True
    )
    for column in ("weight", "group"):
        if draw.random() < 0.3:
            frame[column] = frame["row"] % 4 + 1 if draw.random() < 0.7 else rng.integers(1, 9, len(frame))
    whole = draw.random() < 0.5
    if not whole:
        column = draw.choice(list(frame))
        frame[column] = frame[column].astype(object)
        frame.loc[draw.randrange(len(frame)), column] = draw.choice(
            [v for v in NASTY if not isinstance(v, (list, dict))]
        )
    if file.suffix == ".csv":
        frame.to_csv(file, index=False, errors="replace")
        if not whole:
            file.write_bytes(damaged(draw, file.read_bytes()))
    else:
        try:
            frame.to_parquet(file)
        except Exception:  # such columns fit in no file
            return "not written"
    status, _ = call(["rescore", file, "--output", out, "--top", 3, "--metric", "precision@k", "--jobs", 1])
    made = {path.relative_to(work).parts[0] for path in work.rglob("*") if path.is_file()}
    assert made <= {"out", file.name}, made
    if status:
        return "refused"
    if whole and not {"weight", "group"} & set(frame):
        values = pd.read_parquet(out / "tables/evaluation.parquet").query("metric == 'precision@k'")
        for (method, fold), its in frame.groupby(["method", "fold"]):
            (value,) = values[(values["method"] == method) & (values["fold"] == fold)]["value"]
            assert abs(value - precision_at_k(its["label"], its["score"], 3)) < 1e-12
    return "read"


def _perhaps_damaged(draw: Random, work: Path, n: int) -> Path:
    file = work / "mine.csv"
    _written(draw, people(draw, n), file, comma=draw.random() < 0.3)
    if draw.random() < 0.5:
        file.write_bytes(damaged(draw, file.read_bytes()))
    return file


def look(draw: Random, work: Path) -> str:
    """A table that attop look proposes a configuration for, which then is one."""
    file = _perhaps_damaged(draw, work, 40)
    status, _ = call(["look", file, *draw.choice([[], ["--label", "y"]]), "--output", work / "look.yaml"])
    if status:
        return "refused"
    base = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    load_config({**base, **read_yaml(work / "look.yaml")}, root=ROOT)
    return "read"


def gap(draw: Random, work: Path) -> str:
    """A table that attop headroom says something of."""
    file = _perhaps_damaged(draw, work, 60)
    status, printed = call(["headroom", file, "--label", "y", "--top", draw.choice([3, "tau=0.1"])])
    assert status or re.search(r"\d", printed)
    return "refused" if status else "read"


COMMANDS = {"deploy and score": deploy_and_score, "rescore": rescore, "look": look, "headroom": gap}

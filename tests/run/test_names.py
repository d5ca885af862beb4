"""Names are text: what stands in a file is what is trained on, scored and written, in every format."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from attop.experiment.candidate import fit
from attop_bench.data import make
from attop_bench.deploy.package import Package
from attop_bench.deploy.raw_model import raw_pipeline, raw_rows


def package(path, **params):
    """Return a model of all rows of a file as attop deploy makes it, without choosing one."""
    params = {"path": str(path), "label": "y", "positive": "yes", "one_hot": True, **params}
    data = make("file", **params)
    rows = raw_rows("file", params, data)
    model = fit(raw_pipeline(rows, "standard", LogisticRegression()), rows.X, data.y, groups=data.groups)
    notes = {
        "features": list(rows.X),
        "beside": list(rows.beside),
        "format": "csv",
        "reader": rows.reader,
        "group": rows.group,
        "top": {"tau": 0.1},
    }
    return Package(model, notes)


def users(n=240):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n).round(3)
    return pd.DataFrame(
        {
            "id": [f"{i:03}" for i in range(n)],
            "x": x,
            "code": rng.choice(["A1", "7", "12", "03"], n),
            "flag": rng.choice(["True", "False", "unknown"], n),
            "user": np.repeat(["01", "1", "true", "TRUE"], [149, 49, 31, 11]),
            "y": np.where(x + rng.normal(size=n) > 1, "yes", "no"),
        }
    )


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    users().to_csv("t.csv", index=False)
    return users()


@pytest.mark.parametrize("code", ["7", "12", "03", "A1"])
def test_one_row_scores_like_all(code, table):
    model = package("t.csv", drop=["id", "user"])
    every = model.rank("t.csv").set_index("row")["score"]
    row = int((table["code"] == code).to_numpy().argmax())
    table[row : row + 1].to_csv("one.csv", index=False)
    assert model.rank("one.csv")["score"].item() == pytest.approx(every[row + 1], rel=1e-12)

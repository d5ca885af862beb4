"""Tables whose rows are fields: said, with what to do, and never of an ordinary table."""

import numpy as np
import pandas as pd
import pytest

from attop_bench.data.profile.look import look

N = 60


def people():
    rng = np.random.default_rng(0)
    columns = {
        "age": rng.integers(20, 80, N),
        "sex": rng.choice(["m", "f"], N),
        "bmi": rng.normal(25, 3, N).round(1),
        "diagnosis": rng.choice(["sick", "well"], N),
    }
    return pd.DataFrame(columns, index=[f"S{i}" for i in range(N)])


def genes(**more):
    values = np.random.default_rng(1).normal(size=(N, 30)).round(3)
    frame = pd.DataFrame(values, [f"GSM{i}" for i in range(N)], [f"gene{i}" for i in range(30)])
    return frame.assign(**more)


def outcomes(*values):
    return np.random.default_rng(2).choice(values, N)


def gaps():
    return people().mask(np.random.default_rng(3).random((N, 4)) < 0.1)


TABLES = {
    "words and numbers": people(),
    "numbered": people().set_axis(range(1, N + 1)),
    "gaps": gaps(),
    "days": people().assign(seen=pd.date_range("2024-01-01", periods=N).astype(str)),
    "a row of words": genes(group=outcomes("tumour", "normal")),
    "a row of 0 and 1": genes(label=outcomes(0, 1)),
    "a first row of words": pd.concat([genes(outcome=outcomes("yes", "no"))["outcome"], genes()], axis=1),
}


def remarks(path):
    return [line for line in look(path).complaints if "rows look like fields" in line]


@pytest.mark.parametrize("frame", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("separator", [",", "\t"])
def test_a_table_whose_rows_are_fields_is_said_once(frame, separator, tmp_path):
    frame.T.to_csv(tmp_path / "t.csv", sep=separator, index_label="field")
    (line,) = remarks(tmp_path / "t.csv")
    assert "Transpose" in line
    assert str(frame.columns[1]) in line
    frame.rename_axis("sample").to_csv(tmp_path / "turned.csv")
    assert remarks(tmp_path / "turned.csv") == []


@pytest.mark.parametrize(
    "frame",
    [
        genes(),
        pd.DataFrame(np.char.add("a", np.arange(N * 12).reshape(N, 12).astype(str))),
        people().assign(**{f"x{i}": outcomes("1", "a", "b") for i in range(12)}),
        genes().rename(index={"GSM3": "label"}),
        genes().gt(0).astype(int).set_axis([f"fraud_{i:03}" for i in range(N)]),
    ],
    ids=["numbers", "words", "mixed", "a row named label", "0 and 1 of cases of fraud"],
)
def test_other_tables_are_not(frame, tmp_path):
    frame.rename_axis("name").to_csv(tmp_path / "t.csv")
    assert remarks(tmp_path / "t.csv") == []

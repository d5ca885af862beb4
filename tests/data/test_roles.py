"""The roles of columns, labels and leaks: by values, by names where these cannot tell, and as questions."""

import numpy as np
import pandas as pd
import pytest

from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.profile.look import look
from attop_bench.data.profile.names import words_of
from attop_bench.data.profile.proposal import parameters, propose
from attop_bench.data.profile.readers import describe

N = 600
RNG = np.random.default_rng(0)
Y = (RNG.random(N) < 0.2).astype(int)
WHO = RNG.integers(0, 120, N)
#: What rows of one have in common.
HOME = RNG.normal(size=120)[WHO]
FAR = np.sort(RNG.choice(np.arange(10_000, 99_999), 120, replace=False))

#: Names without digits, of any length; and text of which most values name one row.
NAMES = np.array(["C" * (i % 11 + 1) + "NO"[: i % 3] + "F" * (i // 11) for i in range(120)], object)
TWICE = np.array([f"T{i}" if i % 9 == 0 or i > 300 else f"T{i // 2}b" for i in range(N)], object)


def kind_of(values, name, **others):
    frame = pd.DataFrame({"x": RNG.normal(size=N), name: values, **others})
    column = describe(frame, name, "")
    return column.kind, column.otherwise


@pytest.mark.parametrize(
    ("name", "values", "others", "expected"),
    [
        ("months_as_customer", WHO, {}, ("number", "")),
        ("days_since_last_card", WHO, {}, ("number", "")),
        ("age_of_patient", WHO, {}, ("number", "")),
        ("loyal_client", WHO, {}, ("number", "entity")),
        ("patient_nbr", FAR[WHO], {}, ("entity", "number")),
        ("patient_nbr", FAR[WHO], {"home": HOME}, ("entity", "")),
        ("subject#", WHO % 42, {}, ("entity", "number")),
        ("srch_id", np.repeat(np.arange(150), 4), {}, ("group", "entity")),
        ("session", WHO, {}, ("entity", "group")),
        ("merchant_category_code", 5000 + WHO, {}, ("category", "number")),
        ("icd", [f"I{w}.1" for w in WHO], {}, ("category", "")),
        ("lines_code", RNG.poisson(50, N), {}, ("number", "")),
        ("Kunde", [f"K{w:05}" for w in WHO], {"home": HOME}, ("entity", "")),
        ("Kunde", [f"K{w:05}" for w in WHO], {}, ("entity", "category")),
        ("Teil", [f"K{w:05}" for w in WHO], {"home": HOME}, ("entity", "category")),
        ("Teil", [f"K{w:05}" for w in WHO], {}, ("category", "entity")),
        *(
            ("smiles", NAMES[WHO], {"home": HOME, **more}, ("entity", "category"))
            for more in ({}, {"z": WHO})
        ),
        ("smiles", NAMES[WHO], {}, ("category", "")),
        ("country", NAMES[WHO], {"home": HOME}, ("category", "")),
        ("ticket", TWICE, {"fare": np.repeat(RNG.normal(size=N), 2)[:N]}, ("entity", "identifier")),
        ("product", TWICE, {"fare": np.repeat(RNG.normal(size=N), 2)[:N]}, ("identifier", "entity")),
        ("zip_code", RNG.integers(10_000, 10_800, N), {}, ("identifier", "entity")),
        ("tax", FAR[WHO], {"home": HOME}, ("number", "entity")),
        ("order_no", np.arange(N), {}, ("identifier", "")),
        ("anything", RNG.permutation(N), {}, ("identifier", "")),
        ("salary", RNG.choice(np.arange(999, 250_000), N, replace=False), {}, ("number", "")),
        ("note", [f"the card {w} was lost by {i}" for i, w in enumerate(WHO)], {}, ("text", "")),
        ("name", [f"Ann {w} Lee{i}" for i, w in enumerate(WHO)], {}, ("text", "identifier")),
        ("iban", [f"DE20 5001 {w + 1000} {i}" for i, w in enumerate(WHO)], {}, ("identifier", "")),
        ("lead", [w if i % 9 else f"<{w % 9}.5" for i, w in enumerate(WHO)], {}, ("text of numbers", "")),
        *((n, WHO, {}, ("entity", "number")) for n in ("customer_id", "Card Number", "customerId", "user")),
        ("main_account_key", WHO, {}, ("entity", "number")),
        ("user_id", WHO, {"item_id": RNG.integers(1, 99, N)}, ("entity", "group")),
        ("userId", FAR[WHO], {"home": HOME, "product_id": RNG.integers(1, 99, N)}, ("entity", "group")),
        ("user_id", WHO, {"item_price": RNG.integers(1, 99, N)}, ("entity", "number")),
        *((n, WHO, {}, ("number", "")) for n in ("user_age", "discard", "paid")),
        *((n, WHO, {}, ("category", "number")) for n in ("merchant_id", "terminalId", "mcc", "zip_code")),
    ],
)
def test_roles_of_columns(name, values, others, expected):
    assert kind_of(values, name, **others) == expected


def test_words_of_names():
    assert words_of("customerId") == ["customer", "id"]
    assert words_of("CUSTOMER_ID2") == ["customer", "id"]
    assert words_of("subject#") == ["subject", "#"]


def written(tmp_path, **columns):
    frame = pd.DataFrame({"x": RNG.normal(size=N), "b": RNG.integers(0, 9, N), **columns})
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_questions_are_in_the_configuration_and_answers_change_it(tmp_path):
    path = written(tmp_path, patient_nbr=FAR[WHO], y=Y)
    found = look(path)
    assert [c.name for c in found.questions] == ["patient_nbr"]
    assert parameters(found)["entity"] == "patient_nbr"
    assert "      # ? patient_nbr is taken as entity (118 values, 5.1 rows each" in propose(found)
    answered = look(path, roles={"patient_nbr": "number"})
    assert not answered.questions
    assert "entity" not in parameters(answered)
    assert parameters(look(path, roles={"patient_nbr": "group"}))["group"] == "patient_nbr"
    assert parameters(look(path, roles={"patient_nbr": "category"}))["categories"] == ["patient_nbr"]
    path = written(
        tmp_path,
        KUNNR=[f"{w:010}" for w in WHO],
        month=[f"2024-{w % 12 + 1:02}" for w in WHO],
        home=HOME,
        y=Y,
    )
    assert parameters(look(path))["entity"] == "KUNNR"
    months = parameters(look(path, roles={"month": "category"}))
    assert "2024-07" in make("file", **months).X["month"].cat.categories
    path = written(tmp_path, patient_nbr=FAR[WHO], y=Y)
    with pytest.raises(DatasetError, match=r"no column 'nbr'"):
        look(path, roles={"nbr": "number"})
    with pytest.raises(DatasetError, match=r"'person' is no role"):
        look(path, roles={"patient_nbr": "person"})


GRADES = RNG.choice([0, 1, 2], N, p=[0.8, 0.15, 0.05])


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"flag": [1] + [0] * (N - 1), "test": Y, "biopsy": np.roll(Y, 1)}, ("biopsy", 1)),
        ({"y": Y, "sex": np.where(WHO % 7 > 0, "m", "f")}, ("y", 1)),
        ({"readmitted": np.choose(GRADES, ["NO", ">30", "<30"])}, ("readmitted", "<30")),
        ({"bug": GRADES}, ("bug", ">= 1")),
        ({"smoking_status": np.choose(GRADES, ["no", "once", "yes"]), "stroke": Y}, ("stroke", 1)),
        ({"isFraud": np.where(Y, "fraud", "ok")}, ("isFraud", "fraud")),
        ({"bought": np.choose(GRADES + 3 * Y, ["no", "Yes", "Y", "No", "yes", "Y"])}, ("bought", "Y")),
        ({"ready": np.where(Y, "ok", None)}, None),
    ],
)
def test_the_label_is_one_that_can_be_it(columns, expected, tmp_path):
    label = look(written(tmp_path, **columns)).label
    assert (None if label is None else (label.column, label.positive)) == expected


def test_a_comparison_that_is_a_value_is_the_value(tmp_path):
    path = written(tmp_path, readmitted=np.choose(GRADES, ["NO", ">30", "<30"]))
    assert look(path, "readmitted", "<30").label.share == np.mean(GRADES == 2)
    assert look(written(tmp_path, y=GRADES), "y", "1").label.positive == 1


RARE = (RNG.random(4000) < 0.03).astype(int)
PARTS = np.where(RARE, RNG.integers(0, 4, 4000), -1)


def test_parts_of_the_label_are_leaks_and_what_is_often_positive_is_none(tmp_path):
    parts = {f"part{i}": (i == PARTS).astype(int) for i in range(4)}
    fair = {"shop": RNG.integers(0, 30, 4000), "risk": RNG.random(4000) < 0.02 + 0.2 * RARE}
    frame = pd.DataFrame({"x": RNG.normal(size=4000), **parts, **fair, "y": RARE})
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = look(tmp_path / "t.csv", "y")
    assert list(found.leaks) == list(parts)
    assert set(parts) <= set(parameters(found)["drop"])


def test_at_most_eight_lines_the_most_harmful_first(tmp_path):
    many = {f"c{i}": 1 for i in range(12)} | {f"z{i}": np.arange(N) for i in range(12)}
    gaps = {"g": np.where(WHO < 9, np.nan, HOME), "day": "2026-01-01", "who_id": WHO, "paid": Y}
    found = look(written(tmp_path, **many, **gaps, y=Y), "y")
    assert len(found.complaints) <= 8
    assert found.complaints[0].startswith("paid: tells the label nearly alone")
    assert all(len(line) < 800 for line in found.complaints)


def test_numbers_that_are_names_of_two_ways_are_categories():
    """01 beside 1 is another name, and no value of the column is a mark among numbers."""
    frame = pd.DataFrame({"size": ["01", "1", "2.5"] * 10})
    assert describe(frame, "size", "01").kind == "category"


def test_a_category_is_one_in_the_rows_with_a_label_too(tmp_path):
    rng = np.random.default_rng(2)
    result = rng.permutation(["yes"] * 60 + ["no"] * 120 + ["pending"] * 20)
    specimen = [f"S-{i // 2:04d}" for i in range(200)]
    frame = pd.DataFrame({"x": rng.normal(size=200), "specimen": specimen, "result": result})
    frame.to_csv(tmp_path / "t.csv", index=False)
    proposed = parameters(look(tmp_path / "t.csv", label="result", roles={}))
    assert proposed["categories"] == ["specimen"]
    assert make("file", **proposed).y.sum() == 60


def test_an_ordered_category_may_be_the_label(tmp_path):
    rng = np.random.default_rng(2)
    risk = pd.Categorical(rng.choice(["high", "low", "mid"], 200), ["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"risk": risk, "x": rng.normal(size=200), "y": rng.choice(["a", "b"], 200)})
    frame.to_parquet(tmp_path / "t.parquet")
    assert [c.column for c in look(tmp_path / "t.parquet").candidates] == ["y", "risk"]


@pytest.mark.parametrize("values", [["x", "y", "z"], ["2024-01-01", "2024-01-02", "2024-01-05"]])
def test_words_that_are_named_numbers_are_refused(values, tmp_path):
    frame = pd.DataFrame({"a": np.arange(90) % 7, "c": values * 30, "y": np.arange(90) % 2})
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(DatasetError, match=f"'c' must hold numbers, got '{values[0]}'"):
        look(tmp_path / "t.csv", "y", roles={"c": "number"})

"""Labels of three to twenty values: the positive, the negative, and those left out and counted."""

import numpy as np
import pandas as pd
import pytest
import yaml

from attop_bench.cli.main import main
from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.profile.look import look
from attop_bench.data.profile.missing import undecided
from attop_bench.data.profile.proposal import parameters, propose


def written(tmp_path, shares, name="stage", n=600, **others):
    """Write a table with a label of some values, by their shares."""
    rng = np.random.default_rng(0)
    values = rng.choice(np.array(list(shares), object), n, p=list(shares.values()))
    frame = pd.DataFrame({"x": rng.normal(size=n), "z": rng.integers(0, 9, n), **others, name: values})
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv", frame


DEALS = {"Open": 0.3, "Won": 0.2, "Lost": 0.5}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["Open", "Won", "Lost"], ["Open"]),
        (["current", "30", "60", "90+"], []),
        (["Current", "Late 16-30 days", "Late 31-120 days"], []),
        (["Current", "Fully Paid", "Charged Off", "Late 16-30"], ["Current"]),
        (["pending", "30", "60", "90+"], ["pending"]),
        (["OPEN", "won", "lost"], ["OPEN"]),
        (["In progress", "passed", "failed"], ["In progress"]),
        (["in-progress", "Pending", "passed", "failed"], ["in-progress", "Pending"]),
        (["positive", "negative", "Inconclusive"], ["Inconclusive"]),
        (["Awaiting decision", "Pending: docs", "won", "lost"], ["Awaiting decision", "Pending: docs"]),
        (["Not yet known", "TBC", "relapse", "remission"], ["Not yet known", "TBC"]),
        (["don't know", "yes", "no"], ["don't know"]),
        (["Lost to follow-up", "censored", "cured", "died"], ["Lost to follow-up", "censored"]),
        (["pendiente", "aprobado", "rechazado"], ["pendiente"]),
        (["depending", "free", "bound"], []),
        (["Open", "Won"], []),
        (["Open", "Pending", "Won"], []),
        (["open-toed", "heels", "boots"], []),
        ([0, 1, -1], [-1]),
        ([1, -1], []),
        ([0, 1, 2, 3, -9], [-9]),
        ([0, 1, 9], [9]),
        ([1, 2, 3, 4, 5, 9], []),
        ([0, 1, 99], [99]),
        ([-2, -1, 0, 1, 2], []),
        (list(range(-1, 21)), []),
    ],
    ids=str,
)
def test_values_that_are_no_outcome_yet(values, expected):
    assert sorted(undecided(pd.Series(values * 20))) == sorted(expected)


@pytest.mark.parametrize("shares", [DEALS, {-1: 0.3, 1: 0.2, 0: 0.5}, {9: 0.3, 1: 0.2, 0: 0.5}])
def test_rows_without_an_outcome_are_left_out_and_counted(shares, tmp_path):
    path, frame = written(tmp_path, shares)
    none, positive, negative = shares
    found = look(path)
    assert (found.label.positive, found.label.negative, found.label.left_out) == (
        positive,
        (negative,),
        (none,),
    )
    counts = frame["stage"].value_counts()
    assert found.label.share == pytest.approx(counts[positive] / (counts[positive] + counts[negative]))
    assert found.undecided == counts[none]
    assert any(f"{counts[none]} rows of another outcome ({none}) left out" in c for c in found.complaints)
    said = parameters(found)
    assert (said["positive"], said["negative"]) == (positive, [negative])
    assert "as no outcome yet" in propose(found)
    assert yaml.safe_load(propose(found))["datasets"][0]["params"] == said
    dataset = make("file", **said)
    assert (len(dataset.y), dataset.n_pos) == (counts[positive] + counts[negative], counts[positive])
    assert [(a.rows, a.rule) for a in dataset.ledger.left_out] == [
        (counts[none], "of another outcome (neither positive nor negative)")
    ]
    kept = frame[frame["stage"] != none]
    np.testing.assert_allclose(dataset.X, kept[["x", "z"]])
    np.testing.assert_array_equal(dataset.y, kept["stage"] == positive)


def test_several_positives_and_negatives_are_named(tmp_path):
    path, frame = written(tmp_path, {"mel": 0.2, "bcc": 0.1, "nv": 0.4, "df": 0.3}, "dx")
    output = tmp_path / "c.yaml"
    how = ["--positive", "mel", "--positive", "bcc", "--negative", "nv"]
    assert main(["look", str(path), *how, "--output", str(output)]) == 0
    params = yaml.safe_load(output.read_text())["datasets"][0]["params"]
    assert (params["label"], params["positive"], params["negative"]) == ("dx", ["mel", "bcc"], ["nv"])
    dataset = make("file", **params)
    assert dataset.n_pos == frame["dx"].isin(["mel", "bcc"]).sum()
    assert len(dataset.y) == (frame["dx"] != "df").sum()


def test_rows_without_a_label_and_of_another_outcome_are_counted_apart(tmp_path):
    path, frame = written(tmp_path, {"Open": 0.3, "Won": 0.2, "Lost": 0.3, "": 0.2})
    found = look(path)
    assert (found.unlabelled, found.undecided) == tuple((frame["stage"] == v).sum() for v in ("", "Open"))
    dataset = make("file", **parameters(found))
    assert [a.rows for a in dataset.ledger.left_out] == [found.unlabelled, found.undecided]
    assert len(dataset.y) == frame["stage"].isin(["Won", "Lost"]).sum()


def test_a_comparison_may_be_negative(tmp_path):
    path, frame = written(tmp_path, dict.fromkeys(range(5), 0.2), "grade")
    dataset = make("file", path=path, label="grade", positive=">= 4", negative="<= 1")
    assert (len(dataset.y), dataset.n_pos) == ((frame["grade"] % 4 < 2).sum(), (frame["grade"] == 4).sum())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positive": "Won", "negative": ["Won", "Lost"]}, "'Won' is both positive and negative"),
        ({"positive": "Won", "negative": "< 1"}, "'< 1' compares numbers, and column 'stage' .*: give the"),
        ({"positive": "Won", "negative": "lost"}, "no row has stage = 'lost'; values are .*Lost"),
    ],
)
def test_refuses(options, message, tmp_path):
    path, _ = written(tmp_path, DEALS)
    with pytest.raises(DatasetError, match=message):
        make("file", path=path, label="stage", **options)
    if isinstance(options["negative"], list):
        with pytest.raises(DatasetError, match=message):
            look(path, "stage", **options)


@pytest.mark.parametrize(
    ("name", "is_label"),
    [
        *((name, True) for name in ("dx", "loan_status", "Status", "claim status", "final_stage")),
        *((name, True) for name in ("relapse", "accident_severity", "appointment_status")),
        *((name, False) for name in ("marital_status", "smoking_status", "dx_type", "tumour_stage")),
    ],
)
def test_a_named_outcome_goes_before_two_values_that_are_none(name, is_label, tmp_path):
    rng = np.random.default_rng(1)
    values = rng.choice([*"abcde"], 500)
    frame = pd.DataFrame({name: values, "sex": rng.choice(["f", "m"], 500), "x": rng.normal(size=500)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = look(tmp_path / "t.csv")
    assert found.label.column == (name if is_label else "sex")


def test_fifteen_diagnoses_are_a_label(tmp_path):
    path, _ = written(tmp_path, {f"d{i}": 1 / 15 for i in range(15)}, "diagnosis", 1500)
    found = look(path)
    assert found.label.column == "diagnosis"
    assert any("15 values" in c and "--negative X leaves the rest out" in c for c in found.complaints)


@pytest.mark.parametrize("code", [99, 999, -1])
def test_a_code_is_no_grade_of_a_comparison(code, tmp_path):
    """A guess leaves the rows of the code out; where a person has named a comparison, it is said."""
    path, frame = written(tmp_path, {code: 0.1, 1: 0.3, 2: 0.3, 3: 0.2, 4: 0.1}, name="grade")
    found = look(path)
    assert found.undecided == (frame["grade"] == code).sum() > 0
    params = parameters(found)
    assert params["negative"] == [1, 2]
    assert make("file", **params).n_pos == frame["grade"].isin([3, 4]).sum()
    reaching = "<= 2" if code < 0 else ">= 3"
    (line,) = [c for c in look(path, "grade", reaching).complaints if f"grade: {code} in" in c]
    assert f"missing={{grade: [{code}]}}" in line
    assert f"grade: {code} in" not in "\n".join(look(path, "grade", 4).complaints)


@pytest.mark.parametrize(
    ("given", "parameter"), [({"positive": True}, "positive"), ({"negative": [False]}, "negative")]
)
def test_a_word_that_yaml_made_a_truth_value_is_named(given, parameter, tmp_path):
    path, _ = written(tmp_path, {"yes": 0.4, "no": 0.6})
    options = {"label": "stage", "positive": "yes", **given}
    with pytest.raises(DatasetError, match=rf"values are .*: set {parameter} to .* in quotes"):
        make("file", path=str(path), **options)


@pytest.mark.parametrize(
    ("name", "values", "positive", "left_out"),
    [
        ("resultado", ["en trámite", "impago", "pagado"], "impago", "en trámite"),
        ("Défaut", ["En attente", "Oui", "Non"], "Oui", "En attente"),
        ("opgezegd", ["in behandeling", "ja", "nee"], "ja", "in behandeling"),
        ("Kündigung", ["noch offen", "J", "N"], "J", "noch offen"),
    ],
)
def test_outcomes_in_other_languages(name, values, positive, left_out, tmp_path):
    sex = np.random.default_rng(3).choice(["f", "m"], 600)
    path, _ = written(tmp_path, dict(zip(values, (0.2, 0.3, 0.5), strict=True)), name, sex=sex)
    label = look(path).label
    assert (label.column, label.positive, label.left_out) == (name, positive, (left_out,))


def test_a_grade_of_many_digits_is_compared_as_it_is(tmp_path):
    grades = np.array([0.123456789, 1.203258954, 2.0])[np.arange(60) % 3]
    pd.DataFrame({"x": np.arange(60) % 7, "grade": grades}).to_csv(tmp_path / "t.csv", index=False)
    label = look(tmp_path / "t.csv", label="grade").label
    assert (label.positive, label.share) == (">= 2", 1 / 3)
    assert label.otherwise == ">= 1.203258954"

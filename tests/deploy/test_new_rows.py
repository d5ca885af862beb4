"""New rows: each is ranked, or named below the list; the ledger of a run on page, card and list."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from attop_bench.cli.main import main
from attop_bench.data.base import DatasetError
from attop_bench.data.profile.look import look
from attop_bench.data.profile.proposal import propose
from attop_bench.deploy import deploy as deploying
from attop_bench.deploy.card import card
from attop_bench.deploy.new_rows import read_new_rows
from attop_bench.deploy.package import Package, read_package
from support.packages import write_package
from support.small_run import configured

METHOD = {"id": "logistic", "estimator": "sklearn.linear_model.LogisticRegression", "params": {"C": 1.0}}


def customers(n=160):
    rng = np.random.default_rng(0)
    x = rng.normal(0, 1, n).round(3)
    service = rng.choice(["good", "poor", "average", "sum"], n)
    y = np.where(x + rng.normal(0, 1, n) > 1, "yes", "no")
    return pd.DataFrame({"id": [f"K{i}" for i in range(n)], "x": x, "service": service, "y": y})


@pytest.fixture
def deployed(tmp_path, monkeypatch):
    """Return a function that deploys a model of a file."""
    monkeypatch.chdir(tmp_path)
    for name in ("share_kept", "next_list"):
        monkeypatch.setattr(deploying, name, lambda *_, **__: None)

    def deploy(text, **given):
        path = Path("t.csv")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        configuration = yaml.safe_load(propose(look(str(path), label="y", positive="yes", **given)))
        (data,) = configuration["datasets"]
        data["protocol"]["options"] = {"n_folds": 2, "inner_folds": 2}
        config = configured(**configuration | {"methods": [METHOD], "catalogues": {}})
        return deploying.deploy(config, data["id"], ["logistic"], n_jobs=1)

    return deploy


def ranked(package, text, name="new.csv"):
    """Return the list of a file, its ledger, and what was said."""
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    said = []
    found = package.rank(name, said.append)
    return found, found.attrs["ledger"], said


def test_gaps_where_training_had_none_are_said_once(deployed):
    frame = customers().assign(w=[None if i % 9 == 0 else i % 7 / 2 for i in range(160)])
    package = deployed(frame.to_csv(index=False)).package
    rows = [f"c{i},{'' if i == 13 else i / 10},good,{'' if i == 20 else 1.5}" for i in range(40)]
    _, ledger, said = ranked(package, "\n".join(["id,x,service,w", *rows]) + "\n")
    assert [line for line in said if "missing" in line] == [
        "x is missing in 1 row, filled in, and was in none of training: row 14"
    ]
    assert ledger.kept == 40


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize(
    ("header", "lacking"),
    [("id,x", "service;.* the file has id, x"), ("id,Xs,service", "x; did you mean 'Xs'")],
)
def test_what_a_file_by_another_separator_lacks_is_named_alone(header, lacking, mark, deployed):
    package = deployed(customers().to_csv(index=False)).package
    line = ",".join("1" * (header.count(",") + 1))
    with pytest.raises(DatasetError, match=f"columns of the model: {lacking}"):
        ranked(package, f"{header}\n{line}\n{line}\n".replace(",", mark))
    found, _, said = ranked(package, "id,x,service\nK1,0.5,good\n".replace(",", mark))
    assert len(found) == 1
    assert any("separated" in line for line in said) == (mark != ",")


@pytest.mark.parametrize("word", ["average", "sum", "Total", "mean", "media"])
def test_the_best_customer_is_ranked_whatever_the_word(word, deployed):
    """The last of six is of a category that is a word for a sum, and has by far the highest score."""
    package = deployed(customers().to_csv(index=False)).package
    rows = [f"c{i},{i / 10},{['good', 'poor'][i % 2]}" for i in range(5)]
    found, ledger, _ = ranked(package, "\n".join(["id,x,service", *rows, f"c5,9.9,{word}"]) + "\n")
    assert next(iter(found["id"])) == "c5"
    assert sorted(found["row"]) == [1, 2, 3, 4, 5, 6]
    assert (ledger.read, ledger.kept) == (6, 6)


def test_every_line_below_the_header_is_in_the_list_or_named(deployed):
    package = deployed(customers().to_csv(index=False)).package
    rows = ["c0,0.5,good", "---,---,---", "c2,,good", "id,x,service", "c4,n.d.,poor", ",,", "c6,2.5,sum"]
    sums = f"Total,{0.5 + 2.5},sum"
    found, ledger, _ = ranked(package, "\n".join(["id,x,service", *rows, sums, "Source: us,,"]) + "\n")
    assert list(found.sort_values("row")["id"]) == ["c0", "c6", "Total"]
    assert ledger.read == 9 == ledger.kept + sum(e.rows for e in (*ledger.passed, *ledger.left_out))
    named = {entry.line for entry in (*ledger.passed, *ledger.left_out)}
    assert named == {3, 4, 5, 6, 7, 10}


def test_a_sum_is_ranked_and_said(deployed):
    package = deployed(customers().to_csv(index=False)).package
    rows = [f"c{i},{i / 4},good" for i in range(8)]
    found, ledger, _ = ranked(package, "\n".join(["id,x,service", *rows, f"Total,{28 / 4},"]) + "\n")
    assert len(found) == 9
    assert str(ledger.doubtful[0]).endswith("(line 10, 'Total,7.0,')")


def test_lines_above_the_header_are_found_again(deployed):
    plain = customers().to_csv(index=False)
    package = deployed("Made by us\n#2\n\n" + plain).package
    assert package.notes["reader"] == {"skip": 3}
    known = ranked(package, plain)[0].set_index("row")["score"]
    assert len(known) == 160
    for above, said in (("", "nothing"), ("one\n", "1 line"), ("a\n" * 9, "9 lines"), ("a\n\n\n", None)):
        found, ledger, lines = ranked(package, above + plain)
        np.testing.assert_allclose(found.set_index("row")["score"].sort_index(), known.sort_index())
        assert ledger.kept == 160
        assert (said is None) == (lines == [])
        assert said is None or f": {said} above the header" in lines[0]


def test_names_are_found_whatever_the_encoding(deployed):
    plain = customers().rename(columns={"id": "Eröffnet am"}).to_csv(index=False)
    for one, other in (("cp1252", "utf-8"), ("utf-8", "cp1252"), ("utf-8", "utf-16")):
        package = deployed(plain.encode(one)).package
        found, _, said = ranked(package, plain.encode(other))
        assert [line for line in said if "'Eröffnet'" in line and "read as cp1252" in line] == (
            said if other == "cp1252" else []
        )
        assert next(iter(found["Eröffnet am"])).startswith("K")
        assert len(found) == 160


@pytest.mark.parametrize(
    ("own", "other"),
    [((",", "."), (";", ",")), ((";", ","), (",", ".")), ((",", "."), ("\t", ",")), ((",", "."), (",", ","))],
)
def test_separator_and_decimal_sign_of_another_program_are_found(own, other, deployed):
    frame = customers().assign(w=np.arange(160) % 7 / 4)

    def written(rows, form):
        return rows.to_csv(index=False, sep=form[0], decimal=form[1])

    package = deployed(written(frame, own)).package
    known = ranked(package, written(frame, own))[0]
    # Of few rows most are whole numbers, which tell nothing of the sign.
    for rows in (
        frame,
        frame.iloc[:2],
        frame.assign(x=frame["x"].round().where(frame.index > 9, frame["x"])),
    ):
        found, ledger, said = ranked(package, written(rows, other))
        assert ledger.kept == len(rows)
        assert any(repr(other[1]) in line for line in said) == (own[1] != other[1])
        assert any("separated" in line for line in said) == (own[0] != other[0])
    found = ranked(package, written(frame, other))[0]
    assert list(found["id"]) == list(known["id"])
    np.testing.assert_allclose(found["score"], known["score"])


@pytest.mark.parametrize("form", ["csv", "xlsx", "parquet"])
def test_what_stands_for_nothing_does_so_in_any_format(form, deployed):
    frame = customers().assign(w=np.arange(160) % 9)
    frame["w"] = frame["w"].replace(3, -999)
    frame.loc[::7, "service"] = "?"
    package = deployed(
        frame.to_csv(index=False), given={"missing": {"w": ["-999"], "service": ["?"]}}
    ).package
    known = ranked(package, frame.to_csv(index=False))[0]
    if form == "xlsx":
        frame.to_excel("new.xlsx", index=False)
    if form == "parquet":
        frame.to_parquet("new.parquet")
    said = []
    found = package.rank(f"new.{form}", said.append)
    np.testing.assert_allclose(found["score"], known["score"])
    assert said == []


@pytest.mark.parametrize("given", [{}, {"missing": {"x": ["-9"]}}], ids=["none", "another column"])
@pytest.mark.parametrize(("own", "other"), [("parquet", "csv"), ("csv", "parquet"), ("parquet", "xlsx")])
def test_a_usual_word_is_a_category_or_nothing_as_in_the_data(own, other, given, tmp_path):
    path = tmp_path / f"new.{other}"
    rows = pd.DataFrame({"country": ["DE", "NA", "FR"], "x": ["1", "NA", "-9"]})
    write = {"csv": rows.to_csv, "parquet": rows.to_parquet, "xlsx": rows.to_excel}
    write[other](path, index=False)
    countries = ["DE", "FR", *(["NA"] if own == "parquet" else [])]
    notes = {"format": own, "reader": given, "unused": [], "group": None, "beside": []}
    notes |= {"features": ["country", "x"], "categories": {"country": countries}}
    table = read_new_rows(path, notes, print)
    assert table.text("country").isna().tolist() == [False, own == "csv", False]
    assert table.text("x").isna().tolist() == [False, not given, bool(given)]


def test_an_odd_cell_is_no_decimal_sign(deployed):
    package = deployed(customers().to_csv(index=False)).package
    text = "id,x,service\na,0.5,good\nb,1.25,poor\nc,n.d.,good\nd,7/2,good\n"
    _, ledger, said = ranked(package, text)
    assert (ledger.kept, said) == (2, [])
    with pytest.raises(DatasetError, match="'x' must hold numbers, got 'old'"):
        ranked(package, "id,x,service\na,old,good\nb,new,poor\n")


def test_an_odd_comma_does_not_make_thousands_of_decimals(deployed):
    package = deployed(customers().assign(b=np.arange(160) % 40).to_csv(index=False)).package
    text = "id,x,service,b\na,0.096,good,1\nb,3.158,poor,2\nc,1.25,good,3\n"
    known = ranked(package, text)[0].set_index("id")["score"]
    found, ledger, said = ranked(package, text + 'd,2.5,good,"1,5"\n')
    assert (ledger.kept, said) == (3, [])
    np.testing.assert_allclose(found.set_index("id")["score"][known.index], known)


def test_a_comma_with_three_decimals_is_found_by_one_with_fewer(deployed):
    frame = customers().assign(x=lambda rows: 50 + rows["x"])
    package = deployed(frame.to_csv(index=False)).package
    known = ranked(package, frame.to_csv(index=False))[0].set_index("row")["score"]
    found, ledger, said = ranked(package, frame.to_csv(index=False, sep=";", decimal=","))
    assert ledger.kept == 160
    assert any("','" in line for line in said)
    np.testing.assert_allclose(found.set_index("row")["score"][known.index], known)


def test_a_customer_who_comes_twice_is_ranked_twice_and_said(deployed):
    frame = customers().assign(day="2024-01-02")
    package = deployed(frame.to_csv(index=False)).package
    assert package.notes["distinct"] == ["id"]
    new = pd.concat([frame, frame.iloc[[7, 9]].assign(x=0.5), frame.iloc[[0, 1]].assign(id="")])
    _, ledger, said = ranked(package, new.to_csv(index=False))
    assert ledger.kept == 164
    assert [line for line in said if line.startswith("id ") and line.endswith("row 161, 162")] == said
    assert ranked(package, frame.to_csv(index=False))[2] == []


def test_values_of_rows_that_are_not_ranked_are_not_told(deployed):
    package = deployed(customers().to_csv(index=False)).package
    _, ledger, said = ranked(package, "id,x,service\na,0.5,good\nid,x,service\nb,,other\nc,1,poor\n")
    assert (ledger.kept, said) == (2, [])


def test_columns_that_a_list_lacks_are_said(deployed):
    package = deployed(customers().to_csv(index=False)).package
    said = ranked(package, customers().drop(columns="id").to_csv(index=False))[2]
    assert said == ["new.csv: lacks columns that a list of all shows: id"]


def test_a_file_of_which_no_row_can_be_ranked_is_refused(deployed):
    package = deployed(customers().to_csv(index=False)).package
    with pytest.raises(DatasetError, match="no row can be ranked: 2 rows with no score, as x is missing"):
        ranked(package, "id,x,service\na,,good\nb,,poor\n")


def test_the_ledger_is_on_the_card_and_below_the_list(deployed, capsys):
    text = customers().to_csv(index=False).replace("no\n", "\n", 1) + ",,,\nTotal,,,\n"
    model = deployed(text)
    lines = card(model, Path("out"), [], {"logistic": "Logistic"}).splitlines()
    assert "- rows read: 162" in lines
    assert any(
        line.startswith("- rows passed over: 1 row without any value (line 162); 1 row at the end")
        for line in lines
    )
    assert any(line.startswith("- rows left out: 1 row without a label") for line in lines)
    assert "- rows kept: 159" in lines
    write_package(
        Path("out"),
        Package(
            model.package.pipeline,
            model.package.notes | {"precision": {"mean": 0.5, "low": 0.4, "high": 0.6}},
            [],
        ),
    )
    assert isinstance(read_package("out"), Package)
    Path("new.csv").write_text("id,x,service\na,1,good\nb,,poor\n,,\n")
    assert main(["score", "out", "new.csv", "--top", "1"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[-3:] == [
        "new.csv: passed over: 1 row without any value (line 4)",
        "new.csv: not ranked: 1 row with no score, as x is missing, and the model fills no gaps, row 2 "
        "(line 3, 'b,,poor')",
        "new.csv: rows: 3 read, 1 passed over, 1 not ranked, 1 scored and ranked, 1 in this list",
    ]

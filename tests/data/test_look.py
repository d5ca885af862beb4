"""attop look: what a table holds, all complaints at once, and a configuration that runs as it stands."""

import shlex
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml

from attop.extending import Top
from attop.metrics import get_metric
from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.profile import rows as reading
from attop_bench.data.profile.look import look
from attop_bench.data.profile.missing import sentinels
from attop_bench.data.profile.proposal import Rate, in_time, parameters, propose
from attop_bench.data.reading.table import Table
from attop_bench.data.splits.protocols import make_folds
from support.small_run import configured
from support.transactions import transactions


def written(frame, tmp_path, name="t.csv", **options):
    frame.to_csv(tmp_path / name, index=False, **options)
    return str(tmp_path / name)


def runs(found):
    """Return the data of the proposal, once configuration, folds and tops are known to be good."""
    (data,) = configured(**yaml.safe_load(propose(found))).datasets
    dataset = make("file", **data.params)
    folds = make_folds(data.protocol.kind, dataset, repeat=0, seed=0, **data.protocol.options)
    for fold in folds:
        for rows in (fold.test, *(validation for _, validation in fold.inner)):
            y = dataset.y[rows]
            result = get_metric(data.scoring).evaluate(y, np.zeros(len(y)), top=Top.of(data.tops[0]))
            assert result.reason is None
    return dataset


def test_a_table_of_every_kind(tmp_path):
    found = look(written(transactions(3000), tmp_path))
    kinds = {c.name: c.kind for c in found.columns}
    assert kinds["transaction_id"] == "identifier"
    assert kinds["customer_id"] == "entity"
    assert kinds["date"] == "date"
    assert kinds["merchant"] == kinds["country"] == kinds["channel"] == "category"
    assert kinds["currency"] == "constant"
    assert {kinds[c] for c in ("amount", "hour", "v1", "age", "limit")} == {"number"}
    assert kinds["fraud"] == "yes/no"
    assert (found.label.column, found.label.positive) == ("fraud", "yes")
    assert found.label.share == pytest.approx(0.024)
    assert found.twins == {"limit_copy": "limit"}
    assert found.column("age").missing == pytest.approx(0.12, abs=0.03)
    said = parameters(found)
    assert said["entity"] == "customer_id"
    assert said["day"] == "date"
    assert said["drop"] == ["transaction_id", "currency", "limit_copy"]
    assert (said["one_hot"], said["max_categories"], said["impute"]) == (True, 20, "median")
    dataset = runs(found)
    assert dataset.X.shape == (3000, 19)
    said = "\n".join(found.complaints)
    for word in ("currency", "transaction_id", "date", "merchant", "limit_copy", "missing", "guessed"):
        assert word in said


def plain(n=300, **columns):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.2).astype(int)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 9, n), "y": y})
    return frame.assign(**{name: value(rng, n, y) for name, value in columns.items()})


@pytest.mark.parametrize("days", [50, 99, 150, 365, 1000])
def test_the_split_in_time_that_is_offered_can_be_made(days, tmp_path):
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(1000) % days, "D")
    frame = plain(1000, customer_id=lambda rng, n, y: rng.integers(0, 170, n))
    found = look(written(frame.assign(date=day.strftime("%Y-%m-%d")), tmp_path))
    assert parameters(found)["entity"] == "customer_id"
    protocol = in_time(found)
    assert "{kind: prequential, options: {n_folds: 5, train: " in propose(found)
    folds = make_folds("prequential", runs(found), repeat=0, seed=0, **protocol["options"])
    assert len(folds) == 5


def test_so_many_a_day_are_of_the_rows_of_a_day(tmp_path):
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(300) % 20, "D")
    path = written(plain().assign(date=day.strftime("%Y-%m-%d")), tmp_path)
    proposal = propose(look(path), rate=Rate(5, "day"))
    assert yaml.safe_load(proposal)["datasets"][0]["tops"] == [{"k": 5, "of": 15}]
    assert "5 a day: of a day's rows, on average over 20 days" in proposal
    dates = plain().assign(born=[f"{1900 + i % 90}-06-01" for i in range(300)], date=day.strftime("%Y-%m-%d"))
    assert parameters(look(written(dates, tmp_path, "dates.csv")))["day"] == "date"
    with pytest.raises(DatasetError, match="15 a day is no top: a day has 15 rows"):
        propose(look(path), rate=Rate(15, "day"))
    without = look(written(plain(), tmp_path))
    assert in_time(without) is None
    with pytest.raises(DatasetError, match="no column holds dates"):
        propose(without, rate=Rate(5, "day"))


@pytest.mark.parametrize(
    ("text", "rows"), [("5 a day", 15), ("40 a week", 105), ("100 per month", 457), ("9/year", 5479)]
)
def test_a_rate_is_of_the_rows_of_an_average_period(text, rows, tmp_path):
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(300) % 20, "D")
    table = look(written(plain().assign(date=day.strftime("%Y-%m-%d")), tmp_path))
    rate = Rate.parse(text)
    assert yaml.safe_load(propose(table, rate=rate))["datasets"][0]["tops"] == [{"k": rate.k, "of": rows}]


@pytest.mark.parametrize("text", ["0 a day", "5 a fortnight", "a day", "5", "k=5", "5.5 a month", "-5 a day"])
def test_what_is_no_rate_is_none(text):
    assert Rate.parse(text) is None


def test_months_are_dates_too(tmp_path):
    months = pd.Series(pd.date_range("2024-01-01", periods=12, freq="MS")).dt.strftime("%Y-%m")
    table = look(written(plain().assign(month=months.to_numpy()[np.arange(300) % 12]), tmp_path))
    assert parameters(table)["day"] == "month"
    (top,) = yaml.safe_load(propose(table, rate=Rate(10, "month")))["datasets"][0]["tops"]
    assert top == {"k": 10, "of": 25}


def test_semicolons_and_decimal_commas(tmp_path):
    frame = plain(price=lambda rng, n, y: rng.integers(0, 10**4, n) / 100 + 0.01)
    frame["price"] = [f"{v:g}".replace(".", ",") for v in frame["price"].round(1)]  # 12 and 12,5
    found = look(written(frame, tmp_path, sep=";", decimal=","), "y")
    assert found.reader == {"separator": ";", "decimal": ","}
    dataset = runs(found)
    prices = frame["price"].str.replace(",", ".").astype(float)
    np.testing.assert_allclose(dataset.X, frame[["a", "b"]].assign(price=prices))
    thousands = frame.assign(price=[f"{i % 9 + 1},{i:03}" for i in range(300)], a=0)
    assert look(written(thousands, tmp_path, sep=";"), "y").reader == {"separator": ";"}


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("start", ["00", "12345678901234567"])
def test_ids_of_digits_name_customers(start, format, tmp_path):
    frame = plain(2000, customer_id=lambda rng, n, y: [f"{start}{i:03}" for i in rng.integers(0, 400, n)])
    getattr(frame, f"to_{format}")(tmp_path / f"t.{format}", index=False)
    column = look(tmp_path / f"t.{format}", "y").column("customer_id")
    assert column.kind == "entity"
    assert column.example == frame["customer_id"][0]


def test_copies_of_rows_stay_on_one_side(tmp_path):
    frame = plain()
    found = look(written(pd.concat([frame, frame[:30].assign(y=1)]), tmp_path), "y")
    assert found.copies == 30
    assert parameters(found)["copies_together"]
    assert runs(found).duplicate_group is not None


def test_rows_of_few_kinds_are_no_copies(tmp_path):
    """Where only some rows differ, copies cannot be kept on one side: folds would be empty."""
    frame = plain(z=lambda rng, n, y: np.where(y == 1, "a", rng.choice(list("abc"), n)))[["z", "y"]]
    found = look(written(frame, tmp_path), "y")
    assert found.copies == 297
    assert any("297 rows" in line and "only 3 differ" in line for line in found.complaints)
    assert "copies_together" not in parameters(found)


def test_a_column_that_tells_the_label_is_kept_where_it_is_the_only_one(tmp_path):
    frame = plain(z=lambda rng, n, y: y + rng.random(n) / 2)[["z", "y"]]
    found = look(written(frame, tmp_path), "y")
    (line,) = [line for line in found.complaints if line.startswith("z: tells the label")]
    assert "kept" in line
    assert "drop" not in parameters(found)
    assert "# - z:" in propose(found)
    assert runs(found).n_pos == frame["y"].sum()


@pytest.mark.parametrize(
    ("n_pos", "folds"),
    [(3, {"n_folds": 3, "inner_folds": 2}), (4, {"n_folds": 4, "inner_folds": 3}), (9, {})],
)
def test_few_positives_have_as_few_folds(n_pos, folds, tmp_path):
    frame = plain(40).assign(y=[int(i < n_pos) for i in range(40)])
    found = look(written(frame, tmp_path), "y")
    (data,) = yaml.safe_load(propose(found))["datasets"]
    assert data["protocol"]["options"] == {"n_folds": 5, "inner_folds": 3, **folds}
    two = look(written(frame[n_pos - 2 :], tmp_path), "y")
    with pytest.raises(DatasetError, match=r"2 rows of the rarer class.*collect more"):
        propose(two)


@pytest.mark.parametrize("rows", [48, 160])
def test_names_that_never_come_back_are_no_category(rows, tmp_path):
    words = ["red", "green", "blue"]
    frame = plain(
        rows, name=lambda rng, n, y: [f"Ann{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(n)]
    )
    frame["note"] = [f"{words[i % 3]} box {i} with {words[i % 2]} corners" for i in range(rows)]
    found = look(written(frame, tmp_path), "y")
    assert (found.column("name").kind, found.column("note").kind) == ("identifier", "text")


def test_the_likeliest_label_comes_first_and_the_rarest_value_is_positive(tmp_path):
    frame = plain(sex=lambda rng, n, y: np.where(rng.random(n) < 0.05, "f", "m"))
    found = look(written(frame.rename(columns={"y": "churned"}), tmp_path))
    assert [c.column for c in found.candidates] == ["churned", "sex"]
    assert found.label.positive == 1
    assert look(written(frame, tmp_path), "sex").label.positive == "f"
    assert look(written(frame, tmp_path), "sex", "m").label.share > 0.9


def test_a_label_of_many_values_takes_one_as_positive(tmp_path):
    found = look(
        written(plain(grade=lambda rng, n, y: rng.choice(list("aab"), n)).drop(columns="y"), tmp_path)
    )
    assert found.label.column == "grade"
    three = plain(grade=lambda rng, n, y: rng.choice(list("aaabbc"), n))
    found = look(written(three, tmp_path), "grade")
    assert found.label.positive == "c"
    assert any("3 values; 'c' is positive" in c for c in found.complaints)
    assert runs(found).n_pos == (three["grade"] == "c").sum()
    assert runs(look(written(three, tmp_path), "b", ">= 5")).n_pos == (three["b"] >= 5).sum()


def test_what_is_rare_in_a_long_table_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "_SAMPLE", 100)
    ages = {"age": lambda rng, n, y: rng.integers(18, 90, n).astype(str)}
    frame = plain(900, **ages).assign(z=1.5, w=["a", "b"] * 450)
    frame.loc[4, ["age", "z", "w", "y"]] = ["?", None, None, None]
    found = look(written(frame, tmp_path), "y")
    assert found.reader == {"missing": {"age": ["?"]}}
    assert runs(found).X.shape[0] == 899


def test_odd_names_of_columns_are_written_as_yaml_reads_them(tmp_path):
    odd = ["a,b", "a: b", "it's", '"q"', "#x", "yes", " x ", "{a}", "[b", "- c", "ü", "a\nb", "null"]
    frame = plain(**dict.fromkeys(odd, lambda rng, n, y: ["one"] * n)).rename(columns={"y": "1"})
    found = look(written(frame, tmp_path), "1")
    assert parameters(found)["drop"] == [" ".join(name.split()) for name in odd]
    assert yaml.safe_load(propose(found))["datasets"][0]["params"] == parameters(found)
    runs(found)


@pytest.mark.parametrize("file", ["my table (1).csv", "ÄÖ.csv", "a.b.csv", "---.csv"])
def test_any_name_of_a_file_gives_an_identifier(file, tmp_path):
    runs(look(written(plain(), tmp_path, file), "y"))


def test_columns_that_cannot_be_used_are_dropped_with_a_word(tmp_path):
    n = 300
    frame = plain(
        n,
        big=lambda rng, n, y: rng.integers(2**60, 2**61, n),
        day=lambda rng, n, y: np.array(["2026-01-01", "2026-01-02"])[rng.integers(0, 2, n)],
        real=lambda rng, n, y: pd.date_range("2026-01-01", periods=n),
        odd=lambda rng, n, y: [*(["?", "1"] * (n // 2))],
        marked=lambda rng, n, y: ["?", *map(str, range(n - 1))],
    )
    frame["far"] = np.where(frame["b"] == 0, np.inf, frame["a"])
    frame.to_parquet(tmp_path / "t.parquet")
    found = look(str(tmp_path / "t.parquet"), "y")
    kinds = {c.name: c.kind for c in found.columns}
    assert kinds["far"] == "unusable"
    assert kinds["big"] == "identifier"
    assert kinds["day"] == kinds["real"] == "date"
    assert kinds["odd"] == "yes/no"
    said = parameters(found)
    assert said["drop"] == ["big", "real", "marked", "far"]
    assert said["day"] == "day"
    assert said["one_hot"]
    runs(found)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b\n1,2\n", {"label": "c"}, "no column 'c'"),
        ("a,b\n1,2\n", {"label": "a", "positive": "7"}, "no row has a = '7'"),
        ("a,b\n", {}, "no rows"),
        ("", {}, "the file has no rows"),
        ("a,y\n,1\n,0\n", {"label": "a"}, "column 'a' is empty"),
    ],
)
def test_refuses(text, options, message, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DatasetError, match=message):
        look(str(tmp_path / "t.csv"), **options)


@pytest.mark.parametrize("text", ["a,b\n1,2\n3,4\n5,6\n", "a,y\nx,1\nx,0\n"])
def test_without_a_label_or_a_feature_there_is_no_proposal(text, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    found = look(str(tmp_path / "t.csv"))
    with pytest.raises(DatasetError, match=r"name the label|could be a feature"):
        propose(found)


@pytest.mark.parametrize("mark", [".", "?", "--"])
def test_what_is_nothing_among_numbers_is_nothing_among_words(mark, tmp_path):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.normal(size=200), "sex": rng.choice(["m", "f"], 200), "sign": "+"})
    frame = frame.astype(object).assign(y=rng.choice(["yes", "no"], 200, p=[0.2, 0.8]))
    frame.loc[::9, "a"] = frame.loc[::7, "sex"] = frame.loc[::2, "sign"] = mark
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = look(tmp_path / "t.csv", "y")
    assert found.reader["missing"] == {"a": [mark], "sex": [mark]}
    assert any(f"read as missing: sex: {mark} in 14.5% of the rows" in line for line in found.complaints)


WORDS = [
    ".",
    "-",
    "?",
    "--",
    "(missing)",
    "unknown",
    "Not stated",
    "n.a.",
    "na",
    "<blank>",
    "Prefer not to say",
]


@pytest.mark.parametrize("word", WORDS)
def test_a_word_that_says_nothing_is_kept_as_a_value_and_said(word, tmp_path):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=200), "side": rng.choice(["left", "right"], 200)})
    frame = frame.assign(y=rng.choice(["yes", "no"], 200, p=[0.2, 0.8]))
    frame.loc[::10, "side"] = word
    frame.to_csv(tmp_path / "t.csv", index=False)
    (said,) = [line for line in look(tmp_path / "t.csv", "y").complaints if line.startswith("kept as values")]
    assert f"side: {word} in 10.0% of the rows" in said
    remedy = yaml.safe_load(shlex.split(said.partition("--reader ")[2])[0].partition("=")[2])
    assert remedy == {"side": [word]}
    again = look(tmp_path / "t.csv", "y", given={"missing": remedy})
    assert again.column("side").missing == 0.1
    assert not any("kept as values" in line for line in again.complaints)


@pytest.mark.parametrize("word", ["n", "Other", "A-", "no", "ref", "その他", "99", "+", "★★", "$", "😀"])
def test_a_word_that_says_something_is_not_said(word, tmp_path):
    frame = pd.DataFrame(
        {"a": np.arange(200) % 17 / 7, "side": np.array(["left", "right", word])[np.arange(200) % 3]}
    )
    frame.assign(y=np.arange(200) % 5 // 4).to_csv(tmp_path / "t.csv", index=False)
    assert not any("kept as values" in line for line in look(tmp_path / "t.csv", "y").complaints)


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (range(1, 6), [9]),
        (range(1, 5), [8, 9]),
        (range(4), [96, 98]),
        (range(4), [-9, -8]),
        (range(11), [99]),
        (range(11), [88]),
        (range(20, 60), [-1]),
        (np.linspace(8, 30, 50), [-200]),
        (np.linspace(18, 40, 50), [99.9]),
        (range(50, 61), [98]),
        (range(50, 61), [99]),
        (range(50, 61), [98, 99]),
        (range(1, 10), []),
        (range(1, 8), []),
        ([0, 10, 50, 100, 500], []),
        ([1, 2, 3, 4, 6], []),
        ([0, 1], []),
        ([0, 9], []),
        ([7, *range(90, 100)], []),
        (range(18, 100), []),
        (range(-9, 12), []),
    ],
    ids=str,
)
def test_numbers_beyond_a_hole_may_mean_nothing(values, codes):
    frame = pd.DataFrame({"q": [*(20 * [*values]), *(12 * codes)]})
    table = Table(frame.astype(str), "t.csv", has_types=False)
    said = sentinels(table, frame, ["q"])
    assert len(said) == (len(codes) > 0)
    assert all(str(codes) in line for line in said)
    assert not sentinels(table, frame.head(20 * len(values)), ["q"])


def test_the_remedy_of_a_number_keeps_the_words_that_are_missing(tmp_path):
    values = [*(20 * [1, 2, 3, 4, 5]), *(12 * [9]), *(12 * ["NA"]), *(12 * ["null"])]
    frame = pd.DataFrame({"q": values, "y": np.arange(len(values)) % 5 // 4})
    frame.to_csv(tmp_path / "t.csv", index=False)
    (said,) = [line for line in look(tmp_path / "t.csv", "y").complaints if "if it means missing" in line]
    remedy = yaml.safe_load(shlex.split(said.partition("--reader ")[2])[0].partition("=")[2])
    assert remedy == {"q": [9, "NA", "null"]}
    again = look(tmp_path / "t.csv", "y", given={"missing": remedy}).column("q")
    assert (again.kind, round(again.missing * len(values))) == ("number", 36)


def test_the_remedy_of_a_word_keeps_the_words_that_are_missing(tmp_path):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=200), "side": rng.choice(["left", "right"], 200)})
    frame = frame.assign(y=rng.choice(["yes", "no"], 200, p=[0.2, 0.8]))
    frame.loc[::10, "side"], frame.loc[1::10, "side"] = "unknown", "n/a"
    frame.to_csv(tmp_path / "t.csv", index=False)
    (said,) = [line for line in look(tmp_path / "t.csv", "y").complaints if line.startswith("kept as values")]
    remedy = yaml.safe_load(shlex.split(said.partition("--reader ")[2])[0].partition("=")[2])
    assert remedy == {"side": ["unknown", "n/a"]}


@pytest.mark.parametrize("filled", [[3, 3], [3], [3, 4], [200, 200]])
def test_a_table_beside_is_asked(tmp_path, filled):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=200), "y": rng.integers(0, 2, 200)})
    for j, rows in enumerate(filled):
        frame[f"side{j}"] = pd.Series(rng.normal(size=rows))
    frame.to_csv(tmp_path / "t.csv", index=False)
    said = "\n".join(look(tmp_path / "t.csv", label="y").complaints)
    assert ("side0, side1: filled in the first 3 rows" in said) is (filled == [3, 3])
    if filled == [3, 3]:
        roles = {"side0": "identifier", "side1": "identifier"}
        assert parameters(look(tmp_path / "t.csv", label="y", roles=roles))["drop"] == [*roles]


def test_a_table_whose_fits_take_more_memory_than_usual_gets_it(tmp_path):
    found = look(written(transactions(3000), tmp_path))
    usual = configured(**yaml.safe_load(propose(found))).limits.memory_mb
    data = make("file", **parameters(found))
    numbers = data.transformer().fit_transform(data.X).shape[1]
    for rows in (3000, 10_000_000):
        proposal = yaml.safe_load(propose(replace(found, rows=rows)))
        needed = 24 * rows * numbers / 1e6
        given = configured(**proposal).limits.memory_mb
        assert needed < given
        assert (given == usual) == (rows == 3000)

"""Files of tables: every format gives the same rows."""

import bz2
import gzip
import lzma

import numpy as np
import pandas as pd
import pytest

from attop.extending import Top
from attop.metrics import get_metric
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.build import make
from attop_bench.data.columns.rows import parts_by_bounds, query_level_norm
from attop_bench.data.reading.formats import FORMATS, format_of, read_frame
from attop_bench.run.fitting import sample_of

X = np.array([[1.5, 0.0, -2.0], [0.25, 3.0, 0.0], [4.0, -1.0, 8.0], [0.0, 0.0, 1.0]])
LABEL = [1, -1, -1, 1]
QUERY = [7, 7, 9, 9]


def frame():
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": LABEL, "q": QUERY})


def svmlight_text(comment=False, qid=True):
    lines = []
    for x, label, query in zip(X, LABEL, QUERY, strict=True):
        values = " ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if v)
        lines.append(
            f"{label} {f'qid:{query} ' if qid else ''}{values}{' #docid = 3' if comment else ''}\r\n"
        )
    return "".join(lines)


def arff_text():
    rows = "\n".join(",".join(map(str, [*x, y, q])) for x, y, q in zip(X, LABEL, QUERY, strict=True))
    attributes = "\n".join(f"@ATTRIBUTE '{n}' real" for n in "abc")
    head = f"% a comment\n@relation t\n{attributes}\n@attribute y {{1,-1}}\n@attribute q integer"
    return f"{head}\n\n@DATA\n% another\n{rows}\n"


def write(folder, format):
    """Write the table in a format; return path and columns of label and group."""
    if format == "parquet":
        pytest.importorskip("pyarrow")
        frame().to_parquet(folder / "t.parquet")
        return folder / "t.parquet", "y", "q"
    if format == "excel":
        pytest.importorskip("openpyxl")
        frame().to_excel(folder / "t.xlsx", index=False)
        return folder / "t.xlsx", "y", "q"
    if format == "npz":
        np.savez(folder / "t.npz", X=X, y=LABEL, q=QUERY)
        return folder / "t.npz", "y", "q"
    if format == "svmlight":
        (folder / "t.svm").write_text(svmlight_text(comment=True), newline="")
        return folder / "t.svm", "label", "qid"
    text = {"csv": frame().to_csv(index=False), "arff": arff_text()}[format]
    (folder / f"t.{format}").write_text(text)
    return folder / f"t.{format}", "y", "q"


@pytest.mark.parametrize("format", list(FORMATS))
def test_every_format_gives_the_same_data(format, tmp_path):
    path, label, group = write(tmp_path, format)
    assert format_of(path) == format
    data = make("file", path=path, label=label, positive=1, group=group)
    np.testing.assert_array_equal(data.X, X)
    assert data.y.tolist() == [1, 0, 0, 1]
    assert data.groups.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("format", ["csv", "svmlight", "arff"])
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_text_is_read_whatever_its_name(format, pack, tmp_path):
    path, label, _ = write(tmp_path, format)
    plain = make("file", path=path, label=label, positive=1)
    path.write_bytes(pack(path.read_bytes()))
    packed = make("file", path=path, label=label, positive=1)
    np.testing.assert_array_equal(packed.X, plain.X)
    assert format_of("x.csv.gz") == format_of("x.CSV.bz2") == format_of("x.csv.xz") == "csv"
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 255
    path.write_bytes(damaged)
    with pytest.raises(DatasetError, match="not "):
        make("file", path=path, label=label, positive=1)


def test_svmlight_has_the_features_it_is_told_and_no_query_unless_asked(read, tmp_path):
    form = {"name": "data", "format": "svmlight", "label": None}
    data = read(svmlight_text(qid=False), **form, reader={"n_features": 5})
    np.testing.assert_array_equal(data.X, np.hstack([X, np.zeros((4, 2))]))
    assert data.groups is None
    assert read(svmlight_text(), **form).X.shape == (4, 3)
    path = tmp_path / "data"
    path.write_text("1 0:2\n-1 1:3\n")
    with pytest.raises(DatasetError, match=r"indices from 1.*zero_based"):
        read_frame(path, "svmlight")
    assert list(read_frame(path, "svmlight", {"zero_based": True})) == ["label", "0", "1"]


def test_headerless_columns_are_numbered_or_named(read):
    text = "   0.5   1  2.5\n  1.5  0   3.5 # why\n\n"
    reader = {"header": False, "separator": "whitespace", "comment": "#"}
    for label in (2, -2):
        data = read(text, "uci.data", format="csv", reader=reader, label=label)
        np.testing.assert_array_equal(data.X, [[0.5, 2.5], [1.5, 3.5]])
        assert data.facts["features"] == ["1", "3"]
    named = {**reader, "names": ["u", "v", "w"]}
    for choice in ({"keep": [-1]}, {"drop": ["u"]}):
        data = read(text, "uci.data", format="csv", reader=named, label="v", **choice)
        assert data.facts["features"] == ["w"]


def test_text_becomes_numbers_by_codes_or_one_hot(read):
    text = "u,n,y\no,1,p\nx,2,n\nb,3,p\n"
    coded = read(text, positive="p", codes={"o": 0, "x": 1, "b": 2})
    np.testing.assert_array_equal(coded.X, [[0, 1], [1, 2], [2, 3]])
    hot = read(text, positive="p", one_hot=True)
    assert hot.facts["features"] == ["u", "n"]
    assert hot.summary()["features"] == 4
    assert hot.X["u"].cat.categories.tolist() == ["b", "o", "x"]
    np.testing.assert_array_equal(hot.matrix, [[1, 0, 1, 0], [2, 0, 0, 1], [3, 1, 0, 0]])
    with pytest.raises(DatasetError, match="are learnt from training rows"):
        read(text, positive="p", one_hot=True, max_categories=2).matrix  # noqa: B018 - a property
    with pytest.raises(DatasetError, match="and column 'u' has none"):
        read(text, positive="p", one_hot=True, query_norm="n")


def test_a_column_names_the_entity_of_each_row(read):
    text = "u,customer,y\n1,ann,0\n1,bob,1\n1,ann,1\n"
    assert read(text, group="customer").groups.tolist() == [0, 1, 0]
    data = read(text, entity="customer")
    assert data.entity.tolist() == [0, 1, 0]
    assert data.name == "t"
    assert data.groups is None
    assert data.facts["features"] == ["u"]
    with pytest.raises(DatasetError, match="'y' is both label and entity: name another entity"):
        read(text, entity="y")


def test_a_column_gives_what_a_positive_is_worth(read):
    data = read("u,euro,y\n1,2.5,0\n2,1000,1\n3,0,1\n", amount="euro")
    assert data.facts["features"] == ["u", "euro"]  # unless it is dropped
    found = sample_of(data).measure(get_metric("amount@k"), np.arange(3), np.array([1.0, 3.0, 2.0]), Top(k=2))
    assert found.value == 500


def test_a_column_gives_parts_of_the_rows_and_gaps_are_one(read, tmp_path):
    data = read("u,region,y\n1,south,0\n2,,1\n3,north,1\n4,south,0\n", by="region", drop=["region"])
    data.save(tmp_path / "data.npz")
    for one in (data, Dataset.load(tmp_path / "data.npz")):
        assert one.parts.column == "region"
        assert one.parts.names == ["north", "south", "(missing)"]
        assert one.parts.codes.tolist() == [1, 2, 0, 1]
    assert read("u,y\n1,0\n2,1\n").parts is None
    many = "u,y\n" + "".join(f"{i},{i % 2}\n" for i in range(60))
    with pytest.raises(DatasetError, match="by has 60 different values, at most 50"):
        read(many, by="u")


@pytest.mark.parametrize(
    ("amounts", "message"),
    [
        (["1", "-1"], "at least 0, got -1"),
        (["1", ""], "1 missing values"),
        (["1", "inf"], "must be finite"),
        (["1", "much"], "a column of numbers"),
    ],
)
def test_what_is_no_amount_is_refused(read, amounts, message):
    text = "u,euro,y\n" + "".join(f"{i},{a},{i % 2}\n" for i, a in enumerate(amounts))
    with pytest.raises(DatasetError, match=message):
        read(text, amount="euro", drop=["euro"])


def test_positives_are_thinned_to_a_share_of_the_rows_kept(read, tmp_path):
    text = "u,g,y\n" + "".join(f"{i},{i % 3},{int(i < 40)}\n" for i in range(130))
    whole = read(text, group="g")
    data = read(text, group="g", day="g", downsample_positives=0.1)
    assert (data.n_pos, len(data.y)) == (10, 100)
    assert (np.diff(data.X[:, 0]) > 0).all()
    np.testing.assert_array_equal(data.X[data.y == 0], whole.X[whole.y == 0])
    np.testing.assert_array_equal(data.groups, data.X[:, 0] % 3)
    np.testing.assert_array_equal(data.day, data.groups)
    path = tmp_path / "t.csv"
    again = make("file", 5, path=path, label="y", positive=1, group="g", downsample_positives=0.1)
    np.testing.assert_array_equal(again.X, data.X)
    with pytest.raises(DatasetError, match=r"downsample_positives=0.4 needs 60 of the 40 positives"):
        read(text, downsample_positives=0.4)


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (["1970-01-03", "1970-01-02", "1969-12-31"], [2, 1, -1]),
        (["1970-01-03 00:00:00", "1970-01-02T23:59:59", "1969-12-31 23:59:59.9"], [2, 1, -1]),
        (["1970-01-03T00:30:00+02:00", "1970-01-02T23:30:00+02:00", "1969-12-31T01:00:00+02:00"], [2, 1, -1]),
        (["1970-01-03T01:30:00+02:00", "1970-01-02T23:30:00+01:00", "1969-12-31T23:00:00Z"], [1, 1, -1]),
        (["1970-01-03T01:30+02", "1970-01-02T23:30-0100", "1969-12-31 23:00Z"], [1, 2, -1]),
        (["2", "1.999", "-0.5"], [2, 1, -1]),
        (["45291", "45292", "45300"], [45291, 45292, 45300]),
        (["730120", "730131", "730101"], [730120, 730131, 730101]),  # one month: as far apart in days
    ],
)
def test_a_column_gives_the_day_of_each_row(read, dates, expected):
    rows = "".join(f"{i},{d},{i % 2}\n" for i, d in enumerate(dates))
    data = read("u,when,y\n" + rows, day="when")
    assert data.day.tolist() == expected
    assert data.facts["features"] == ["u"]


def test_dates_of_parquet_are_days(tmp_path):
    when = pd.to_datetime(["1970-01-02 05:00", "1970-02-01 23:00"])
    for i, column in enumerate((when, when.date, when.tz_localize("Europe/Paris"))):
        pd.DataFrame({"u": [1, 2], "when": column, "y": [0, 1]}).to_parquet(tmp_path / f"{i}.parquet")
        data = make("file", path=tmp_path / f"{i}.parquet", label="y", positive=1, day="when")
        assert data.day.tolist() == [1, 31]


@pytest.mark.parametrize(
    ("dates", "message"),
    [
        (["31.12.2024", "01.01.2025"], "is not of dates, for example '31.12.2024': write them as 2024-12-31"),
        (["20240131", "20240201"], "has numbers from 20240131 to 20240201, which are not numbers of days"),
        (["1700000000", "1701000000"], "divide seconds by 86400, write dates as 2024-12-31"),
        (["0", "864000"], "numbers from 0 to 864000, which are not numbers of days"),
        (["190131", "190201"], "which look like dates written as YYMMDD, not days: write"),
        (["010131", "010201"], "look like dates written as YYMMDD"),
        (["202401", "202402"], "look like months written as YYYYMM"),
        (["2023", "2024"], "look like years"),
        (["473352", "473400.5"], "look like hours since 1970"),
        (["2024-01-01T10:00+01:00", "2024-01-01T10:00"], "is not of dates.*all with an offset or none"),
        (["True", "False"], "is true or false"),
        (["2024-01-01", ""], "1 missing values"),
        (["2024-02-31", "2024-01-01"], "is not of dates"),
    ],
)
def test_what_is_no_day_is_refused(read, dates, message):
    with pytest.raises(DatasetError, match=message):
        read("u,when,y\n" + "".join(f"{i},{d},{i % 2}\n" for i, d in enumerate(dates)), day="when")


def test_thresholds_replace_their_columns(read):
    data = read("u,v,y\n1,9,0\n2,8,1\n3,7,1\n", thresholds={"v": [7, 8], "u": [1]})
    assert data.facts["features"] == ["v > 7", "v > 8", "u > 1"]
    np.testing.assert_array_equal(data.X, [[1, 1, 0], [1, 0, 1], [0, 0, 1]])


def test_further_files_are_further_parts(tmp_path):
    for name, rows in (("a", "1,0\n2,1\n"), ("b", "3,1\n"), ("c", "4,0\n5,0\n")):
        (tmp_path / f"{name}.csv").write_text("u,y\n" + rows)
    paths = {"path": tmp_path / "a.csv", "validation": tmp_path / "b.csv", "test": tmp_path / "c.csv"}
    data = make("file", **paths, label="y", positive=1)
    assert data.X[:, 0].tolist() == [1, 2, 3, 4, 5]
    assert data.part.tolist() == [0, 0, 1, 2, 2]
    (tmp_path / "c.csv").write_text("v,y\n4,0\n")
    with pytest.raises(DatasetError, match="give files of one form"):
        make("file", **paths, label="y", positive=1)


def test_query_level_norm_is_its_definition():
    rng = np.random.default_rng(0)
    values, query = rng.integers(0, 5, (40, 3)).astype(float), rng.integers(0, 6, 40)
    values[query == 2, 1] = 4.0
    expected = np.zeros_like(values)
    for q in range(6):
        for j in range(3):
            column = values[query == q, j]
            if column.max() > column.min():
                expected[query == q, j] = (column - column.min()) / (column.max() - column.min())
    np.testing.assert_array_equal(query_level_norm(values, query), expected)


def test_parts_go_by_the_highest_query():
    assert parts_by_bounds(np.array([1, 5, 6, 9, 5]), [5, 8]).tolist() == [0, 0, 1, 2, 0]
    for bounds in ([5, 5], [[1]], ["x"]):
        with pytest.raises(DatasetError, match="bounds of parts"):
            parts_by_bounds(np.arange(3), bounds)


def test_labels_that_differ_in_blanks_are_one(read):
    for positive in ("yes", " yes"):
        data = read("u,y\n1, yes\n2,yes\n3,no\n4,yes \n", positive=positive)
        assert data.y.tolist() == [1, 1, 0, 1]


@pytest.mark.parametrize(
    ("labels", "positive", "y"),
    [
        ([2**53, 2**53 + 1, 7], 2**53 + 1, [0, 1, 0]),
        ([2**53, 2**53 + 1, 7], str(2**53 + 1), [0, 1, 0]),
        (np.array([2**64 - 1, 2**64 - 2, 7], np.uint64), 2**64 - 2, [0, 1, 0]),
        (["01", "1", "x"], "1", [0, 1, 0]),
        (["1", "?", "x"], 1, [1, 0, 0]),
        (["1.0", "2", "x"], 1, [1, 0, 0]),
        ([0.5, 1.0, 2.0], "1", [0, 1, 0]),
        ([True, False, True], True, [1, 0, 1]),
        ([True, False, True], 1, [1, 0, 1]),
        (["spam", "1", "1"], "spam", [1, 0, 0]),
        ([1, -1, -1], 1, [1, 0, 0]),
        ([0, 1, 2], 2, [0, 0, 1]),
        ([0, 1, 2], ">= 1", [0, 1, 1]),
        ([0, 1, 2], "> 1", [0, 0, 1]),
        ([0, 1, 2], "<1", [1, 0, 0]),
        ([0, 1, 2], "<= 1.0", [1, 1, 0]),
    ],
)
def test_a_label_is_compared_exactly(labels, positive, y, tmp_path):
    np.savez(tmp_path / "t.npz", x=range(3), y=np.array(labels))
    assert make("file", path=tmp_path / "t.npz", label="y", positive=positive).y.tolist() == y

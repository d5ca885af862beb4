"""Files of tables: every format gives the same rows; what cannot be read is refused with the remedy."""

import bz2
import datetime
import gzip
import lzma
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from attop.datasets import DatasetError, make
from attop.datasets.features.queries import parts_by_bounds, query_level_norm
from attop.datasets.formats import FORMATS, format_of, read_frame

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


def test_svmlight_has_the_features_it_is_told_and_no_query_unless_asked(tmp_path):
    path = tmp_path / "data"
    path.write_text(svmlight_text(qid=False))
    data = make("file", path=path, format="svmlight", reader={"n_features": 5}, positive=1)
    np.testing.assert_array_equal(data.X, np.hstack([X, np.zeros((4, 2))]))
    assert data.groups is None
    path.write_text(svmlight_text())
    assert make("file", path=path, format="svmlight", positive=1).X.shape == (4, 3)
    path.write_text("1 0:2\n-1 1:3\n")
    with pytest.raises(DatasetError, match=r"indices from 1.*zero_based"):
        read_frame(path, "svmlight")
    assert list(read_frame(path, "svmlight", {"zero_based": True})) == ["label", "0", "1"]


def test_headerless_columns_are_numbered_or_named(tmp_path):
    path = tmp_path / "uci.data"
    path.write_text("   0.5   1  2.5\n  1.5  0   3.5 # why\n\n")
    reader = {"header": False, "separator": "whitespace", "comment": "#"}
    for label in (2, -2):
        data = make("file", path=path, format="csv", reader=reader, label=label, positive=1)
        np.testing.assert_array_equal(data.X, [[0.5, 2.5], [1.5, 3.5]])
        assert data.facts["features"] == ["1", "3"]
    named = {**reader, "names": ["u", "v", "w"]}
    data = make("file", path=path, format="csv", reader=named, label="v", positive=1, keep=[-1])
    assert data.facts["features"] == ["w"]
    assert make("file", path=path, format="csv", reader=named, label="v", positive=1, drop=["u"]).X.shape == (
        2,
        1,
    )


def test_text_becomes_numbers_by_codes_or_one_hot(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("u,n,y\no,1,p\nx,2,n\nb,3,p\n")
    coded = make("file", path=path, label="y", positive="p", codes={"o": 0, "x": 1, "b": 2})
    np.testing.assert_array_equal(coded.X, [[0, 1], [1, 2], [2, 3]])
    hot = make("file", path=path, label="y", positive="p", one_hot=True)
    assert hot.facts["features"] == ["n", "u=b", "u=o", "u=x"]
    np.testing.assert_array_equal(hot.X, [[1, 0, 1, 0], [2, 0, 0, 1], [3, 1, 0, 0]])


def test_rows_of_the_same_features_are_one_unit(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("u,v,y\n1,2,0\n1,3,1\n1,2,1\n1,2,0\n")
    data = make("file", path=path, label="y", positive=1, copies_together=True)
    assert data.unit.tolist() == [0, 1, 0, 0]
    assert make("file", path=path, label="y", positive=1).unit is None


def test_a_column_names_the_entity_of_each_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("u,customer,y\n1,ann,0\n1,bob,1\n1,ann,1\n")
    data = make("file", path=path, label="y", positive=1, entity="customer")
    assert data.entity.tolist() == [0, 1, 0]
    assert data.groups is None
    assert data.facts["features"] == ["u"]
    with pytest.raises(DatasetError, match="'y' cannot be both label and entity: name another entity"):
        make("file", path=path, label="y", positive=1, entity="y")


def test_positives_are_thinned_to_a_share_of_the_rows_kept(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("u,g,y\n" + "".join(f"{i},{i % 3},{int(i < 40)}\n" for i in range(130)))
    whole = make("file", path=path, label="y", positive=1, group="g")
    data = make("file", path=path, label="y", positive=1, group="g", day="g", thin=0.1)
    assert (data.n_pos, len(data.y)) == (10, 100)
    assert (np.diff(data.X[:, 0]) > 0).all()
    np.testing.assert_array_equal(data.X[data.y == 0], whole.X[whole.y == 0])
    np.testing.assert_array_equal(data.groups, data.X[:, 0] % 3)
    np.testing.assert_array_equal(data.day, data.groups)
    again = make("file", 5, path=path, label="y", positive=1, group="g", thin=0.1)
    np.testing.assert_array_equal(again.X, data.X)
    with pytest.raises(DatasetError, match=r"thin=0.4 needs 60 of the 40 positives.*below that"):
        make("file", path=path, label="y", positive=1, thin=0.4)


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (["1970-01-03", "1970-01-02", "1969-12-31"], [2, 1, -1]),
        (["1970-01-03 00:00:00", "1970-01-02T23:59:59", "1969-12-31 23:59:59.9"], [2, 1, -1]),
        (["1970-01-03T00:30:00+02:00", "1970-01-02T23:30:00+02:00", "1969-12-31T01:00:00+02:00"], [2, 1, -1]),
        (["2", "1.999", "-0.5"], [2, 1, -1]),
    ],
)
def test_a_column_gives_the_day_of_each_row(tmp_path, dates, expected):
    path = tmp_path / "t.csv"
    path.write_text("u,when,y\n" + "".join(f"{i},{d},{i % 2}\n" for i, d in enumerate(dates)))
    data = make("file", path=path, label="y", positive=1, day="when")
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
        (["1700000000", "1701000000"], "divide seconds by 86400, write a date as 2024-12-31"),
        (["0", "864000"], "numbers from 0 to 864000, which are not numbers of days"),
        (["True", "False"], "is true or false"),
        (["2024-01-01", ""], "1 missing values"),
        (["2024-02-31", "2024-01-01"], "is not of dates"),
    ],
)
def test_what_is_no_day_is_refused(tmp_path, dates, message):
    path = tmp_path / "t.csv"
    path.write_text("u,when,y\n" + "".join(f"{i},{d},{i % 2}\n" for i, d in enumerate(dates)))
    with pytest.raises(DatasetError, match=message):
        make("file", path=path, label="y", positive=1, day="when")


def test_thresholds_replace_their_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("u,v,y\n1,9,0\n2,8,1\n3,7,1\n")
    data = make("file", path=path, label="y", positive=1, thresholds={"v": [7, 8], "u": [1]})
    assert data.facts["features"] == ["v > 7", "v > 8", "u > 1"]
    np.testing.assert_array_equal(data.X, [[1, 1, 0], [1, 0, 1], [0, 0, 1]])


@pytest.mark.parametrize(
    ("positive", "y"),
    [(">= 1", [0, 1, 1]), ("> 1", [0, 0, 1]), ("<1", [1, 0, 0]), ("<= 1.0", [1, 1, 0]), (2, [0, 0, 1])],
)
def test_positive_is_a_value_or_a_comparison(positive, y, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("u,y\n5,0\n6,1\n7,2\n")
    assert make("file", path=path, label="y", positive=positive).y.tolist() == y


def test_further_files_are_further_parts(tmp_path):
    for name, rows in (("a", "1,0\n2,1\n"), ("b", "3,1\n"), ("c", "4,0\n5,0\n")):
        (tmp_path / f"{name}.csv").write_text("u,y\n" + rows)
    paths = {"path": tmp_path / "a.csv", "validation": tmp_path / "b.csv", "test": tmp_path / "c.csv"}
    data = make("file", **paths, label="y", positive=1)
    assert data.X[:, 0].tolist() == [1, 2, 3, 4, 5]
    assert data.part.tolist() == [0, 0, 1, 2, 2]
    assert data.summary()["parts"] == [2, 1, 2]
    data.save(tmp_path / "saved.npz")
    np.testing.assert_array_equal(type(data).load(tmp_path / "saved.npz").part, data.part)
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


GOOD = "u,v,y\n1,a,0\n2,b,1\n"


@pytest.mark.parametrize(
    ("name", "text", "options", "message"),
    [
        ("t.dat", GOOD, {}, "cannot tell the format from the name: set format to one of csv, parquet"),
        ("t.csv", GOOD, {"format": "cvs"}, "unknown format 'cvs'; did you mean 'csv'"),
        ("t.csv", GOOD, {"reader": {"n_features": 3}}, "format 'csv': unknown parameter 'n_features'"),
        ("t.csv", GOOD, {"reader": {"separator": "semi"}}, "one character, tab or whitespace, got 'semi'"),
        ("t.csv", GOOD, {"reader": {"names": ["a"]}}, "set header to false"),
        ("t.csv", GOOD, {"reader": {"names": ["a"], "header": False}}, "3 columns but 1 names"),
        ("t.csv", "u,v,y\n1,2,3,0\n", {}, "not a comma separated file with a header"),
        (
            "t.csv",
            "u,u,y\n1,2,0\n",
            {"reader": {"header": False, "names": ["u", "u", "y"]}},
            "'u' occurs twice",
        ),
        ("t.csv", "u,y,y\n1,0,1\n2,1,0\n", {}, "column 'y' occurs twice: rename one"),
        ("t.csv", "u,y, y\n1,0,1\n2,1,0\n", {}, "column 'y' occurs twice"),
        ("t.csv", "u,u,y\n1,0,1\n2,1,0\n", {}, "column 'u' occurs twice"),
        ("t.tsv", "u\tu\ty\n1\t0\t1\n2\t1\t0\n", {}, "column 'u' occurs twice"),
        ("t.csv", ",u,y\n0,5,0\n1,6,1\n", {}, "column 1 has no name, as row numbers written by pandas"),
        ("t.csv", "u,Unnamed: 0,y\n0,5,0\n1,6,1\n", {}, "column 2 has no name"),
        ("t.csv", "u,y\n1,a\n2, \n", {"positive": "a"}, "column 'y' has 1 missing values"),
        ("t.csv", "u,y\n9007199254740993,0\n2,1\n", {}, r"column 'u' has integers of 2\*\*53 or more"),
        ("t.csv", "u,y\n-9223372036854775808,0\n2,1\n", {}, r"column 'u' has integers of 2\*\*53 or more"),
        ("t.csv", "u,y\n99999999999999999999999,0\n2,1\n", {}, "column 'u' is not numeric, for example"),
        ("t.csv", GOOD, {"drop": ["v"], "positive": ">= e"}, "no row has y = '>= e'"),
        ("t.csv", GOOD, {"drop": ["v"], "positive": ">= -"}, "no row has y = '>= -'"),
        ("t.svm", "1 4000000000:1\n0 1:3\n", {}, "not in SVMlight format|tables are held in full"),
        ("t.svm", "1 300000000:1\n0 1:3\n", {}, r"2 rows with indices up to 300000000 are 4\.8 GB"),
        ("t.csv", "u,v,y\n", {}, "no rows"),
        ("t.csv", GOOD, {"label": None}, "label is not given"),
        ("t.csv", GOOD, {"label": 4}, "no column 4"),
        ("t.csv", GOOD, {"label": "z"}, "no column 'z'"),
        ("t.csv", GOOD, {}, "column 'v' is not numeric, for example 'a': set one_hot or codes"),
        ("t.csv", GOOD, {"codes": {"a": 1}}, "value 'b', for which codes has no number"),
        ("t.csv", GOOD, {"one_hot": True, "positive": ">= 2"}, "no row has y >= 2"),
        ("t.csv", GOOD, {"label": "v", "positive": "> 1"}, "column 'v' is not numeric"),
        ("t.csv", GOOD, {"keep": ["u", "y"]}, "'y' cannot be a feature and something else"),
        ("t.csv", GOOD, {"drop": ["u", "v"]}, "no column is left for the features"),
        ("t.csv", GOOD, {"drop": ["v"], "query_norm": "q"}, "no column 'q'"),
        ("t.csv", GOOD, {"drop": ["v"], "parts": {}}, "parts must name one column"),
        ("t.csv", "q,u,y\n1,2,0\n,3,1\n", {"drop": ["q"], "parts": {"q": [1]}}, "'q' has 1 missing values"),
        ("t.csv", "q,u,y\n1,2,0\n,3,1\n", {"drop": ["q"], "query_norm": "q"}, "'q' has 1 missing values"),
        ("t.csv", GOOD, {"drop": "v"}, "drop must be a list of columns, got 'v'"),
        ("t.csv", GOOD, {"keep": "u"}, "keep must be a list of columns, got 'u'"),
        (
            "t.csv",
            GOOD,
            {"keep": ["u"], "thresholds": {"u": 1}},
            "thresholds of 'u' must be a list of numbers",
        ),
        ("t.csv", GOOD, {"keep": ["u"], "thresholds": {"u": ["a"]}}, "thresholds of 'u' must be a list"),
        ("t.csv", GOOD, {"codes": {"a": "x", "b": 1}}, "codes must be a list of numbers"),
        ("t.csv", GOOD, {"copies_together": "no"}, "copies_together must be true or false, got 'no'"),
        ("t.csv", GOOD, {"one_hot": True, "thin": 1}, "thin must be a share between 0 and 1, got 1"),
        ("t.csv", GOOD, {"reader": {"separator": 5}}, "separator must be one character"),
        ("t.csv", GOOD, {"reader": {"comment": "##"}}, "comment must be one character, got '##'"),
        ("t.csv", GOOD, {"reader": {"names": "abc", "header": False}}, "names must be a list of names"),
        ("t.csv", GOOD, {"format": ["csv"]}, "unknown format"),
        ("t.npz", GOOD, {}, "cannot be read as .npz"),
        ("t.parquet", GOOD, {}, "not a Parquet file|needs pyarrow"),
        ("t.svm", GOOD, {}, "not in SVMlight format"),
        ("t.svm", "1 qid:1 1:2\n0 1:3\n", {}, "not in SVMlight format|give every line one"),
        ("t.arff", GOOD, {}, "not a line of an ARFF header"),
        ("t.arff", "@relation r\n@attribute u real\n", {}, "no line @data"),
        ("t.arff", "@relation r\n@attribute u real\n@data\n{0 1}\n", {}, "sparse ARFF"),
        ("t.arff", "@relation r\n@attribute u real\n@data\n1,2\n", {}, "1 attributes but rows of 2"),
        (
            "t.arff",
            "@relation r\n@attribute u real\n@attribute u real\n@attribute y real\n@data\n1,2,0\n",
            {},
            "column 'u' occurs twice",
        ),
        ("t.arff", "@relation r\n@attribute y real\n@data\nx\n", {}, "numeric but has the value 'x'"),
        (
            "t.arff",
            "@relation r\n@attribute u real\n@attribute y real\n@data\n?,1\n2,0\n",
            {},
            "missing values",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(name, text, options, message, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DatasetError, match=message):
        make("file", path=path, **{"label": "y", "positive": 1, **options})


def test_labels_that_differ_in_blanks_are_one(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("u,y\n1, yes\n2,yes\n3,no\n4,yes \n")
    for positive in ("yes", " yes"):
        assert make("file", path=path, label="y", positive=positive).y.tolist() == [1, 1, 0, 1]


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
    ],
)
def test_a_label_is_compared_exactly(labels, positive, y, tmp_path):
    np.savez(tmp_path / "t.npz", x=range(3), y=np.array(labels))
    assert make("file", path=tmp_path / "t.npz", label="y", positive=positive).y.tolist() == y


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": np.array(["2020-01-01", "2021-01-01"], "M8[D]"), "y": [0, 1]}, "'x' has dtype datetime64"),
        ({"x": np.zeros(2, "i4,f8"), "y": [0, 1]}, "'x' has dtype"),
        ({"x": np.array([1 + 2j, 3]), "y": [0, 1]}, "column 'x' has complex numbers"),
        ({"x": [1, 2], "y": np.array([1j, 1])}, "column 'y' has complex numbers"),
    ],
)
def test_arrays_that_are_neither_numbers_nor_text_are_refused(arrays, message, tmp_path):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(DatasetError, match=message):
        make("file", path=tmp_path / "t.npz", label="y", positive=1)


def test_bytes_of_npz_are_text_and_other_files_no_npz(tmp_path):
    np.savez(tmp_path / "t.npz", x=[1, 2], y=np.array([b"no", b"yes"]))
    assert make("file", path=tmp_path / "t.npz", label="y", positive="yes").y.tolist() == [0, 1]
    np.save(tmp_path / "a.npy", np.ones(3))
    (tmp_path / "a.npy").rename(tmp_path / "t.npz")
    with pytest.raises(DatasetError, match=r"it holds one array, as \.npy files do"):
        read_frame(tmp_path / "t.npz")
    (tmp_path / "t.npz").write_bytes(pickle.dumps([1, 2]))
    with pytest.raises(DatasetError) as caught:
        read_frame(tmp_path / "t.npz")
    assert "allow_pickle" not in str(caught.value)


@pytest.mark.parametrize("options", [{}, {"one_hot": True}, {"codes": {"a": 1}}])
@pytest.mark.parametrize(
    "values",
    [
        [Decimal("1.5"), Decimal("2")],
        [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)],
        [datetime.timedelta(1), datetime.timedelta(2)],
        [[1, 2], [3]],
        [{"a": 1}, {"a": 2}],
        [b"a", b"b"],
    ],
    ids=["decimal", "date", "timedelta", "list", "struct", "binary"],
)
def test_parquet_types_that_are_no_features_are_named(values, options, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"x": values, "y": [0, 1]}), tmp_path / "t.parquet")
    with pytest.raises(DatasetError, match="column 'x' holds"):
        make("file", path=tmp_path / "t.parquet", label="y", positive=1, **options)
    parquet.write_table(pyarrow.table({"u": [1, 2], "x": values}), tmp_path / "t.parquet")
    with pytest.raises(DatasetError, match=r"no row has x = 'yes'|column 'x' holds lists"):
        make("file", path=tmp_path / "t.parquet", label="x", positive="yes")


def test_objects_in_npz_are_refused_and_arrays_of_other_lengths(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.array([{}, {}], dtype=object), y=[0, 1])
    with pytest.raises(DatasetError, match=r"cannot be read as \.npz"):
        read_frame(tmp_path / "t.npz")
    np.savez(tmp_path / "t.npz", X=np.ones((3, 2)), y=[0, 1])
    with pytest.raises(DatasetError, match="of one length n"):
        read_frame(tmp_path / "t.npz")
    np.savez(tmp_path / "t.npz", X=np.ones((0, 2)), y=np.ones(0))
    with pytest.raises(DatasetError, match="no rows"):
        read_frame(tmp_path / "t.npz")


def test_a_truncated_archive_and_a_missing_file_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(GOOD.encode() * 100)[:-20])
    with pytest.raises(DatasetError, match="not a comma separated file"):
        read_frame(path)
    with pytest.raises(DatasetError, match="there is no such file"):
        read_frame(tmp_path / "none.csv")


def test_a_damaged_note_in_parquet_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    file = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1, 2], "y": [0, 1]}).to_parquet(file)
    table = parquet.read_table(file)
    note = table.schema.metadata[b"pandas"].replace(b"pandas_type", b"pandas_tipe")
    parquet.write_table(table.replace_schema_metadata({b"pandas": note}), file)
    with pytest.raises(DatasetError, match="not a Parquet file"):
        make("file", path=file, label="y", positive=1)

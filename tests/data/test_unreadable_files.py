"""Files of tables that cannot be read are refused with the remedy."""

import bz2
import datetime
import gzip
import io
import lzma
import os
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest

from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.build import make
from attop_bench.data.files import opening
from attop_bench.data.profile.look import look
from attop_bench.data.reading.formats import read_frame

GOOD = "u,v,y\n1,a,0\n2,b,1\n"


@pytest.mark.parametrize(
    ("name", "text", "options", "message"),
    [
        ("t.csv", GOOD, {"format": "cvs"}, "unknown format 'cvs'; did you mean 'csv'"),
        ("t.csv", GOOD, {"reader": {"n_features": 3}}, "format 'csv': unknown parameter 'n_features'"),
        ("t.csv", GOOD, {"reader": {"separator": "semi"}}, "one character, tab or whitespace, got 'semi'"),
        ("t.csv", GOOD, {"reader": {"names": ["a"]}}, "set header to false"),
        ("t.csv", GOOD, {"reader": {"names": ["a"], "header": False}}, "3 columns but 1 names"),
        ("t.csv", "u,v,y\n1,2,3,0\n", {}, "column 1 has no name"),
        ("t.csv", "a;b\n1,5;2,25\n2;3\n", {}, "1 names in the header, .* in 1 of 2 rows.*attop look"),
        ("t.csv", "u,u\n1,2\n", {"reader": {"header": False, "names": ["u", "u"]}}, "'u' occurs twice"),
        ("t.csv", "u,y, y\n1,0,1\n2,1,0\n", {}, "column 'y' occurs twice: rename one"),
        ("t.csv", ",u,y\n0,5,0\n1,6,1\n", {}, "column 1 has no name, as row numbers written by pandas"),
        ("t.csv", "u,Unnamed: 0,y\n0,5,0\n1,6,1\n", {}, "column 2 has no name"),
        ("t.csv", "u,y\n1,a\n2, \n", {"positive": "a"}, "'y' has 1 missing values, the first in data row 2"),
        ("t.csv", "u,y\n1,a\n2, \n", {"positive": "a", "impute": "median"}, "'y' has 1 missing values"),
        ("t.csv", GOOD, {"impute": "mean"}, "impute must be 'median', got 'mean'"),
        ("t.csv", GOOD, {"max_categories": 5}, "set one_hot: true"),
        ("t.csv", GOOD, {"max_categories": 1, "one_hot": True}, "max_categories must be .* 2, got 1"),
        ("t.csv", GOOD, {"impute": "median", "thresholds": {"u": [1]}}, "impute cannot be combined with thr"),
        ("t.csv", "u,y\n9007199254740993,0\n2,1\n", {}, r"column 'u' has integers of 2\*\*53 or more"),
        ("t.csv", "u,y\n9007199254740993,0\n2.5,1\n", {}, "column 'u' is not numeric, for example '9007"),
        ("t.csv", "u,y\n99999999999999999999999,0\n2,1\n", {}, "column 'u' is not numeric, for example"),
        ("t.csv", GOOD, {"drop": ["v"], "positive": ">= e"}, "no row has y = '>= e'"),
        ("t.svm", "1 4000000000:1\n0 1:3\n", {}, "not in SVMlight format|tables are held in full"),
        ("t.svm", "1 300000000:1\n0 1:3\n", {}, r"2 rows with indices up to 300000000 are 4\.8 GB"),
        ("t.csv", "u,v,y\n", {}, "no rows"),
        ("t.csv", "y\n1\n0\n", {}, "no column is left for the features"),
        ("t.csv", "u,y\n1,1\n2,1\n", {}, "all 2 labels are 1, both classes are needed"),
        ("t.csv", "u,y\ninf,1\n2,0\n", {}, "column 'u' has infinite values"),
        ("t.csv", 'u,y\n"1,5",1\n2,0\n', {}, "column 'u' is not numeric, for example '1,5'"),
        ("t.csv", "u,y\n1,1\n,0\n,0\n", {}, "'u' has 2 missing values, the first in data row 2"),
        ("t.csv", GOOD, {"drop": ["v"], "positive": "maybe"}, "y = 'maybe'; values are 0, 1"),
        ("t.csv", GOOD, {"group": "y"}, "both label and group"),
        ("t.csv", "user,class\n1,0\n", {"label": "clas"}, "no column 'clas'; did you mean 'class'"),
        ("t.csv", GOOD, {"label": None}, "label is not given"),
        ("t.csv", GOOD, {}, "column 'v' is not numeric, for example 'a': set one_hot or codes"),
        ("t.csv", GOOD, {"codes": {"a": 1}}, "value 'b', for which codes has no number"),
        ("t.csv", GOOD, {"one_hot": True, "positive": ">= 2"}, "no row has y >= 2"),
        ("t.csv", GOOD, {"label": "v", "positive": "> 1"}, "column 'v' is not numeric"),
        ("t.csv", GOOD, {"keep": ["u", "u"]}, "keep: column 'u' is named twice"),
        ("t.csv", GOOD, {"keep": ["u", "y"]}, "'y' cannot be a feature and something else"),
        ("t.csv", GOOD, {"drop": ["v"], "query_norm": "q"}, "no column 'q'"),
        ("t.csv", GOOD, {"drop": ["v"], "parts": {}}, "parts: .*got {}"),
        ("t.csv", "q,u,y\n1,2,0\n,3,1\n", {"drop": ["q"], "parts": {"q": [1]}}, "'q' has 1 missing values"),
        ("t.csv", GOOD, {"drop": "v"}, "drop must be a list.*got 'v'"),
        ("t.csv", GOOD, {"codes": {"a": "x", "b": 1}}, "codes: a must be a valid number"),
        ("t.csv", GOOD, {"thresholds": {"u": 0.5}}, "thresholds: u must be a list, in brackets, got 0.5"),
        ("t.csv", GOOD, {"one_hot": True, "downsample_positives": 1}, "downsample_positives .* 1, got 1"),
        ("t.csv", GOOD, {"reader": {"comment": "##"}}, "comment: .*1 character, got '##'"),
        ("t.npz", GOOD, {}, "cannot be read as .npz"),
        ("t.svm", "1 qid:1 1:2\n0 1:3\n", {}, "not in SVMlight format|give it to all"),
        ("t.arff", GOOD, {}, "not an ARFF file: it has no line @data"),
        ("t.arff", "@relation r\n@attribute u real\n@data\n{1 1}\n", {}, "an index of 1 for 1 attributes"),
        ("t.arff", "@attribute u relational\n@data\n1\n", {}, "a type that is not read: '@attribute u rel"),
        ("t.arff", "@attribute u {a, b}\n@data\nc\n", {}, "column 'u' has 'c', which is none of the values"),
        ("t.arff", "@attribute y real\n@data\nx\n", {}, "column 'y' has 'x', which is no number"),
        ("t.arff", "@attribute y real\n@DATA\n1\n% a, b\n0,1\n", {}, "2 fields for 1 attributes"),
        ("t.arff", "@relation r\n@attribute u real\n@attribute y real\n@data\n?,1\n2,0\n", {}, "missing"),
    ],
)
def test_what_cannot_be_read_is_refused(name, text, options, message, read):
    with pytest.raises(DatasetError, match=message):
        read(text, name, **options)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": np.array(["2020-01-01", "2021-01-01"], "M8[D]"), "y": [0, 1]}, "'x' has dtype datetime64"),
        ({"x": np.zeros(2, "i4,f8"), "y": [0, 1]}, "'x' has dtype"),
        ({"x": np.array([1 + 2j, 3]), "y": [0, 1]}, "column 'x' has complex numbers"),
        ({"x": [1, 2], "y": np.array([1j, 1])}, "column 'y' has complex numbers"),
        ({"x": np.array([{}, {}], dtype=object), "y": [0, 1]}, r"cannot be read as \.npz"),
        ({"x": np.array([b"\xff", b"a"]), "y": [0, 1]}, r"cannot be read as \.npz"),
        ({"x": np.ones((3, 2)), "y": [0, 1]}, "of one length n"),
        ({"x": np.ones((0, 2)), "y": np.ones(0)}, "no rows"),
    ],
)
def test_arrays_that_are_no_table_of_numbers_or_text_are_refused(arrays, message, tmp_path):
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
    Dataset("prepared", pd.DataFrame({"u": pd.Categorical(["a", "b"])}), [0, 1]).save(tmp_path / "t.npz")
    with pytest.raises(DatasetError, match=r"t\.npz: (cannot be read as \.npz|arrays must be)"):
        read_frame(tmp_path / "t.npz")
    (tmp_path / "t.npz").write_bytes(pickle.dumps([1, 2]))
    with pytest.raises(DatasetError) as caught:
        read_frame(tmp_path / "t.npz")
    assert "allow_pickle" not in str(caught.value)


@pytest.mark.parametrize("options", [{}, {"one_hot": True}, {"codes": {"a": 1}}])
@pytest.mark.parametrize(
    "values",
    [[datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], [[1, 2], [3]], [{"a": 1}, {"a": 2}]],
    ids=["date", "list", "struct"],
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


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(DatasetError, match="there is no such file"):
        read_frame(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DatasetError, match="it is a folder: give a file in it"):
        read_frame(tmp_path / "folder.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    with pytest.raises(DatasetError, match="it is an address: download the file"):
        read_frame("https://example.org/data")
    with pytest.raises(DatasetError, match="it is a link that leads to no file"):
        read_frame(tmp_path / "loop.csv")


def test_a_pipe_is_named(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "link.csv").symlink_to(tmp_path / "pipe.csv")
    for name in ("pipe.csv", "link.csv"):
        for read in (read_frame, look):
            with pytest.raises(
                DatasetError, match=r"it is a pipe or a device, .* save what it gives as a file"
            ):
                read(tmp_path / name)


def test_columns_of_svmlight_are_bounded(tmp_path):
    (tmp_path / "t.svm").write_text("1 99999999:1\n")
    with pytest.raises(DatasetError, match="99,999,999 are as many columns, at most 1,048,576 are read"):
        read_frame(tmp_path / "t.svm")


def test_what_grows_without_bound_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "MOST_BYTES", 1000)
    text = b"x,y\n" + b"1,2\n" * 400
    for name, write in (
        ("t.csv.gz", gzip.compress),
        ("t.csv.bz2", bz2.compress),
        ("t.csv.xz", lzma.compress),
    ):
        (tmp_path / name).write_bytes(write(text))
        with pytest.raises(DatasetError, match=r"grows to more than 1e-06 GB when it is unpacked"):
            read_frame(tmp_path / name)
        (tmp_path / name).write_bytes(write(text[:1000]))
        assert len(read_frame(tmp_path / name)) == 249


def test_arrays_larger_than_the_memory_are_refused(tmp_path):
    head = io.BytesIO()
    about = {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    np.lib.format.write_array_header_1_0(head, about)
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as box:
        box.writestr("x.npy", head.getvalue())
    with pytest.raises(DatasetError, match="its arrays are larger than the memory"):
        read_frame(tmp_path / "t.npz")


def test_a_damaged_row_of_arff_is_named_by_its_line(tmp_path):
    text = "% by hand\n@relation t\n@attribute a real\n@attribute y {0,1}\n@data\n1,0\n\n2,1,,\n"
    (tmp_path / "t.arff").write_text(text)
    with pytest.raises(DatasetError, match="line 8 has 4 fields for 2 attributes: 2,1,,; correct the file"):
        read_frame(tmp_path / "t.arff")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"skip": "3"}, "skip must be a valid integer, got '3'"),
        ({"skip": -1}, "skip must be greater than or equal to 0"),
        ({"quote": "ab"}, "quote must have at most 1 character|quote: .*1 character"),
        ({"pass_over": [0]}, "pass_over must be greater than or equal to 1"),
        ({"skipp": 3}, "unknown parameter 'skipp'"),
    ],
)
@pytest.mark.parametrize("name", ["t.csv", "t.xlsx"])
def test_options_are_checked_before_a_file_is_looked_at_with_them(name, options, message, tmp_path):
    (tmp_path / name).write_text("a,y\n1,2\n")
    if name == "t.xlsx" and "quote" in options:
        message = "unknown parameter 'quote'"
    with pytest.raises(DatasetError, match=message):
        look(tmp_path / name, given=options)

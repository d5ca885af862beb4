"""The user's own file."""

import numpy as np
import pytest

from attop_bench.data import DatasetError
from attop_bench.data.kinds.table import file_table


def table(tmp_path, text):
    path = tmp_path / "mine.csv"
    path.write_text(text)
    return path


GOOD = "a,who,b,class\n1,bob,0.5,yes\n2,ann,1.5,no\n3,bob,2.5,no\n"


def test_csv(tmp_path):
    path = table(tmp_path, GOOD)
    data = file_table(path, label="class", positive="yes", group="who")
    np.testing.assert_array_equal(data.X, [[1, 0.5], [2, 1.5], [3, 2.5]])
    assert data.y.tolist() == [1, 0, 0]
    assert data.groups.tolist() == [1, 0, 1]
    assert data.name == "mine"
    assert data.facts["features"] == ["a", "b"]


@pytest.mark.parametrize(
    ("values", "positive"),
    [
        ("1,0", 1),
        ("1,0", "1"),
        ("1.0,0.0", 1),
        ("1,-1", 1),
        ("True,False", True),
        ("True,False", "True"),
        ("spam,1", "spam"),
    ],
)
def test_the_positive_class_of_a_csv(tmp_path, values, positive):
    first, second = values.split(",")
    path = table(tmp_path, f"x,y\n3,{first}\n4,{second}\n5,{second}\n")
    assert file_table(path, label="y", positive=positive).y.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (GOOD, {"label": "clas"}, "no column 'clas'; did you mean 'class'"),
        (GOOD, {"group": "whom"}, "no column 'whom'; did you mean 'who'"),
        (GOOD, {}, "column 'who' is not numeric, for example 'bob'"),
        (
            GOOD,
            {"positive": "maybe", "group": "who"},
            "class = 'maybe'; its values are 'yes', 'no'",
        ),
        (GOOD, {"group": "class"}, "both label and group"),
        ("a,class\n1,yes\n,no\n,no\n", {}, "column 'a' has 2 missing values, the first in data row 2"),
        ("a,class\n1,yes\n2,\n", {}, "column 'class' has 1 missing values"),
        ("a,class\ninf,yes\n2,no\n", {}, "column 'a' has infinite values"),
        ('a,class\n"1,5",yes\n2,no\n', {}, "column 'a' is not numeric, for example '1,5'"),
        ("a;class\n1;yes\n2;no\n", {}, "no column 'class'"),
        ("class\nyes\nno\n", {}, "no column is left for the features"),
        ("a,class\n1,yes\n2,yes\n", {}, "all 2 labels are 1, both classes are needed"),
        ("", {}, "not a comma separated file"),
    ],
)
def test_csv_refuses(tmp_path, text, options, message):
    with pytest.raises(DatasetError, match=message):
        file_table(table(tmp_path, text), **{"label": "class", "positive": "yes", **options})


def test_csv_that_is_not_there(tmp_path):
    with pytest.raises(DatasetError, match="there is no such file"):
        file_table(tmp_path / "none.csv", label="y", positive=1)

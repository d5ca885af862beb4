"""Missing values and categories: filled and pooled by training items alone, or refused with a remedy."""

import weakref

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from attop.experiment import Learner, Sample
from attop.extending import Top
from attop_bench.data.base import Dataset, DatasetError
from attop_bench.data.build import make
from attop_bench.data.columns.preparation import alike
from attop_bench.run.fitting import learner_of, sample_of
from attop_bench.run.job import Job

N = 120


def table(seed=0):
    rng = np.random.default_rng(seed)
    amount = rng.normal(size=N).round(2)
    country = rng.choice(
        ["DE", "FR", "NG", "US", "XX", "YY", "ZZ"], N, p=[0.3, 0.3, 0.2, 0.1, 0.04, 0.03, 0.03]
    )
    label = np.where(amount + (country == "NG") + rng.normal(size=N) > 1, "yes", "no")
    frame = pd.DataFrame({"amount": amount, "n": rng.integers(0, 5, N), "country": country, "bad": label})
    frame.loc[rng.random(N) < 0.2, "amount"] = np.nan
    frame.loc[rng.random(N) < 0.2, "country"] = None
    return frame


def written(frame, tmp_path, **options):
    frame.to_csv(tmp_path / "t.csv", index=False)
    return make("file", path=tmp_path / "t.csv", label="bad", positive="yes", **options)


def prepared_by_hand(frame, fit, rows, ceiling):
    """Return the features of `rows`, prepared by what the rows `fit` say, one value at a time."""
    seen = frame.iloc[fit]
    medians = [np.median(seen[c].dropna()) for c in ("amount", "n")]
    words = sorted(seen["country"].dropna())
    often = max(sorted(set(words)), key=words.count)
    filled = [often if pd.isna(w) else w for w in seen["country"]]
    order = sorted(set(filled), key=lambda w: (-filled.count(w), w))
    kept = sorted(order) if len(order) <= ceiling else sorted(order[: ceiling - 1])
    pooled = len(kept) < len(order)
    features = []
    for i in rows:
        row = frame.iloc[i]
        numbers = [m if pd.isna(row[c]) else row[c] for c, m in zip(("amount", "n"), medians, strict=True)]
        word = often if pd.isna(row["country"]) else row["country"]
        features.append([*numbers, *(float(word == k) for k in kept), *([float(word not in kept)] * pooled)])
    return np.array(features)


@pytest.mark.parametrize("ceiling", [3, 4, 20])
def test_gaps_and_categories_are_learnt_from_the_training_part_alone(ceiling, tmp_path):
    frame = table()
    data = written(frame, tmp_path, impute="median", one_hot=True, max_categories=ceiling)
    assert data.X.isna().sum().sum() == frame[["amount", "country"]].isna().sum().sum()
    assert data.facts["features"] == ["amount", "n", "country"]
    job = Job(0, 0, 0, {"kind": "holdout"}, "none", [Top(k=5)], "precision@k", "attop.SGDAtK")
    rng = np.random.default_rng(1)
    for _ in range(5):
        fit, rest = np.split(rng.permutation(N), [60])
        _, transform = learner_of(job, data).fit(sample_of(data), fit, [(Top(k=5), {})], 0)
        for rows in (fit, rest):
            np.testing.assert_allclose(transform(rows), prepared_by_hand(frame, fit, rows, ceiling))


def test_a_table_survives_the_file(tmp_path):
    data = written(table(), tmp_path, impute="median", one_hot=True, max_categories=4)
    data.save(tmp_path / "d.npz")
    back = Dataset.load(tmp_path / "d.npz")
    assert (back.impute, back.max_categories) == ("median", 4)
    assert back.X["country"].cat.categories.tolist() == ["DE", "FR", "NG", "US", "XX", "YY", "ZZ"]
    pd.testing.assert_frame_equal(back.X, data.X)


@pytest.mark.parametrize(("with_gaps", "n_features", "n_of_two"), [(False, 9, 9), (True, 3, 4)])
def test_without_gaps_and_ceiling_each_value_of_the_data_has_a_feature(
    with_gaps, n_features, n_of_two, tmp_path
):
    frame = table() if with_gaps else table().dropna()
    data = written(frame, tmp_path, one_hot=True, impute="median")
    assert data.facts["features"] == ["amount", "n", "country"]
    assert data.summary()["features"] == n_features
    common = np.flatnonzero(data.X["country"].isin(["DE", "FR"]))
    assert data.transformer().fit_transform(data.X.iloc[common]).shape == (len(common), n_of_two)


def test_copies_are_counted_in_the_order_of_their_features(tmp_path):
    """By 0/1 columns after all numbers, or by codes in the order of the file: splits depend on the order."""
    frame = table().dropna()[["country", "n", "bad"]]
    coded = frame[["country", "n"]].assign(country=pd.factorize(frame["country"], sort=True)[0])
    hot = pd.get_dummies(frame[["n", "country"]], dtype=float)
    for X, options in ((coded, {"max_categories": 3}), (hot, {})):
        numbers = written(frame, tmp_path, one_hot=True, copies_together=True, **options).duplicate_group
        np.testing.assert_array_equal(numbers, np.unique(X, axis=0, return_inverse=True)[1].ravel())


def test_blanks_are_gaps_and_leave_numbers_numbers(read):
    data = read("a,w,y\n1, x,1\n ,y ,0\n3, ,0\n", one_hot=True, impute="median")
    np.testing.assert_array_equal(data.X["a"], [1, np.nan, 3])
    assert data.X["w"].astype(object).fillna("none").tolist() == ["x", "y", "none"]


@pytest.mark.parametrize("missing", [[-999, "?"], {"a": [-999, "?"]}, {"a": ["-999", "?"]}])
def test_marks_of_gaps_are_numbers_however_they_are_written(missing, read):
    text = "a,t,y\n-999.0,True,1\n-999,False,0\n?,True,0\n3,True,0\n"
    data = read(text, reader={"missing": missing}, impute="median")
    with pytest.raises(DatasetError, match="no column 'b'"):
        read(text, reader={"missing": {"b": [-999]}})
    np.testing.assert_array_equal(data.X, [[np.nan, 1], [np.nan, 0], [np.nan, 1], [3, 1]])


def test_codes_leave_gaps_to_be_filled(read):
    data = read("w,y\nlow,1\n,0\nhigh,0\n", codes={"low": 0, "high": 2}, impute="median")
    np.testing.assert_array_equal(data.X, [[0], [np.nan], [2]])
    assert isinstance(data.X, np.ndarray)


def test_rows_of_the_same_features_are_copies_and_gaps_are_equal(read):
    text, fill = "a,b,y\n1,,1\n1,,0\n1,2,0\n0,2,0\n1,2,1\n", {"impute": "median"}
    assert read(text, **fill, copies_together=True).duplicate_group.tolist() == [2, 2, 1, 0, 1]
    assert read(text, **fill).duplicate_group is None


def test_copies_are_numbered_as_numpy_numbers_them():
    X = np.random.default_rng(0).choice([-1.5, -0.0, 0.0, 2.0], (300, 3))
    np.testing.assert_array_equal(alike(X), np.unique(X, axis=0, return_inverse=True)[1].ravel())


def test_a_column_of_gaps_alone_is_no_error(tmp_path):
    data = written(table().assign(nothing=np.nan), tmp_path, impute="median", one_hot=True)
    numbers = data.transformer().fit_transform(data.X)
    assert (numbers[:, 2] == 0).all()


def many(name, values, tmp_path, **options):
    frame = pd.DataFrame({name: values, "bad": ["yes", "no"] * (len(values) // 2)})
    return written(frame, tmp_path, **options)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (pd.date_range("2026-01-01", periods=200).astype(str), {}, "'c' holds dates, .*'2026-01-01'.* 200"),
        (["31/01/2026", "1/2/2026"] * 10, {"max_categories": 5}, r"holds dates.*add drop: \[c\] to params"),
        (["2026-01-31 10:00:01"] * 20, {}, "holds dates"),
        ([f"order {i}" for i in range(200)], {"max_categories": 5}, "has 200 values in 200 rows"),
        ([f"shop {i % 60}" for i in range(240)], {}, "60 values in 240 rows.*add max_categories: 20"),
    ],
)
def test_one_hot_refuses_what_is_no_category(values, options, message, tmp_path):
    with pytest.raises(DatasetError, match=message):
        many("c", values, tmp_path, one_hot=True, **options)


def test_one_hot_takes_many_values_under_a_ceiling(tmp_path):
    data = many("c", [f"shop {i % 60}" for i in range(240)], tmp_path, one_hot=True, max_categories=20)
    assert data.transformer().fit_transform(data.X).shape == (240, 20)


@pytest.mark.parametrize("column", ["c", 1, -2])
def test_one_hot_takes_what_is_named_a_category(column, tmp_path):
    codes = [f"order {i}" for i in range(200)]
    data = many("c", codes, tmp_path, one_hot=True, max_categories=5, categories=[column])
    assert data.X["c"].nunique() == 200


def test_missing_values_are_told_all_at_once_with_their_remedy(tmp_path):
    with pytest.raises(DatasetError) as caught:
        written(table(), tmp_path)
    message = str(caught.value)
    assert "column 'amount' has" in message
    assert "column 'country' has" in message
    assert "\n    impute: median\n" in message
    assert message.endswith("\n    drop: [amount, country]")


def test_text_is_told_all_at_once(tmp_path):
    frame = table().dropna().assign(shop="a")
    with pytest.raises(DatasetError, match=r"'country' is not numeric, .*'shop' is not .*attop look"):
        written(frame, tmp_path)


def test_rows_are_not_held_while_a_model_is_fitted_to_the_matrix_made_of_them():
    held = []

    class Prepare:
        def fit_transform(self, X):
            held.append(weakref.ref(X))
            return X[["amount"]].to_numpy(copy=True)

    class Model(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            held.append(held[0]())
            return super().fit(X, y)

    y = np.arange(N) % 2
    learner = Learner("m", Model(), {}, prepare=Prepare)
    learner.fit(Sample(table(), y), np.arange(0, N, 3), [(Top(k=5), {})], 0)
    assert held[1:] == [None]

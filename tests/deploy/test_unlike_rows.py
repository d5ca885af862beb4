"""New rows that are not like those of training: each feature is named, and nothing is promised."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom, ks_2samp

from attop.experiment import Fold
from attop_bench.data.columns.preparation import as_categories
from attop_bench.deploy.aspects import Aspect
from attop_bench.deploy.package import read_package
from attop_bench.deploy.training import Distances, effect_of, read_training, summarise, write_training
from attop_bench.deploy.unlike import chance_of_shares, findings
from support.packages import linear_package, write_package

CATEGORIES = ("region", "shop")
GERMAN = ["der", "die", "das", "und", "ist", "nicht", "mit", "von", "auf", "ein"]
ENGLISH = ["the", "a", "of", "and", "to", "in", "is", "it", "you", "that"]


def drawn(rng, n):
    """Draw rows of one law: numbers of many kinds, gaps, few and many categories, text."""
    gaps = rng.normal(50, 10, n)
    gaps[rng.random(n) < 0.2] = np.nan
    return pd.DataFrame(
        {
            "amount": rng.lognormal(4, 1, n).round(2),
            "age": rng.integers(18, 80, n).astype(float),
            "celsius": rng.normal(15, 8, n).round(1),
            "none": np.where(rng.random(n) < 0.9, 0.0, rng.exponential(3, n)),
            "flag": (rng.random(n) < 0.04).astype(float),
            "gaps": gaps,
            "constant": np.full(n, 7.0),
            "region": rng.choice(["north", "south", "west"], n, p=[0.6, 0.3, 0.1]),
            "shop": [f"shop {i}" for i in rng.zipf(1.6, n) % 200],
            "note": [" ".join(rng.choice(ENGLISH, i)) for i in rng.integers(0, 9, n)],
        }
    )


def typed(X):
    return X.assign(**{name: as_categories(X[name]) for name in CATEGORIES})


def trained(rng, n, unit=None, n_folds=0):
    X, part = typed(drawn(rng, n)), rng.permutation(n) % max(n_folds, 1)
    folds = [Fold(np.flatnonzero(part != f), np.flatnonzero(part == f), []) for f in range(n_folds)]
    return summarise(X, np.arange(n), unit, folds)


@pytest.fixture(scope="module")
def training():
    return trained(np.random.default_rng(0), 800)


def changed(column, change, n=300):
    X = drawn(np.random.default_rng(1), n)
    values = change(X) if callable(change) else change
    return X.assign(**{column: values})


NEVER = "region has a value that training never had in 100% of the rows"
OTHER = "has other values than in training"


@pytest.mark.parametrize(
    ("column", "change", "sentence"),
    [
        ("amount", lambda X: X["amount"] * 100, "amount is 100 times what it was in training: another unit?"),
        ("amount", lambda X: X["amount"] / 1000, "amount is 0.001 times what it was in"),
        ("amount", lambda X: -X["amount"], "amount is -1 times what it was in training: another unit?"),
        ("age", lambda X: X["age"] * 12, "age is 12 times what it was in training: another unit?"),
        ("age", lambda X: X["age"] + 1900, "age is what it was in training plus 1.9e+03: another origin?"),
        ("none", lambda X: X["none"] * 100, "none has a value that training hardly had"),
        ("celsius", lambda X: X["celsius"] * 1.8 + 32, "celsius is 1."),
        ("constant", 8.0, "constant is 1.14 times what it was in training: why?"),
        ("age", lambda X: X["age"].clip(40, 50), f"age {OTHER}: median"),
        ("gaps", lambda X: X["gaps"].mask(X.index % 2 == 0), "gaps is missing in"),
        ("amount", lambda X: X["amount"].mask(X.index % 3 == 0), "amount is missing in 33% of the rows"),
        ("region", lambda X: X["region"].str.upper(), NEVER),
        ("region", lambda X: X["region"].replace("north", "south"), f"region {OTHER}"),
        ("region", lambda X: X["region"].where(X.index % 4 > 0), "region is missing in 25% of the rows"),
        ("note", lambda X: [" ".join(GERMAN[:4])] * len(X), f"share of common words in note {OTHER}"),
        ("note", lambda X: X["note"] + X["note"] + X["note"], f"length of note {OTHER}"),
    ],
    ids=[
        "cents", "thousands", "sign", "months", "years", "few-values", "fahrenheit", "constant", "other-law",
        "more-gaps", "gaps", "unseen", "shares", "gaps-of-categories", "language", "long-texts",
    ],
)  # fmt: skip
def test_what_changed_is_said(column, change, sentence, training):
    found = findings(training, changed(column, change), 1.0)
    said = [one.sentence for one in found]
    assert {one.column for one in found} <= {column}
    assert said
    assert all(column in one for one in said)
    assert any(one.startswith(sentence) for one in said)


@pytest.mark.parametrize(
    ("column", "value", "every", "told"),
    [
        *(("amount", value, 10, f"{value}, in 1") for value in (-999, 0, 99999)),
        *(("age", value, 10, f"{value}, in 10%") for value in (-1, 0, 999, 1900)),
        ("amount", 9999999, 3, "9999999, in 34%"),
        ("celsius", 0.05, 3, "0.05, in 33%"),
        ("flag", 9, 20, "9, in 5%"),
        ("gaps", 9999, 10, "9999, in "),
        ("none", -1, 25, "-1, in 4%"),
    ],
)
def test_a_code_for_nothing_in_some_rows_is_said(column, value, every, told, training):
    new = changed(column, lambda X: X[column].mask(X.index % every == 2, value))
    (one,) = findings(training, new, 1.0)
    assert one.sentence.startswith(f"{column} has a value that training hardly had, such as {told}")
    trained_so = summarise(typed(new), np.arange(len(new)), None)
    assert column not in [one.column for one in findings(trained_so, new, 1.0)]


def test_numbers_of_another_unit_in_some_rows_are_said(training):
    new = changed("amount", lambda X: X["amount"].where(X.index % 10 > 0, X["amount"] * 1000))
    (one,) = findings(training, new, 1.0)
    assert one.sentence.startswith("amount has a value that training hardly had")


def test_columns_that_shifted_are_known_by_their_values(training):
    X = drawn(np.random.default_rng(1), 300)
    moved = X.assign(amount=X["age"], age=X["celsius"], celsius=X["amount"])
    assert [one.sentence for one in findings(training, moved, 1.0)] == [
        f"{column} has the values that {other} had in training: did the columns shift?"
        for column, other in (("amount", "age"), ("age", "celsius"), ("celsius", "amount"))
    ]


@pytest.mark.parametrize(("n_training", "n_new"), [(120, 30), (400, 400), (100, 900)])
def test_lists_of_the_same_law_raise_no_alarm(n_training, n_new):
    """At most 1 of 100 may; 1,000 lists of four sizes were drawn once, and 60 here."""
    rng = np.random.default_rng(n_new)
    alarms = 0
    for _ in range(4):
        training = trained(rng, n_training, n_folds=2)
        alarms += sum(bool(findings(training, drawn(rng, n_new), 1.0)) for _ in range(5))
    assert alarms <= 1


def test_rows_of_one_customer_count_as_one(training):
    """A list of 8 customers has but 8 values of what is theirs."""
    rng = np.random.default_rng(2)
    unit = np.repeat(np.arange(8), 40)
    X = drawn(rng, 8).iloc[unit].reset_index(drop=True)
    assert findings(training, X, 1.0)
    assert effect_of(np.arange(320), unit) == pytest.approx(40)
    assert findings(training, X, effect_of(np.arange(320), unit)) == []


def test_what_differed_between_training_and_test_is_usual():
    """A column that rises each day was further in each test part, which the promise is made of."""
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(60), 20)
    X = pd.DataFrame({"rising": day + rng.normal(0, 10, len(day)), "x": rng.normal(size=len(day))})
    windows = [
        (np.flatnonzero(day < end), np.flatnonzero((day >= end) & (day < end + 10))) for end in (30, 40, 50)
    ]
    folds = [Fold(train, test, []) for train, test in windows]
    new = pd.DataFrame({"rising": 65 + rng.normal(0, 10, 200), "x": rng.normal(size=200)})
    assert findings(summarise(X, np.arange(len(X)), None), new, 1.0)
    usual = summarise(X, np.arange(len(X)), None, folds)
    assert findings(usual, new, 1.0) == []
    assert [one.sentence for one in findings(usual, new.assign(x=new["x"] * 100), 1.0)] == [
        "x is 100 times what it was in training: another unit?"
    ]


@pytest.mark.parametrize("seed", range(6))
def test_the_distance_is_that_of_kolmogorov_and_smirnov(seed):
    rng = np.random.default_rng(seed)
    n, spread = int(rng.integers(2, 90)), int(rng.integers(1, 40))
    old, new = rng.integers(0, spread, n).astype(float), rng.integers(0, spread + 3, 50).astype(float)
    (distribution,) = summarise(pd.DataFrame({"x": old}), np.arange(n), None).distributions
    # Of whole numbers the cuts between them are all that there are, but for one below and one above all.
    expected = ks_2samp(old, np.clip(new, old.min() - 1, old.max() + 1)).statistic
    present = np.unique(old)
    between = np.isin(new, present) | (new > present.max()) | (new < present.min())
    if between.all():
        assert distribution.distances(new).distance == pytest.approx(expected)
    assert distribution.distances(new).distance <= expected + 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_the_chance_of_shares_is_not_below_the_exact_one(seed):
    rng = np.random.default_rng(seed)
    trained, n = int(rng.integers(20, 300)), int(rng.integers(5, 100))
    positive = int(rng.integers(0, trained + n + 1))
    law = hypergeom(trained + n, positive, n)
    for new in range(max(0, positive - trained), min(n, positive) + 1):
        further = law.cdf(new) if new / n < positive / (trained + n) else law.sf(new - 1)
        bound = chance_of_shares((positive - new) / trained, new / n, trained, n)
        assert bound >= further - 1e-12


def test_the_summary_survives_its_file(tmp_path, training):
    write_training(tmp_path / "t.npz", training)
    again = read_training(tmp_path / "t.npz")
    X = changed("amount", lambda X: X["amount"] * 100)
    assert findings(again, X, 1.0) == findings(training, X, 1.0) != []
    assert again.units == training.units == 800
    assert [d.aspect for d in again.distributions] == [d.aspect for d in training.distributions]
    assert again.distributions[0].usual == Distances()
    assert Aspect("note", "length") in [d.aspect for d in again.distributions]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a package of a file, with the summary of its rows."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = drawn(rng, 400)[["amount", "age", "region"]]
    X.assign(y=np.where(X["age"] + rng.normal(0, 10, 400) > 60, "yes", "no")).to_csv("old.csv", index=False)
    package = linear_package("old.csv")
    table = X.assign(region=as_categories(X["region"]))
    write_package(tmp_path / "model", replace(package, training=summarise(table, np.arange(400), None)))
    return read_package("model")


def test_nothing_is_promised_of_a_list_in_cents(package):
    new = drawn(np.random.default_rng(3), 200)[["amount", "age", "region"]]
    said = []
    for name, X in (("as-before.csv", new), ("cents.csv", new.assign(amount=new["amount"] * 100))):
        X.to_csv(name, index=False)
        ranked = package.rank(name, said.append)
        promise = package.expect(ranked, package.head(ranked), None, said.append)
        if name == "as-before.csv":
            assert promise.holds
            assert ranked.attrs["unlike"] == []
            assert not any("not as in training" in line for line in said)
    finding = "amount is 100 times what it was in training: another unit?"
    assert ranked.attrs["unlike"] == [finding]
    assert not promise.holds
    assert (
        promise.reason
        == f"the promise is meant for rows like those of training, and these are not: {finding}"
    )
    assert f"not as in training: {finding}" in said
    assert said[-1].startswith("But nothing is promised: the promise is meant for rows like")

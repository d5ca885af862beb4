"""Pairs of users and items as lists: the rows of other items give the metrics of whole lists."""

import zipfile

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from studies.slatk2025.methods import Ease, FactorLists, Popularity

from attop.learners import FactorRanker
from attop.metrics import get_metric
from attop.surrogates import SoftmaxLossAtK
from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.splits.protocols import make_folds

N_USERS, N_ITEMS = 30, 40


@pytest.fixture
def drawn():
    """Whether a user has a training pair, and a test pair, with an item."""
    rng = np.random.default_rng(0)
    taste = np.arange(N_ITEMS) % 3 == np.arange(N_USERS)[:, None] % 3
    has = taste & (rng.random(taste.shape) < 0.8)
    test = has & (rng.random(has.shape) < 0.3)
    test[5] = False
    train = has & ~test
    train[np.arange(N_ITEMS) % N_USERS, np.arange(N_ITEMS)] = True
    return train, test & ~train


@pytest.fixture
def data(drawn, tmp_path):
    with zipfile.ZipFile(tmp_path / "proc.zip", "w") as archive:
        for name, part in zip(("train", "test"), drawn, strict=True):
            lines = ["user_procid\titem_procid", *(f"{u}\t{i}" for u, i in np.argwhere(part))]
            archive.writestr(f"{name}.tsv", "\n".join(lines))
    return make("studies.slatk2025.pairs.PAIRS", path=tmp_path / "proc.zip")


def test_a_tenth_of_the_training_pairs_selects_and_all_train_in_the_end(data, drawn):
    [fold] = make_folds("given", data, 0, 0, refit=True)
    [(fit, validation)] = fold.inner
    assert fold.refit
    assert data.y[validation].sum() == round(drawn[0].sum() / 10)
    np.testing.assert_array_equal(fold.train, np.union1d(fit, validation))
    for rows, pairs in ((fold.train, drawn[0]), (fold.test, drawn[1])):
        named = data.X[rows][data.y[rows] == 1].astype(int)
        assert sorted(map(tuple, named)) == sorted(map(tuple, np.argwhere(pairs)))
    users, items = data.X[fit][data.y[fit] == 1].astype(int).T
    assert len(set(users)) == N_USERS
    assert len(set(items)) == N_ITEMS
    [plain] = make_folds("given", data, 0, 0)
    np.testing.assert_array_equal(plain.train, fit)
    assert not plain.refit


AT_K = FactorLists(surrogate="softmax@k", bandwidth=3.0)


@pytest.mark.parametrize("model", [FactorLists(), AT_K, Popularity(), Ease(lam=2.0)])
def test_the_metrics_are_those_of_all_items_not_seen(model, data, drawn, monkeypatch):
    monkeypatch.setattr("studies.slatk2025.methods._USERS", 7)
    train, test = drawn
    [fold] = make_folds("given", data, 0, 0, refit=True)
    model.fit(data.X[fold.train], data.y[fold.train])
    order = np.random.default_rng(1).permutation(fold.test)  # rows come in any order
    scores = model.decision_function(data.X[order])
    if type(model) is FactorLists:
        loss = SoftmaxLossAtK(20, 3.0) if model is AT_K else "softmax"
        twin = FactorRanker(loss, batch_users=1000, max_iter=200, learning_rate=0.1)
        of_items = twin.fit(np.argwhere(train)).decision_function(np.arange(N_USERS)).astype(float)
    elif type(model) is Ease:
        of_items = np.zeros(train.shape)
        for item in range(N_ITEMS):
            others = np.arange(N_ITEMS) != item
            ridge = Ridge(alpha=2.0, fit_intercept=False).fit(train[:, others], train[:, item])
            of_items[:, item] = train[:, others] @ ridge.coef_
    else:
        of_items = np.tile(train.sum(axis=0) - np.arange(N_ITEMS) / N_ITEMS, (N_USERS, 1))
    unseen, groups = ~train, np.nonzero(~train)[0]
    for name in ("ndcg@k", "recall@k"):
        whole = get_metric(name).evaluate(test[unseen].astype(int), of_items[unseen], 20, groups)
        found = get_metric(name).evaluate(data.y[order], scores, 20, data.groups[order])
        assert found.value == pytest.approx(whole.value, rel=1e-6)


def test_a_list_of_few_items_ends_below_all_others(data, drawn):
    [fold] = make_folds("given", data, 0, 0, refit=True)
    model = Popularity().fit(data.X[fold.train], data.y[fold.train])
    rows = np.array([[0, -1]] * N_ITEMS)
    scores = model.decision_function(rows)
    last = np.sort(scores)[: drawn[0][0].sum()]
    assert np.isfinite(scores).all()
    assert len(set(last)) == 1
    assert (scores > last[0]).sum() == (~drawn[0][0]).sum()


def test_what_is_no_such_file_is_refused(tmp_path):
    (tmp_path / "proc.zip").write_bytes(b"PK\3\4 damaged")
    with pytest.raises(DatasetError, match=r"train\.tsv and test\.tsv"):
        make("studies.slatk2025.pairs.PAIRS", path=tmp_path / "proc.zip")
    with pytest.raises(DatasetError, match="validation must be"):
        make("studies.slatk2025.pairs.PAIRS", path=tmp_path / "proc.zip", validation=2.0)

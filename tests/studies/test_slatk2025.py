"""The study of SL@K: its pairs, its metrics by the paper's definition, and a row for each loss."""

import zipfile

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from studies import slatk2025


@pytest.fixture
def pairs(tmp_path):
    """Training and test pairs of 30 users and 40 items, through a file as it is distributed."""
    rng = np.random.default_rng(0)
    taste = np.arange(40) % 3 == np.arange(30)[:, None] % 3
    drawn = taste & (rng.random((30, 40)) < 0.8)
    test = drawn & (rng.random(drawn.shape) < 0.3)
    drawn[29, 39] = True
    with zipfile.ZipFile(tmp_path / "proc.zip", "w") as archive:
        for name, part in (("train", drawn & ~test), ("test", test)):
            lines = ["user_procid\titem_procid", *(f"{u}\t{i}" for u, i in np.argwhere(part))]
            archive.writestr(f"{name}.tsv", "\n".join(lines))
    return slatk2025.read_pairs(tmp_path / "proc.zip")


def test_a_tenth_of_the_training_pairs_is_held_out(pairs):
    train, _ = pairs
    kept, held = slatk2025.tenth(train, 0)
    assert (kept + held != train).nnz == 0
    assert held.nnz == int(np.ceil(train.nnz / 10))


def test_metrics_are_those_of_the_paper(pairs):
    train, test = pairs
    scores = np.random.default_rng(1).normal(size=train.shape)
    found = slatk2025.evaluate(lambda users: scores[users], train, test)
    ndcg, recall = [], []
    for user in np.flatnonzero(test.getnnz(axis=1)):
        unseen = [i for i in np.argsort(-scores[user]) if not train[user, i]]
        hits = np.array([test[user, i] for i in unseen[:20]])
        discount = 1 / np.log2(np.arange(2, 22))
        ndcg.append(hits @ discount / discount[: test[user].nnz].sum())
        recall.append(hits.sum() / test[user].nnz)
    assert found["ndcg"] == pytest.approx(np.mean(ndcg))
    assert found["recall"] == pytest.approx(np.mean(recall))


def test_a_row_for_each_loss_with_printed_beside_ours(pairs, monkeypatch):
    monkeypatch.setattr(slatk2025, "LOSSES", {"softmax@20": slatk2025.LOSSES["softmax@20"]})
    popularity, row = slatk2025.compare("amazon2014-health", *map(csr_matrix, pairs))
    assert (popularity["loss"], row["loss"], row["printed_ndcg"]) == ("popularity", "softmax@20", 0.139)
    assert row["scale"] in (2.0, 5.0)
    assert row["ndcg"] > popularity["ndcg"]
    assert row["ndcg_spread"] >= 0

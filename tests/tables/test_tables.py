"""Tables as people write them: looked at, configured, trained, deployed, and a new row scored."""

import re
from dataclasses import replace

import joblib
import numpy as np
import pytest
import yaml

from attop_bench.data.base import DatasetError
from attop_bench.data.build import make
from attop_bench.data.profile.look import look
from attop_bench.data.profile.proposal import parameters, propose
from attop_bench.deploy import deploy as deploying
from attop_bench.deploy.package import read_package
from support.packages import write_package
from support.small_run import configured
from tables.situations import SITUATIONS
from tables.writers import base, text

#: One candidate: what is asked is that the rows come through.
METHOD = {"id": "logistic", "estimator": "sklearn.linear_model.LogisticRegression", "params": {"C": 1.0}}


PLAIN = {}
TRAINED = {}
train = deploying.train


def data_of(path, **given):
    return make("file", **parameters(look(path, **given)))


def plainly(frame, folder):
    """Return the data of a table that is written plainly; most situations ask for the same."""
    path = text(name="plain.csv")(frame, folder)
    content = path.read_bytes()
    if content not in PLAIN:
        PLAIN[content] = data_of(path, label="y")
    return PLAIN[content]


def coded(data):
    """Return the features as numbers: names of columns and values may be written otherwise."""
    return data.table.apply(lambda c: c.cat.codes if c.dtype == "category" else c).to_numpy()


def trained(jobs, dataset, folds, *how):
    """Train on the same data once, whatever their names."""
    key = joblib.hash([jobs, replace(dataset, name="", facts={}), folds])
    if key not in TRAINED:
        TRAINED[key] = train(jobs, dataset, folds, *how)
    return TRAINED[key]


def assert_that_no_line_is_lost(path, ledger):
    """Count the lines of plain text without a ledger: all but the header are read, each once."""
    content = path.read_bytes()
    if path.suffix == ".csv" and content.isascii() and not re.search(rb"[\0\"']", content):
        lines = len(content.decode().splitlines())
        assert ledger.read in (lines, lines - 1)  # without and with a header


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda s: s.what)
def test_a_table(situation, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Numbers of the card, which take long and say nothing of how a table is read; the same data train once.
    for name in ("share_kept", "next_list", "one_column_alone"):
        monkeypatch.setattr(deploying, name, lambda *_, **__: None)
    monkeypatch.setattr(deploying, "train", trained)
    frame = base() if situation.frame is None else situation.frame
    path = situation.write(frame, tmp_path)
    if situation.refused:
        with pytest.raises(DatasetError, match=situation.refused):
            data_of(path, **situation.given)
        return
    found = look(path, **situation.given)
    assert_that_no_line_is_lost(path, found.ledger)
    for name, kind in situation.kinds.items():
        assert (name, found.column(name).kind) == (name, kind)
    if situation.label is not None:
        assert (found.label.column, found.label.positive) == situation.label
    if situation.reader is not None:
        assert found.reader == situation.reader
    for pattern in situation.says:
        assert re.search(pattern, "\n".join(found.complaints)), found.complaints
    proposed = parameters(found)
    assert {name: proposed.get(name) for name in situation.params} == situation.params
    # Trained, deployed, stored; the first rows, written alone in the same way, get the scores they have.
    configuration = yaml.safe_load(propose(found))
    (data,) = configuration["datasets"]
    assert data["params"] == proposed
    data["protocol"]["options"] = {"n_folds": 2, "inner_folds": 2}
    config = configured(**configuration | {"methods": [METHOD], "catalogues": {}})
    done = deploying.deploy(config, data["id"], ["logistic"], n_jobs=1)
    if situation.same:
        expected = plainly(frame if situation.as_if is None else situation.as_if, tmp_path)
        np.testing.assert_allclose(coded(done.dataset), coded(expected), rtol=1e-12)
        np.testing.assert_array_equal(done.dataset.y, expected.y)
    (tmp_path / "deployed").mkdir()
    write_package(tmp_path / "deployed", done.package)
    (tmp_path / "new").mkdir()
    ranked = read_package(tmp_path / "deployed").rank(situation.write(frame.head(7), tmp_path / "new"))
    score, known = ranked.set_index("row")["score"], done.ranked.set_index("row")["score"]
    assert sorted(score.index) == list(range(1, 8 + situation.also_ranked))
    score = score[score.index <= 7]
    learnt = known.index.intersection(score.index)  # by their places in the file
    assert len(learnt) == frame["y"].head(7).notna().sum() if "y" in frame else 7
    np.testing.assert_allclose(score[learnt], known[learnt], rtol=1e-9)

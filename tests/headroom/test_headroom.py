"""`headroom`: its verdict where the answer is known, its numbers by hand, what it takes and refuses."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from studies.gains.known_headroom import KINDS, TOP, known_headroom

from attop import SoftTop, Top
from attop.headroom import _headroom as module
from attop.headroom._headroom import (
    NOTHING,
    RICHER,
    TRAINING,
    calibrated,
    headroom,
    held_out_linear,
    held_out_richer,
)
from attop.metrics import precision_at_k
from attop.metrics._held_out import TopPrecision

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
Y = (X[:, 0] + RNG.normal(size=300) > 1.6).astype(int)


@pytest.mark.parametrize("kind", KINDS)
def test_the_verdict_is_right_where_it_is_known(kind):
    features, labels, _ = known_headroom(kind, 1500, 1000)
    found = headroom(features, labels, TOP, cv=3)
    assert found.verdict == KINDS[kind]
    assert found.sentence.startswith(KINDS[kind].capitalize())
    assert found.k == 75


def test_rows_of_an_entity_are_held_out_together(monkeypatch):
    """In one list: what is measured knows no groups."""
    seen = []

    def held_out(*arguments):
        seen.append(arguments)
        raise StopIteration

    measured = []
    kept = lambda *given: (measured.append(given), TopPrecision(*given))[1]  # noqa: E731
    monkeypatch.setattr(module, "held_out_linear", held_out)
    monkeypatch.setattr(module, "TopPrecision", kept)
    entity = np.arange(300) // 5
    with pytest.raises(StopIteration):
        headroom(X, Y, 20, entity=entity.astype(str))
    _, _, folds, groups, *_ = seen[0]
    assert groups is None
    assert len(set(measured[0][-1])) == 60  # whole ones are drawn
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(300))
    assert not any(set(entity[train]) & set(entity[test]) for train, test in folds)
    with pytest.raises(ValueError, match="entity has missing values"):
        headroom(X, Y, 20, entity=np.where(entity == 3, np.nan, entity))
    with pytest.raises(ValueError, match="not both"):
        headroom(X, Y, 20, entity=entity, groups=entity)


@pytest.mark.parametrize("kind", KINDS)
def test_the_kinds_are_what_they_are_said_to_be(kind):
    features, labels, p = known_headroom(kind, 100_000, 0)
    true = precision_at_k(labels, p, TOP)
    linear = LogisticRegression().fit(features, labels).decision_function(features)
    lost = true - precision_at_k(labels, linear, TOP)
    assert lost < 0.01 if KINDS[kind] == NOTHING else lost > 0.2


# --- What is judged ------------------------------------------------------------------------------------


def judge(shift, *, min_gain=0.02):
    """Judge scores that are the label, blurred less by the models with a larger shift."""
    n, k, rng = 2000, 60, np.random.default_rng(5)
    y = (rng.random(n) < 0.06).astype(int)
    noise = rng.normal(size=n)
    scores = {name: noise + y * (1.0 + add) for name, add in shift.items()}
    measure = TopPrecision(y, k)
    return module._judge(measure, scores, 0.5, n, k, min_gain, 7), measure, scores


NAMES = ("logistic regression", "boosting", "forest", "refined for the top")


@pytest.mark.parametrize(
    ("gains", "min_gain", "verdict", "best"),
    [
        ((0, 0, 0), 0.02, NOTHING, "boosting"),
        ((-1, -0.5, 0), 0.02, NOTHING, "refined for the top"),
        ((2, 0, 0), 0.02, RICHER, "boosting"),
        ((2, 0, 0), 0.9, NOTHING, "boosting"),
        ((0, 2, 0), 0.02, RICHER, "forest"),
        ((0, 0, 2), 0.02, TRAINING, "refined for the top"),
        ((2, 0, 2), 0.02, TRAINING, "refined for the top"),
        ((3, 0, 1), 0.02, RICHER, "boosting"),
        ((1, 0, 3), 0.02, TRAINING, "refined for the top"),
    ],
)
def test_verdicts(gains, min_gain, verdict, best):
    found, _, _ = judge(dict(zip(NAMES, (0, *gains), strict=True)), min_gain=min_gain)
    assert (found.verdict, found.best.name) == (verdict, best)
    assert [c.name for c in found.models] == list(NAMES)
    lines = str(found).splitlines()
    assert [line[:22].strip() for line in lines[1:6]] == [*NAMES, "calibrated posterior"]
    assert lines[-1] == found.sentence
    rows = f"{found.rows_to_tell:,} rows" if found.rows_to_tell else "none of the others is above it"
    assert rows in found.sentence


def test_numbers_by_hand():
    found, measure, scores = judge(dict(zip(NAMES, (0, 0.2, 0.1, 1.5), strict=True)))
    options = {"seed": 7, "n_samples": 400}
    base = scores["logistic regression"]
    for c in found.models:
        given = scores[c.name]
        assert c.precision == measure(given)
        assert c.gain == pytest.approx(measure.smoothed(given) - measure.smoothed(base))
        drawn = [measure.resampled(s, smoothed=True, **options) for s in (given, base)]
        assert c.gain_se == pytest.approx((drawn[0] - drawn[1]).std(ddof=1))
        low, high = np.quantile(measure.resampled(given, **options), [0.025, 0.975])
        assert (c.low, c.high) == pytest.approx((low, high))
    assert found.now.gain == found.now.gain_se == 0
    # The gain is (z of the risk + z of the power) standard errors in a sample of that size.
    se = found.best.gain_se * np.sqrt(2000 / found.rows_to_tell)
    assert found.best.gain / se == pytest.approx(norm.isf(0.05 / 3) + norm.ppf(0.8), rel=0.05)  # Holm's first
    open_, _, _ = judge(dict.fromkeys(NAMES, 0) | {"forest": 0.02})
    assert (open_.verdict, open_.best.name) == (NOTHING, "forest")
    assert open_.best.gain < 0.02
    se = open_.best.gain_se * np.sqrt(2000 / open_.rows_to_tell)
    assert 0.02 / se == pytest.approx(norm.isf(0.05 / 3) + norm.ppf(0.8), rel=0.05)


@pytest.mark.parametrize(("number", "rounded"), [(0, 0), (3.2, 4), (99.5, 100), (101, 110), (84_321, 85_000)])
def test_rows_are_rounded_up_to_two_digits(number, rounded):
    assert module._rounded(number) == rounded


# --- The models' scores --------------------------------------------------------------------------------


def folds():
    return list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, Y))


def test_linear_scores_are_those_of_models_that_have_not_seen_the_row():
    found = held_out_linear(X, Y, folds(), None, Top(tau=0.05), 0.05, 3, None)
    for train, test in folds():
        model = SoftTop(top={"tau": 0.05}, base="logistic", cv=3, min_gain_se=0.0, random_state=3)
        model.fit(X[train], Y[train])
        for scores, coef in zip(found, (model.base_coef_, model.coef_), strict=True):
            seen = np.sort(X[train] @ coef)
            cut, highest = np.quantile(seen, 0.95), seen[-40:]
            np.testing.assert_allclose(scores[test], (X[test] @ coef - cut) / highest.std(), rtol=1e-9)


def test_richer_models_have_not_seen_the_row():
    scores = held_out_richer(X, Y, folds(), None, 3, None)
    assert list(scores) == ["boosting", "forest"]
    noise = RNG.permutation(Y)
    for given in held_out_richer(X, noise, folds(), None, 3, None).values():
        assert precision_at_k(noise, given, 30) < 0.5  # in sample it would be 1


def test_calibration_by_other_folds():
    scores = X[:, 0] * 3
    p = calibrated(scores, Y, folds())
    for train, test in folds():
        model = LogisticRegression(C=1e6, max_iter=1000).fit(scores[train, None], Y[train])
        np.testing.assert_allclose(p[test], model.predict_proba(scores[test, None])[:, 1])


# --- What it takes -------------------------------------------------------------------------------------


@pytest.mark.workflow
def test_the_same_for_any_number_of_jobs_form_of_labels_and_of_features():
    plain = headroom(X, Y, 20, cv=2)
    assert headroom(X, np.where(Y, 2, 1), Top(k=20), cv=2, n_jobs=2) == plain
    assert headroom(X, Y, 20, cv=2, random_state=1) != plain
    missing = X.copy()
    missing[::5, 1] = np.nan
    groups = headroom(missing, Y, 3, cv=2, groups=np.arange(300) % 10)
    assert groups.k == 30
    for found in (groups, headroom(sparse.csr_array(X), Y, 20, cv=2)):
        assert np.isfinite(found.now.precision)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X, Y, 301), "k=301 asks for 301 of the 300 items"),
        ((X, np.arange(300) == 3, 5), "5 folds needs at least 10 .*got 1 and 299: lower cv"),
        ((np.ma.masked_less(X, 0), Y, 5), "X has masked values"),
        ((X, Y[1:], 5), "inconsistent numbers of samples"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        headroom(*arguments)


def test_words_and_the_lower_number_can_be_positive():
    plain = headroom(X, Y, 20, cv=2)
    assert headroom(X, np.where(Y, "a", "b"), 20, pos_label="a", cv=2) == plain
    assert headroom(X, 1 - Y, 20, pos_label=0, cv=2) == plain
    with pytest.raises(ValueError, match="name it, such as pos_label='a'"):
        headroom(X, np.where(Y, "a", "b"), 20)
    with pytest.raises(ValueError, match=r"pos_label must be one of the labels \[0, 1\], got 2"):
        headroom(X, Y, 20, pos_label=2)


@pytest.mark.parametrize("min_gain", [0, 1, -0.1, "0.02", None])
def test_a_gain_that_matters_is_a_share(min_gain):
    with pytest.raises(ValueError, match="min_gain must be a number between 0 and 1, got"):
        headroom(X, Y, 5, min_gain=min_gain)

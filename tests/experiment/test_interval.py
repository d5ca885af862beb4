"""Intervals of means and of differences, and the rows that a value stands on."""

import math

import numpy as np
import pytest
from scipy import stats
from studies.claims.intervals import runs

import oracles.statistics as oracle
from attop._core.top import Top
from attop.experiment._interval import Units, clopper_pearson, difference_interval, interval
from attop.experiment._learner import Sample
from attop.metrics import get_metric
from attop.metrics._custom import custom_metric
from attop.statistics._effective import at_most
from attop_bench.data.base import Dataset

A = np.array([0.81, 0.85, 0.78, 0.90, 0.84, 0.80])
ROWS = {"bounds": (0.0, 1.0)}


def t_interval(values, ratio):
    """Nadeau and Bengio's."""
    return oracle.corrected_t(values, 0, ratio)[1:3]


def test_without_counts_it_is_that_of_the_runs():
    assert interval([*A, math.nan], 0.25) == pytest.approx(t_interval(A, 0.25))
    assert difference_interval(A, 0.25) == pytest.approx(t_interval(A, 0.25))
    assert np.isnan([interval([0.5], 0.25), interval(A, math.nan), difference_interval([], 0.25)]).all()


@pytest.mark.parametrize(("hits", "n"), [(0, 30), (30, 30), (1, 60), (77, 100)])
def test_bounds_are_those_of_the_binomial_law(hits, n):
    assert clopper_pearson(hits / n, n) == pytest.approx(tuple(stats.binomtest(hits, n).proportion_ci()))
    assert at_most(hits / n, n, 0.3) == pytest.approx(stats.binom.cdf(hits, n, 0.3))


@pytest.mark.parametrize("mean", [0.0, 1.0, 0.98, 0.5])
@pytest.mark.parametrize("n", [2, 20])
def test_it_is_never_narrower_than_the_binomial_one_of_distinct_rows(mean, n):
    """Ten runs of a fifth of the rows hold each row twice."""
    values = np.clip(mean + 0.01 * np.tile([1, -1], 5), 0, 1) if 0 < mean < 1 else np.full(10, mean)
    low, high = interval(values, 0.25, units=Units(n, hits=True), **ROWS)
    exact = clopper_pearson(values.mean(), 5 * n)
    assert low <= exact[0] < exact[1] <= high
    assert (low, high) == pytest.approx(exact)  # the runs vary less


@pytest.mark.parametrize(("perfect", "exact"), [(4, False), (5, True), (9, True)])
def test_a_graded_value_has_the_exact_bound_where_half_of_the_runs_are_perfect(perfect, exact):
    values = np.append(np.ones(perfect), np.linspace(0.97, 0.99, 10 - perfect))
    low, _ = interval(values, 0.25, units=Units(10), **ROWS)
    assert (low < t_interval(values, 0.25)[0] - 1e-9) == exact


@pytest.mark.parametrize(
    ("metric", "top", "groups", "units"),
    [
        ("precision@k", Top(k=50, out_of=1000), None, (10, True)),
        ("precision@k", Top(k=50), None, (50, True)),
        ("precision@k", Top(k=500), None, (1, False)),  # more than a part has
        ("recall@k", Top(tau=0.05), None, (20, True)),
        ("auc", Top(tau=0.05), None, (20, False)),
        ("ndcg@k", Top(tau=0.05), None, (10, False)),
        ("tpr@fpr-0.01", Top(tau=0.05), None, (20, False)),
        ("reciprocal-rank", Top(tau=0.05), None, (1, False)),
        ("precision@k", Top(k=5), 40, (8, False)),
    ],
)
def test_rows_behind_a_value_of_a_fifth_of_a_thousand(metric, top, groups, units):
    given = {"items": 1000, "positives": 100, "groups": groups}
    assert Units.of(get_metric(metric), top, 0.25, **given) == units
    assert Units.of(get_metric(metric), top, math.nan, **given) == (1, False)
    assert Units.of(get_metric(metric), top, 0.25, **{**given, "positives": None}) == (1, False)


def test_of_a_metric_of_ones_own_nothing_is_known():
    own = custom_metric("own", "sklearn.metrics.average_precision_score")
    assert Units.of(own, Top(k=5), 0.25, items=1000, positives=100) == (1, False)


def test_rows_of_an_entity_are_one_and_none_of_them_counts_alone():
    y, entity = np.repeat(np.arange(1000) % 10 == 0, 5).astype(int), np.repeat(np.arange(1000), 5)
    for metric, rows in (("precision@k", 50), ("recall@k", 100), ("auc", 100)):
        sample = Sample(np.zeros((5000, 1)), y, entity=entity)
        assert sample.units(get_metric(metric), Top(k=50), 0.25, [np.arange(5000)]) == (rows / 5, False)


def test_a_large_entity_is_one_unit_and_a_mean_size_is_not_its_size():
    """Of 300 entities a tenth have 41 rows, the others one: they vary as 44 of one size do."""
    sizes = np.where(np.arange(300) % 10 == 0, 41, 1)
    entity = np.repeat(np.arange(300), sizes)
    n, y = len(entity), (np.arange(len(entity)) % 2 == 0).astype(int)
    worth = sizes.sum() ** 2 / (sizes**2).sum()
    assert worth == pytest.approx(44.4, abs=0.1)
    sample = Sample(np.zeros((n, 1)), y, entity=entity)
    for metric, rows in (("precision@k", 100), ("recall@k", y.sum() / 5)):
        found, hits = sample.units(get_metric(metric), Top(k=100), 0.25, [np.arange(n)])
        assert found <= 1.02 * rows * worth / n
        assert hits


@pytest.mark.parametrize("positive", [0, 1])
def test_the_worst_class_counts_and_the_report_counts_alike(positive):
    """Entities of nine are all positive, or all negative; those of one the reverse."""
    entity = np.r_[np.repeat(np.arange(50), 9), 50 + np.arange(450)]
    y = np.where(np.arange(900) < 450, positive, 1 - positive)
    metric, top = get_metric("recall@k"), Top(k=100)
    sample = Sample(np.zeros((900, 1)), y, entity=entity)
    units = sample.units(metric, top, 0.25, [np.arange(900)])
    assert units.n == pytest.approx(450 / 5 / (9 if positive else 5))
    about = Dataset("made", np.zeros((900, 1)), y, entity=entity).summary()
    given = {name: about[name] for name in ("items", "positives", "entities", "design_effect")}
    assert Units.of(metric, top, 0.25, **given) == units


def test_in_windows_an_entity_is_one_by_its_rows_in_a_window():
    """Ten machines with a row a day: in a week each has seven rows, in all ten weeks seventy."""
    day, entity = np.repeat(np.arange(70), 10), np.tile(np.arange(10), 70)
    y = (np.arange(700) % 3 == 0).astype(int)
    weeks = [np.flatnonzero(day // 7 == week) for week in range(2, 10)]
    sample = Sample(np.zeros((700, 1)), y, entity=entity)
    metric, top, ratio = get_metric("precision@k"), Top(k=35, out_of=70), 1 / 9
    in_windows, of_all = (sample.units(metric, top, ratio, tests) for tests in (weeks, [np.arange(700)]))
    assert in_windows == (35 / 7, True)
    assert of_all.n == 1


@pytest.mark.parametrize("distance", [0.0, 1.3, 1.56])
def test_it_covers_the_truth_where_models_are_nearly_perfect_or_useless(distance):
    """A small version of studies/claims/intervals.py, its seed fixed."""
    rng, units = np.random.default_rng(0), Units(3, hits=True)
    drawn = [runs(rng, 300, distance)[0] for _ in range(100)]
    truth = np.mean(drawn)
    ends = np.array([interval(one, 0.25, units=units, **ROWS) for one in drawn])
    assert np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])) >= 0.93

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

from attop.experiment import HeldOut, next_list
from attop.metrics import precision_at_k


def parts_of(y, scores, n_parts=5):
    rows = np.array_split(np.arange(len(y)), n_parts)
    return [HeldOut(r, y[r], scores[r]) for r in rows]


def sample(n=2000, seed=0, slope=1.5):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    return (rng.random(n) < 1 / (1 + np.exp(2.5 - slope * z))).astype(int), z


@pytest.mark.parametrize("entities", [False, True])
@pytest.mark.parametrize("gap", [1, 10**12, 2**53])
def test_numbers_of_rows_and_entities_are_names(gap, entities):
    y, scores = sample(400)
    other = scores + np.random.default_rng(1).normal(size=400)

    def found(factor):
        models = []
        for values in (scores, other):
            own = parts_of(y, values)
            entity = [part.rows // 2 if entities else None for part in own]
            models.append(
                [
                    HeldOut(
                        part.rows * factor + factor // 3,
                        part.y_true,
                        part.y_score,
                        None if of is None else of * factor,
                    )
                    for part, of in zip(own, entity, strict=True)
                ]
            )
        return next_list(models[0], 40, 400, rivals=models[1:])

    assert found(gap).sentence == found(1).sentence
    assert found(gap).optimism == pytest.approx(found(1).optimism, rel=1e-12)


@pytest.mark.parametrize("rounded", [False, True])
def test_mean_and_spread_are_those_of_lists_of_resampled_rows(rounded):
    """Lists drawn in the plain way: rows with random weights, then rows of the list."""
    y, scores = sample()
    scores = scores.round() if rounded else scores
    rng, hits = np.random.default_rng(1), []
    for _ in range(600):
        rows = rng.choice(len(y), 1000, p=rng.dirichlet(np.ones(len(y))))
        hits.append(60 * precision_at_k(y[rows], scores[rows], top=60))
    found = next_list(parts_of(y, scores, 1), 60, 1000)
    assert found.expected == pytest.approx(np.mean(hits), abs=1.5)
    # Ties are in one random order in a list, and in all orders at once in its precision.
    assert found.high - found.low == pytest.approx(4 * np.std(hits), rel=0.6 if rounded else 0.2)


@pytest.mark.parametrize("prevalence", [0.05, 0.1, 0.3])
def test_of_another_prevalence_it_is_that_of_lists_with_so_many_positives(prevalence):
    y, scores = sample(4000)
    rng, hits = np.random.default_rng(1), []
    for _ in range(300):
        n_pos = rng.binomial(1000, prevalence)
        rows = np.r_[
            rng.choice(np.flatnonzero(y == 1), n_pos), rng.choice(np.flatnonzero(y == 0), 1000 - n_pos)
        ]
        hits.append(60 * precision_at_k(y[rows], scores[rows], top=60))
    found = next_list(parts_of(y, scores, 1), 60, 1000, prevalence=prevalence)
    assert found.expected == pytest.approx(np.mean(hits), abs=1.5)
    assert found.low <= np.quantile(hits, 0.03)
    assert found.high >= np.quantile(hits, 0.97)
    same = next_list(parts_of(y, scores), 60, 1000, prevalence=float(y.mean()))
    assert same.sentence == next_list(parts_of(y, scores), 60, 1000).sentence


def test_rows_of_an_entity_are_no_independent_rows():
    """Eight rows of one score and label are one row to the sample and to the list."""
    y, scores = sample()
    one = next_list(parts_of(y, scores), 60, 1000)
    y8, scores8, entity = (np.repeat(a, 8) for a in (y, scores + 0.0, np.arange(len(y))))
    rows = np.array_split(np.arange(len(y8)), 5)
    parts = [HeldOut(r, y8[r], scores8[r], entity[r]) for r in rows]
    eight = next_list(parts, 480, 8000)
    assert eight.high - eight.low == pytest.approx(8 * (one.high - one.low), rel=0.1)
    assert eight.expected - eight.least == pytest.approx(8 * (one.expected - one.least), rel=0.15)
    assert "8.0 times 10 held-out rows at the top are needed, as rows" in next_list(parts, 30, 8000).reason
    rivals = [[HeldOut(p.rows, p.y_true, -p.y_score, p.entity) for p in parts]]
    assert next_list(parts, 480, 8000, rivals=rivals).optimism < 1


@pytest.mark.parametrize(("fewest", "most"), [(5, 5), (1, 41)])
def test_the_band_holds_lists_of_entities_whose_rows_come_together(fewest, most):
    """Lists drawn in the plain way: entities with random weights, whole, until the list is full."""
    rng, entities = np.random.default_rng(0), 1000
    sizes = rng.integers(fewest, most + 1, entities)
    y = (rng.random(entities) < 0.15).astype(int)
    z = rng.normal(size=entities) + 2 * y
    entity = np.repeat(np.arange(entities), sizes)
    part = (np.arange(entities) % 5)[entity]
    rows = [np.flatnonzero(part == j) for j in range(5)]
    length = len(entity)
    found = next_list([HeldOut(r, y[entity[r]], z[entity[r]], entity[r]) for r in rows], length // 10, length)
    held = []
    for _ in range(300):
        drawn = rng.choice(entities, entities, p=rng.dirichlet(np.ones(entities)))
        drawn = np.repeat(drawn, sizes[drawn])
        drawn = np.resize(drawn, length)[np.argsort(-z[np.resize(drawn, length)], kind="stable")]
        path = np.cumsum(y[drawn])[found.ks - 1]
        held.append(((found.band_low <= path) & (path <= found.band_high)).all())
    assert np.mean(held) >= 0.93


def test_lists_with_a_few_large_entities_are_as_uncertain_as_these():
    """How much hits vary rests on few large entities, and another list has others."""
    rng, inside = np.random.default_rng(1), []
    for seed in range(12):
        found = next_list(parts_of_entities(*heavy_tailed(rng)), 150, 1500, random_state=seed)
        for _ in range(60):
            y, z, _ = heavy_tailed(rng)
            hits = 150 * precision_at_k(y, z, round(0.1 * len(y)))
            inside.append(found.low <= hits <= found.high)
    assert np.mean(inside) >= 0.93, "0.889 by the variance alone"


def test_of_too_few_entities_at_the_top_nothing_is_promised():
    """Thirty rows of each of two good customers, and single rows: both may be another one's list."""
    sizes = np.r_[30, 30, np.ones(440, int)]
    y = np.r_[1, 1, np.arange(440) % 20 == 0].astype(int)
    z = np.r_[9.0, 8.0, np.random.default_rng(0).normal(size=440)]
    entity = np.repeat(np.arange(442), sizes)
    reason = next_list(parts_of_entities(y[entity], z[entity], entity), 60, 500).reason
    assert "held-out entities at the top are needed, and those there are, of unequal size, count as" in reason


def parts_of_entities(y, z, entity):
    part = entity % 5
    rows = [np.flatnonzero(part == j) for j in range(5)]
    return [HeldOut(r, y[r], z[r], entity[r]) for r in rows]


def heavy_tailed(rng):
    """Return labels, scores and entities, of 2 to 3 rows on average and up to some dozens, all alike."""
    sizes = np.ceil(rng.lognormal(0.5, 1.2, 500)).astype(int)
    y = (rng.random(500) < 0.15).astype(int)
    z = rng.normal(size=500) + 2 * y
    entity = np.repeat(np.arange(500), sizes)
    return y[entity], z[entity], entity


def test_rows_that_are_entities_themselves_are_rows():
    y, scores = sample()
    parts = parts_of(y, scores)
    of_rows = next_list(parts, 50, 1000)
    of_entities = next_list([HeldOut(p.rows, p.y_true, p.y_score, p.rows) for p in parts], 50, 1000)
    assert (of_rows.low, of_rows.high) == (of_entities.low, of_entities.high)
    assert_array_equal(of_rows.band_high, of_entities.band_high)


def test_the_mean_is_known_better_than_a_list():
    y, scores = sample()
    found = next_list(parts_of(y, scores), 60, 1000)
    assert found.low < found.least < found.expected
    many = next_list(parts_of(*sample(80_000)), 60, 1000)
    assert many.expected - many.least < (found.expected - found.least) / 3
    means = [
        60 * precision_at_k(y[r], scores[r], top={"tau": 0.06})
        for r in np.random.default_rng(0).integers(len(y), size=(400, len(y)))
    ]
    assert found.least == pytest.approx(np.quantile(means, 0.025), abs=1.5)


def test_from_a_large_sample_it_is_the_draw_alone():
    y = np.random.default_rng(0).random(200_000) < 0.3
    found = next_list(parts_of(y.astype(int), np.zeros(len(y))), 100, 1000)
    low, high = binom(100, 0.3).ppf([0.025, 0.975])
    assert abs(found.low - low) <= 1
    assert abs(found.high - high) <= 1


def test_expected_is_the_share_at_the_top_of_the_parts():
    y, scores = sample(5000)
    found = next_list(parts_of(y, scores), 100, 1000)
    shares = [precision_at_k(p.y_true, p.y_score, top=100) for p in parts_of(y, scores)]
    assert found.expected == pytest.approx(100 * np.mean(shares), abs=1)


def test_scores_count_by_their_order_and_rows_once():
    y, scores = sample()
    parts, found = parts_of(y, scores), next_list(parts_of(y, scores), 50, 1000)
    for other in ([HeldOut(p.rows, p.y_true, np.exp(3 * p.y_score)) for p in parts], [*parts, *parts]):
        again = next_list(other, 50, 1000)
        assert (again.low, again.high) == (found.low, found.high)
        assert_allclose(again.path, found.path)


def test_the_band_holds_the_path_and_is_wider_than_each_interval():
    y, scores = sample()
    found = next_list(parts_of(y, scores), 50, 1000)
    at = found.ks == 50
    assert found.ks[0] == 1
    assert found.ks[-1] == 150
    assert found.band_low[at] <= found.low <= found.expected <= found.high <= found.band_high[at]
    assert (np.diff(found.path) >= 0).all()
    assert (found.band_high <= found.ks).all()


def test_a_whole_list_has_the_positives_that_rows_have():
    y, scores = sample()
    found = next_list(parts_of(y, scores), 500, 500)
    assert found.expected == pytest.approx(500 * y.mean(), abs=3)
    assert_array_equal(found.ks[-1], 500)


def test_optimism_is_taken_off_the_best_of_equal_models_and_not_off_copies():
    y, z = sample(slope=1)
    noise = np.random.default_rng(3).normal(size=(len(y), 6))
    models = [parts_of(y, z + noise[:, m]) for m in range(6)]
    found = next_list(models[0], 50, 1000, rivals=models[1:])
    assert 0.3 < found.optimism < 5
    assert found.expected < next_list(models[0], 50, 1000).expected
    assert next_list(models[0], 50, 1000, rivals=[models[0]]).optimism == pytest.approx(0, abs=0.15)


@pytest.mark.parametrize(("positives", "k", "reason"), [(4, 50, "positives"), (40, 4, "rows at the top")])
def test_a_small_sample_promises_nothing(positives, k, reason):
    y = (np.arange(1000) < positives).astype(int)
    found = next_list([HeldOut(np.arange(1000), y, -np.arange(1000.0))], k, 1000)
    assert reason in found.reason
    assert np.isnan([found.expected, found.low, found.high, *found.path]).all()


Y, Z = sample(100)


@pytest.mark.parametrize(
    ("rows", "labels", "scores", "message"),
    [
        ([0, 0], [1, 0], [1.0, 2.0], "rows must be a row number"),
        ([-1, 0], [1, 0], [1.0, 2.0], "rows must be a row number"),
        ([True, False], [1, 0], [1.0, 2.0], "rows must be a row number"),
        ([0], [1, 0], [1.0, 2.0], "rows must be a row number"),
        ([0, 1], [2, 0], [1.0, 2.0], "y"),
        ([0, 1], [1, 0], [1.0], "scores must have shape"),
        ([0, 1], [1, 0], [1.0, np.nan], "NaN"),
    ],
)
def test_parts_are_checked(rows, labels, scores, message):
    with pytest.raises(ValueError, match=message):
        HeldOut(rows, labels, scores)


@pytest.mark.parametrize("entity", [["ann", "bob"], [-1, 0], [0]])
def test_entities_are_checked(entity):
    with pytest.raises(ValueError, match="entity must be a number, from 0"):
        HeldOut([0, 1], [1, 0], [1.0, 2.0], entity)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"k": 0}, "k"),
        ({"k": 11}, "k"),
        ({"confidence": 1}, "confidence"),
        ({"prevalence": 1.0}, "prevalence"),
        ({"parts": []}, "parts"),
        ({"k": 2.5}, "k must be an integer"),
        ({"length": "10"}, "length must be an integer"),
        ({"random_state": -1}, "random_state must be an integer of at least 0"),
        ({"parts": parts_of(Y, Z)[0]}, "a list of HeldOut"),
        ({"rivals": [parts_of(Y, Z)[:2]]}, "rivals must have the rows and labels of parts"),
        ({"parts": [*parts_of(Y, Z), HeldOut(np.arange(100), 1 - Y, Z)]}, "one of the rows two labels"),
    ],
)
def test_bad_parameters(change, name):
    with pytest.raises(ValueError, match=name):
        next_list(**{"parts": parts_of(Y, Z), "k": 5, "length": 10, **change})


def test_rows_and_entities_may_have_any_numbers():
    """Identifiers near 10^12 take no more memory than row numbers, and give the same list."""
    y, scores = sample(600)
    rival = np.random.default_rng(3).normal(size=600)
    names = np.repeat(np.arange(120), 5)

    def found(far, entity):
        parts, others = parts_of(y, scores), parts_of(y, rival)
        codes = names + far if entity else None
        moved = []
        for model in (parts, others):
            own = [None if codes is None else codes[part.rows] for part in model]
            pairs = zip(model, own, strict=True)
            moved.append([HeldOut(p.rows + far, p.y_true, p.y_score, its) for p, its in pairs])
        return next_list(moved[0], 40, 600, rivals=moved[1:])

    for entity in (False, True):
        near, away = found(0, entity), found(10**12, entity)
        assert away.sentence == near.sentence
        assert_allclose(away.optimism, near.optimism)

"""AATP's generalisation bounds, and the errata of its paper."""

import doctest
from itertools import product

import numpy as np
import pytest
from studies.theory.aatp_bounds import aatp_bound, aatp_kernel_bound, top_margin_loss

from support import ROOT


def test_margin_loss_is_the_mean_over_pairs():
    rng = np.random.default_rng(0)
    scores, y = rng.standard_normal(12), rng.permutation([1] * 4 + [0] * 8)
    for t, rho in product((-0.5, 0.0, 0.7), (0.1, 1.0, 5.0)):

        def phi(u, rho=rho):
            return 1.0 if u <= 0 else max(0.0, 1.0 - u / rho)

        pairs = [(a, b) for a in scores[y == 0] for b in scores[y == 1]]
        definition = sum(phi(t - a) + phi(b - t) for a, b in pairs) / (2 * len(pairs))
        assert top_margin_loss(scores, y, threshold=t, rho=rho) == pytest.approx(definition)
    # Tiny margin, no ties: the fraction of items on the wrong side.
    wrong = 0.5 * ((scores[y == 0] > 0).mean() + (scores[y == 1] < 0).mean())
    assert top_margin_loss(scores, y, threshold=0.0, rho=1e-12) == pytest.approx(wrong)


def test_corollary_1_by_hand():
    # m = 200, delta = 2 exp(-4): log(2 / delta) = 4, so that the last term is 3 sqrt(4 / 400).
    delta = 2 * np.exp(-4)
    found = aatp_bound(0.25, (0.03, 0.05), rho=2.0, score_bound=3.0, m=200, delta=delta)
    assert found.complexity == pytest.approx(0.04)
    assert found.threshold == pytest.approx(3 / np.sqrt(200))
    assert found.confidence == pytest.approx(0.3)
    assert found.bound == pytest.approx(sum(found[1:]))
    true = aatp_bound(0.25, (0.03, 0.05), rho=2.0, score_bound=3.0, m=200, delta=np.exp(-4), empirical=False)
    assert true.confidence == pytest.approx(0.1)
    assert true.bound == pytest.approx(0.25 + 0.04 + 3 / np.sqrt(200) + 0.1)


def test_corollary_2_by_hand():
    plain = aatp_kernel_bound(0.2, rho=0.5, norm=2.0, radius=3.0, m=400, delta=np.exp(-8))
    assert plain.complexity + plain.threshold == pytest.approx(4 * 3 * 2 / 0.5 / 20)
    assert plain.confidence == pytest.approx(0.1)
    # sqrt(900 / 3600) + sqrt(400 / 3600) + 2 = 1/2 + 1/3 + 2
    given = aatp_kernel_bound(
        0.2, rho=0.5, norm=2.0, radius=3.0, m=400, delta=2 * np.exp(-8), traces=(900, 400)
    )
    assert given.complexity + given.threshold == pytest.approx(3 * 2 / 0.5 / 20 * (1 / 2 + 1 / 3 + 2))
    assert given.confidence == pytest.approx(0.3)
    assert given.bound == pytest.approx(sum(given[1:]))


def test_corollary_2_is_corollary_1_for_a_ball():
    K = np.array([2.0, 1.0, 0.5])  # diagonal of a kernel matrix
    norm, radius, m = 1.5, np.sqrt(2.0), 3
    complexity = norm * np.sqrt(K.sum()) / m
    first = aatp_bound(0.1, (complexity, complexity), rho=0.3, score_bound=norm * radius, m=m)
    second = aatp_kernel_bound(0.1, rho=0.3, norm=norm, radius=radius, m=m, traces=(K.sum(), K.sum()))
    assert second == pytest.approx(first)


def test_bounds_move_the_right_way():
    settings = {"rho": 0.5, "norm": 2.0, "radius": 1.0, "m": 1000, "delta": 0.05}
    base = aatp_kernel_bound(0.1, **settings).bound
    for name, factor, sign in (
        ("rho", 2, -1),
        ("norm", 2, 1),
        ("radius", 2, 1),
        ("m", 2, -1),
        ("delta", 2, -1),
    ):
        changed = aatp_kernel_bound(0.1, **{**settings, name: settings[name] * factor}).bound
        assert sign * (changed - base) > 0
    assert aatp_kernel_bound(0.2, **settings).bound == pytest.approx(base + 0.1)
    assert aatp_kernel_bound(0.1, **settings, traces=(500, 500)).complexity < (
        aatp_kernel_bound(0.1, **settings, traces=(1000, 500)).complexity
    )
    # More pairs: everything but the loss goes to zero.
    assert aatp_kernel_bound(0.1, **{**settings, "m": 10**12}).bound == pytest.approx(0.1, abs=1e-4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rho": 0.0}, "rho must be"),
        ({"m": 0}, "m must be"),
        ({"m": 1.5}, "m must be"),
        ({"delta": 1.0}, "delta must"),
        ({"norm": -1.0}, "norm must be"),
        ({"radius": np.inf}, "radius must be"),
        ({"traces": (1e6, 1.0)}, "traces must be"),
        ({"margin_loss": 1.1}, "margin_loss must"),
    ],
)
def test_kernel_bound_refuses(changes, message):
    with pytest.raises(ValueError, match=message):
        aatp_kernel_bound(**{"margin_loss": 0.1, "rho": 1.0, "norm": 1.0, "radius": 1.0, "m": 100, **changes})


def test_others_refuse():
    with pytest.raises(ValueError, match="complexities"):
        aatp_bound(0.1, (0.1, -0.1), rho=1.0, score_bound=1.0, m=10)
    with pytest.raises(ValueError, match="a positive and a negative"):
        top_margin_loss([1.0, 2.0], [1, 1], threshold=0.0, rho=1.0)
    with pytest.raises(ValueError, match="shape"):
        top_margin_loss([1.0, 2.0, 3.0], [1, 0], threshold=0.0, rho=1.0)
    with pytest.raises(ValueError, match="threshold"):
        top_margin_loss([1.0, 2.0], [1, 0], threshold=np.nan, rho=1.0)


def test_errata_hold():
    page = ROOT / "docs" / "errata" / "aatp.md"
    results = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.attempted >= 15
    assert results.failed == 0

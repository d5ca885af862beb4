"""The bounds of the page are those of the theory at their most favourable, and say what they say they do."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from studies.bounds import aatp, perceptrons, push
from studies.theory import aatp_kernel_bound, push_bound, top_margin_loss

from attop_bench.data import make

WDBC = make("wdbc")


def test_no_model_of_the_class_means_has_a_smaller_bound():
    apart, every = aatp(0, {"ionosphere": WDBC}).to_dict("records")
    assert (apart["n"], every["n"]) == (212, 212 * 357)
    assert every["bound"] < apart["bound"]
    X, y = StandardScaler().fit_transform(WDBC.X), WDBC.y
    w = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    given = {"norm": np.linalg.norm(w), "radius": np.linalg.norm(X, axis=1).max()}
    threshold = np.sort(X @ w)[-109]  # ceil(0.19 * 569)
    for rho in np.abs(X @ w - threshold).max() * np.logspace(-3, 3, 61):
        loss = top_margin_loss(X @ w, y, threshold=threshold, rho=rho)
        for row in (apart, every):
            assert row["bound"] <= aatp_kernel_bound(loss, rho=rho, m=row["n"], **given) + 1e-12


def test_mistakes_are_at_most_the_bound_and_what_can_be_made():
    rows = perceptrons(0, {"a9a": WDBC}, batch_size=100)
    assert list(rows["setting"]) == ["avg", "max"]
    assert (rows["measured"] > 0).all()
    assert (rows["measured"] <= rows[["bound", "limit"]].min(axis=1)).all()


@pytest.mark.parametrize("p", [1, 2, 4])
def test_from_the_negatives_needed_on_the_theorem_says_something(p):
    rows = push(0, {"wdbc": make("wdbc", n_features=6)}).set_index("setting")
    needed = 10 ** rows.loc[f"p = {p}", "needed"]
    for factor, vacuous in ((0.999, True), (1.001, False)):
        found = push_bound(0.5, 0.5, p=p, n_pos=10**9, n_neg=factor * needed, n_rankers=6)
        assert (found >= 0) == vacuous

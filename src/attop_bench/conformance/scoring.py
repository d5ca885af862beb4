"""Checks of scores: those of an item are a matter of its features and the model alone."""

from __future__ import annotations

import pickle

import numpy as np

from attop_bench.conformance.method import Failed, Method, easy_sample, expect, same, score

__all__ = [
    "pickles",
    "scores_equal_items_equally",
    "scores_in_any_order",
    "scores_items_alone",
    "scores_twice",
]


def scores_twice(method: Method) -> None:
    """Scoring twice gives the same scores."""
    sample = easy_sample()
    model = method.fit(sample)
    same(score(model, sample.X), score(model, sample.X), "scored twice")


def scores_in_any_order(method: Method) -> None:
    """The order of the items does not matter to their scores."""
    sample = easy_sample()
    model, order = method.fit(sample), np.random.default_rng(0).permutation(len(sample.y))
    same(score(model, sample.X)[order], score(model, sample.X[order]), "in another order")


def scores_items_alone(method: Method) -> None:
    """An item's score does not depend on the others that are scored."""
    sample = easy_sample()
    model = method.fit(sample)
    parts = [score(model, sample.X[:1]), score(model, sample.X[1:20]), score(model, sample.X[20:])]
    same(score(model, sample.X), np.concatenate(parts), "in parts")


def scores_equal_items_equally(method: Method) -> None:
    """Equal items get equal scores."""
    sample = easy_sample()
    scores = score(method.fit(sample), np.repeat(sample.X[:5], 3, axis=0)).reshape(5, 3)
    same(scores[:, :1].repeat(3, axis=1).ravel(), scores.ravel(), "of the same item three times")


def pickles(method: Method) -> None:
    """A fitted model can be pickled, and scores the same afterwards."""
    sample = easy_sample()
    model = method.fit(sample)
    try:
        copy = pickle.loads(pickle.dumps(model))
    except Exception as error:
        raise Failed(f"{type(error).__name__}: {error}") from error
    expect(type(copy) is type(model), f"it becomes a {type(copy).__name__}")
    same(score(model, sample.X), score(copy, sample.X), "before and after")

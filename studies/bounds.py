"""Values of the bounds of three papers on the papers' own data, each at its most favourable."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from attop.extending import Batches, Floats, Ints, MistakeDriven, Top, descend
from attop_bench.data.base import Dataset
from attop_bench.data.splits.protocols import make_folds
from attop_bench.papers.findings import Findings, Plot, Table, Tables
from attop_bench.papers.pictures import COLOURS, panels
from attop_bench.report.figures.scene import INK, figure_theme
from attop_bench.run.paper import Simulation
from studies.pnorm2005.rounds import TRAIN, train_push
from studies.publish import Sizes
from studies.theory import (
    aatp_bound,
    aatp_kernel_bound,
    log_covering_number,
    mistake_bound,
    push_bound,
    push_risk,
    rademacher,
    top_margin_loss,
)

#: The first top of each table of Boyd et al. (2012); data sets of Rudin (2005).
_TAU = {"ionosphere": 0.19, "housing": 0.06, "spambase": 0.09}
_OF_PUSH = ("pima", "wdbc", "tic-tac-toe", "housing")
_POWERS = (1, 2, 4, 8, 16, 64)
#: The deviation and the margin of theorem 2 ask for little: the risk lies in [0, 1].
_HALF = 0.5
#: Margins at which theorem 2's right side is measured, of scores of which none exceeds 1.
_MARGINS = (0, 0.01, 0.05)
_ALL, _APART = "all pairs", "independent pairs"
_SHIFT = {_ALL: -0.15, _APART: 0.15, "avg": -0.15, "max": 0.15}
#: Probability that a bound of AATP may fail, over all models and margins tried; factors of the margins.
_RISK, _FACTORS = 0.05, np.logspace(-3, 3, 61)
#: Halves of the data on which errors are measured, and a margin that counts wrong sides alone.
_HALVES, _NO_MARGIN = 10, 1e-12
#: What stands beside a bound, by paper: an error of rows not seen, or mistakes on the batches that train.
_FOUND = {"AATP": "measured", "PREC": "counted"}
SIMULATIONS = {
    "aatp": Simulation("studies.bounds.aatp", tuple(_TAU)),
    "perceptrons": Simulation("studies.bounds.perceptrons", ("letter", "ijcnn1", "a9a")),
    "push": Simulation("studies.bounds.push", _OF_PUSH),
    "sides": Simulation("studies.bounds.sides", _OF_PUSH),
}
_COLUMNS = ["statement", "dataset", "setting", "n", "measured", "counted", "bound", "limit"]


def aatp(seed: int, data: Mapping[str, Dataset]) -> pd.DataFrame:
    """Return theorem 1 and corollary 2 of Boyd et al. (2012), the least bound over models and margins.

    The bounds hold for all models and margins tried at once: each has an equal share of the risk. Their n
    pairs are independent: a sample has as many as items of the rarer class. Beside it stands the number with
    all pairs taken for such. `measured` is the error about the threshold of rows that the model has not seen.
    """
    rows = []
    for name, dataset in data.items():
        top = Top(tau=_TAU[name])
        errors = _held_out_errors(dataset.matrix, dataset.y, top, seed)
        least: dict[tuple[str, str, int], tuple[float, float]] = {}
        for direction, statement, setting, n, bound in _aatp_bounds(dataset.matrix, dataset.y, top, seed):
            key = (statement, setting, n)
            least[key] = min(least.get(key, (math.inf, math.nan)), (bound, errors[direction]))
        for (statement, setting, n), (bound, measured) in least.items():
            rows.append((statement, name, setting, n, measured, math.nan, bound, 1))
    return pd.DataFrame(rows, columns=_COLUMNS)


def _aatp_bounds(
    features: Floats, y: Ints, top: Top, seed: int
) -> Iterator[tuple[int, str, str, int, float]]:
    """Yield number of the direction, statement, setting, n and bound, for all directions and margins."""
    X = StandardScaler().fit_transform(features)
    n_pos, n_neg = int(y.sum()), int((1 - y).sum())
    n_apart = min(n_pos, n_neg)
    radius = float(np.linalg.norm(X, axis=1).max())
    rng = np.random.default_rng(seed)
    negatives, positives = (
        rademacher(X[rng.permutation(np.flatnonzero(y == label))[:n_apart]], 1.0, seed) for label in (0, 1)
    )
    directions = list(_directions(X, y))
    delta = _RISK / (len(directions) * len(_FACTORS))
    for direction, w in enumerate(directions):
        scores = X @ w
        norm = float(np.linalg.norm(w))
        threshold = _threshold_of(scores, y, top)
        largest = float(np.abs(scores).max())
        loss_at = partial(top_margin_loss, scores, y, threshold=threshold)
        for rho in np.abs(scores - threshold).max() * _FACTORS:
            loss = loss_at(rho=rho)
            for setting, n in ((_APART, n_apart), (_ALL, n_pos * n_neg)):
                bound = aatp_kernel_bound(loss, rho=rho, norm=norm, radius=radius, m=n, delta=delta)
                yield direction, "AATP, corollary 2", setting, n, bound
        complexities = (norm * negatives, norm * positives)
        for rho in largest * _FACTORS:
            bound = aatp_bound(
                loss_at(rho=rho), rho=rho, largest=largest, complexities=complexities, m=n_apart, delta=delta
            )
            yield direction, "AATP, theorem 1", _APART, n_apart, bound


def _held_out_errors(features: Floats, y: Ints, top: Top, seed: int) -> Floats:
    """Return the mean error of each direction on halves that neither it nor its threshold has seen."""
    halves = StratifiedShuffleSplit(_HALVES, test_size=0.5, random_state=seed)
    errors = []
    for train, test in halves.split(features, y):
        scaler = StandardScaler().fit(features[train])
        X_train, X_test = (scaler.transform(features[rows]) for rows in (train, test))
        errors.append(
            [
                top_margin_loss(
                    X_test @ w, y[test], threshold=_threshold_of(X_train @ w, y[train], top), rho=_NO_MARGIN
                )
                for w in _directions(X_train, y[train])
            ]
        )
    return np.mean(errors, axis=0)


def _threshold_of(scores: Floats, y: Ints, top: Top) -> float:
    """Return the lowest score of the top."""
    k = top.resolve(len(y), int(y.sum()))
    return float(np.sort(scores)[-k])


def sides(seed: int, data: Mapping[str, Dataset], splits: int = 10) -> pd.DataFrame:
    """Return both sides of theorem 2 of Rudin (2005): the risk in test, and that at a margin in training.

    Models are scaled to weights that sum to 1, as the theorem has them. A row per data set and p: means over
    splits.
    """
    rows = []
    for name, one in data.items():
        for split in range(splits):
            [fold] = make_folds("holdout", one, split, seed, train=TRAIN[name], inner_folds=2)
            X = MinMaxScaler().fit(one.matrix[fold.train]).transform(one.matrix)
            for p in _POWERS:
                w = train_push(p, X[fold.train], one.y[fold.train]).coef_
                scores = X @ w / np.abs(w).sum()
                test, train = ((scores[its], one.y[its]) for its in (fold.test, fold.train))
                at_margins = [push_risk(*train, p=p, theta=theta) for theta in _MARGINS]
                rows.append((name, p, push_risk(*test, p=p), *at_margins))
    columns = ["dataset", "p", "test", *(f"training, margin {theta}" for theta in _MARGINS)]
    return pd.DataFrame(rows, columns=columns).groupby(["dataset", "p"], sort=False).mean().reset_index()


def perceptrons(seed: int, data: Mapping[str, Dataset], batch_size: int = 500) -> pd.DataFrame:
    """Return the mistake bounds of Kar et al. (2015), theorems 7 and 9, the least over models u but 0.

    n are the batches of five passes, `counted` the mistakes on them and `limit` those that can be made: the
    theorems are about the very batches that train, so that nothing is measured on rows not seen.
    """
    rows = []
    for name, one in data.items():
        X = StandardScaler().fit_transform(
            one.matrix.toarray() if hasattr(one.matrix, "toarray") else one.matrix
        )
        variants: tuple[tuple[Literal["avg", "max"], str], ...] = (("avg", "7"), ("max", "9"))
        for variant, theorem in variants:
            how, state = (X, one.y, Top(kappa=0.25), batch_size), MistakeDriven(X.shape[1], variant)
            run = descend(Batches(*how, np.random.RandomState(seed)), state, epochs=5)
            batches = Batches(*how, np.random.RandomState(seed))
            seen = [batch for _ in range(run.n_iter) for batch in batches.one_pass()]
            bound = min(
                mistake_bound(seen, w * scale / np.linalg.norm(w), variant=variant)
                for w in (*_directions(X, one.y), run.coef[:, 0])
                for scale in np.logspace(-4, 1, 11)
            )
            most = sum(min(batch.k, len(batch.rows) - batch.n_pos) for batch in seen)
            counts = (len(seen), math.nan, state.n_mistakes, bound, most)
            rows.append((f"PREC, theorem {theorem}", name, variant, *counts))
    return pd.DataFrame(rows, columns=_COLUMNS)


def push(seed: int, data: Mapping[str, Dataset]) -> pd.DataFrame:
    """Return theorem 2 of Rudin (2005): the probability of a deviation by a half, at a margin of a half.

    n are the negatives there, `needed` is the logarithm to base 10 of those from which the bound can be below
    1, however many positives there are.
    """
    rows = []
    for name, one in data.items():
        share, J = TRAIN[name] / len(one.y), one.matrix.shape[1]
        n_pos, n_neg = round(share * one.y.sum()), round(share * (1 - one.y).sum())
        covering = math.log(2) + log_covering_number(_HALF * _HALF / 8, J)
        for p in _POWERS:
            log_bound = push_bound(_HALF, _HALF, p=p, n_pos=n_pos, n_neg=n_neg, n_rankers=J)
            needed = math.log10(covering / 2) - 2 * p * math.log10(_HALF / 4)
            numbers = (n_neg, math.nan, math.nan, math.exp(min(0, log_bound)), 1, needed)
            rows.append(("PUSH, theorem 2", name, f"p = {p}", *numbers))
    return pd.DataFrame(rows, columns=[*_COLUMNS, "needed"])


def _directions(X: Floats, y: Ints) -> Iterator[Floats]:
    """Yield the difference of the means and logistic regressions: the bounds are of all models at once."""
    yield X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    for C in (1e-4, 1e-2, 1.0):
        yield LogisticRegression(C=C, max_iter=1000).fit(X, y).coef_[0]


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return all bounds, a row each."""
    bounds = pd.concat([results[name] for name in ("aatp", "perceptrons", "push")], ignore_index=True)
    return {"bounds": bounds, "sides": results["sides"]}


def findings(tables: Tables) -> Findings:
    """Return the page."""
    bounds = tables["bounds"]
    shares = {
        name: (bounds[name] / bounds["limit"]).map("{:.0%}".format)
        for name in ("measured", "counted", "bound")
    }
    shares = {name: cells.replace("nan%", "–") for name, cells in shares.items()}
    cells = bounds.assign(**shares)[bounds["needed"].isna() & (bounds["setting"] != _ALL)]
    return Findings(
        title="Bounds: what the theorems promise on the papers' data",
        answer="Holds",
        short="No counterexample was seen; nearly all bounds allow whatever can happen.",
        citation="The statements are those of AATP (2012), PREC (2015) and PUSH (2005).",
        verdict=list(_verdict(bounds)),
        picture=_picture(bounds),
        tables=[
            Table("Of what can happen", cells[["statement", "dataset", "n", "measured", "counted", "bound"]]),
            Table(
                "Both sides of theorem 2 of PUSH",
                tables["sides"].round(3).astype({"p": int}),
                "The risk with the price of power p on the test part, which the theorem bounds by that of "
                "the training part at a margin and a deviation, with the probability of the picture. Means "
                "over ten splits, 200 rounds.",
            ),
        ],
        reasons=(
            "Every bound is the least over a few models, lengths and margins; n are its pairs or batches. "
            f"Those of AATP hold for all of these at once with {1 - _RISK:.0%}. Their error is measured on "
            f"the half of the data that does not train, the mean over {_HALVES} draws. The perceptrons' "
            "mistakes are counted on the very batches that train them, of which their theorems are. "
            "Theorem 2 of PUSH has a deviation and a margin of a half; smaller ones need more.",
            "Theorem 1 of AATP has the largest score of the sample for M, and the mean norm of 200 draws "
            "of signs. A sample has as many independent pairs as items of its rarer class. AATP's error of "
            "the threshold, a term without a constant, is left out.",
            "Theorem 2 of PAP has a constant that is not printed.",
        ),
        files={"bounds": "all bounds", "sides": "both sides of theorem 2"},
    )


def _verdict(bounds: pd.DataFrame) -> Iterator[str]:
    its = bounds.assign(made=bounds["counted"] / bounds["limit"], share=bounds["bound"] / bounds["limit"])
    asked = its[its["setting"] != _ALL]["share"] >= 1
    said = "Vacuous" if asked.all() else "Next to vacuous"
    theorem = its[its["statement"] == "AATP, theorem 1"]
    best = theorem.loc[theorem["bound"].idxmin()]
    yield (
        "**No counterexample was seen. The theorems promise next to nothing: the best bound on an error "
        f"of at most 1 is {best['bound']:.2f}, on {best['dataset']}, where {best['measured']:.2f} is "
        "measured on rows that the model has not seen. "
        f"{said}: {'all' if asked.all() else 'all others'} allow whatever can happen.**"
    )
    corollary = its[its["statement"] == "AATP, corollary 2"]
    (a, b), (c, d) = (
        corollary[corollary["setting"] == setting]["bound"].agg(["min", "max"]) for setting in (_APART, _ALL)
    )
    yield (
        f"AATP's corollary 2 bounds an error of at most 1 by {a:.2f} to {b:.2f}. Were all pairs "
        f"independent: {c:.2f} to {d:.2f}; a model that ranks nothing has 0.5. Theorem 1 by the sample's "
        f"Rademacher complexity: {theorem['bound'].min():.2f} to {theorem['bound'].max():.2f}."
    )
    prec, push = its[its["statement"].str.startswith("PREC")], its[its["needed"].notna()]
    yield (
        f"The perceptrons make {prec['made'].min():.0%} to {prec['made'].max():.0%} of the mistakes that can "
        f"be made; theorems 7 and 9 allow at least {prec['share'].min():.0%}."
    )
    yield (
        f"PUSH's theorem 2 needs 10^{push['needed'].min():.0f} negatives at p = {_POWERS[0]} and "
        f"10^{push['needed'].max():.0f} at p = {_POWERS[-1]}: {push['n'].min()} to {push['n'].max()} are "
        "there."
    )


def sizes(tables: Tables) -> Sizes:
    """Return the least bound of each theorem and what is found, as shares of what can happen."""
    its = tables["bounds"].query("setting != @_ALL")
    found = its["measured"].fillna(its["counted"]) / its["limit"]
    its = its.assign(found=found, bound=its["bound"] / its["limit"]).dropna(subset="found")
    its = its.loc[its.groupby("statement", sort=False)["bound"].idxmin()]
    names = its["statement"] + "\n" + its["dataset"]
    shares = zip(names, its["found"], its["bound"], strict=True)
    return Sizes("share of what can happen", ("found", "bound"), {name: (a, b) for name, a, b in shares})


def _picture(bounds: pd.DataFrame) -> Plot:
    canvas, axes = panels(["AATP: error", "PREC: share of mistakes", "PUSH: negatives needed"], 2.7)
    with figure_theme():
        for one, paper in zip(axes, ("AATP", "PREC"), strict=False):
            rows = bounds[
                bounds["statement"].str.startswith(paper) & (bounds["statement"] != "AATP, theorem 1")
            ]
            names = list(dict.fromkeys(rows["dataset"]))
            for row in rows.to_dict("records"):
                y = names.index(row["dataset"]) + _SHIFT[row["setting"]]
                found, bound = row[_FOUND[paper]] / row["limit"], row["bound"] / row["limit"]
                one.plot([found, bound], [y, y], color=COLOURS["open"], zorder=1)
                one.plot(found, y, "o", color=INK, markerfacecolor="white", markersize=5)
                one.plot(bound, y, "o", color=COLOURS["below" if bound >= 1 else "open"], markersize=5)
            one.axvline(1, color=INK, linewidth=0.8, linestyle=":")
            one.set_yticks(range(len(names)), names)
            one.set(xlim=(0, 1.5), ylim=(len(names) - 0.4, -0.6), xlabel=f"{_FOUND[paper]} (hollow), bound")
        for _, line in bounds[bounds["needed"].notna()].groupby("dataset"):
            axes[2].plot(line["setting"].str[4:], line["needed"], "o-", color=COLOURS["below"], markersize=4)
            axes[2].plot(line["setting"].str[4:], np.log10(line["n"]), ":", color=INK, linewidth=0.8)
        axes[2].set(xlabel="p (dotted: those there)", yscale="log", ylim=(1, 200))
        axes[2].set_yticks([1, 3, 10, 30, 100], ["10", "10³", "10¹⁰", "10³⁰", "10¹⁰⁰"])
    caption = (
        "Bounds: measured on rows not seen, or counted on the batches (hollow), and bound, orange where it "
        "says nothing; grey: pairs as if independent"
    )
    return Plot("bounds", caption, canvas)

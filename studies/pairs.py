"""Every algorithm with every surrogate it takes: a suite from the library's registry, and its grid.

``python -m studies.pairs > config/suites/pairs.yaml`` writes the suite, after a new surrogate or learner.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
import yaml
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix

from attop import from_papers, learners
from attop.extending import SURROGATES, GroupedSurrogate, Top
from attop.learners import BundleRanker
from attop_bench.data.base import Dataset
from attop_bench.data.catalogue import Kind, Stage
from attop_bench.data.kinds.images import digit_images, simulate_likes
from attop_bench.data.parameters import Count, checked
from attop_bench.papers.findings import Findings, Plot, Table, Tables
from studies.slatk2025.pairs import lists_of

CONFIGURATION = "config/suites/pairs.yaml"
#: Exported beside the learners, or without a surrogate.
WITHOUT = {
    "ConstantModelWarning",
    "PositiveClassWarning",
    "EASE",
    "PopularityRanker",
    "Ranker",
    "TopStack",
    "TopThreshold",
    "predict_top",
    "top_threshold",
}
#: Learners whose surrogate no method of theirs returns; with their parameters filled in.
_FIXED = {
    "AATP": "accuracy-at-top",
    "PerceptronAtK": "prec@k-{surrogate}",
    "SoftTop": "prec@k-soft",
    "TopBooster": "prec@k-soft",
}
#: Further ways of a learner, with a surrogate that it has otherwise too: name, way, surrogate, parameters.
_WAYS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("AATP", "by pairs", "accuracy-at-top", {"weights": "pairs"}),
    ("AATP", "by CVXPY with SCS", "accuracy-at-top", {"solver": "cvxpy", "tol": 1e-3}),
    ("PNormPush", "by thresholds", "p-norm-push", {"weak_rankers": "thresholds"}),
    ("PNormPush", "by thresholds", "logistic-push", {"weak_rankers": "thresholds", "loss": "logistic"}),
    ("PNormPush", "by thresholds", "hinge-push", {"weak_rankers": "thresholds", "loss": "hinge"}),
    ("PNormPush", "by thresholds", "exp-push", {"weak_rankers": "thresholds", "price": "exp"}),
)
#: One setting each, quick and not tuned.
_SETTINGS: Mapping[str, dict[str, Any]] = {
    "AATP": {"search": "fixed-point"},
    "BundleRanker": {"lam": 0.1, "max_iter": 200, "time_limit": 5},
    "GDRanker": {"max_iter": 200},
    "GDPApK": {"max_iter": 200},
    "FactorRanker": {"n_steps": 100},
    "SoftTop": {"cv": 2},
}


def pairs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield learner, surrogate and the parameters that bring them together, of all there are."""
    for package in (learners, from_papers):
        for name in sorted({*package.__all__} - WITHOUT):
            known = set()
            for params in _choices(name, getattr(package, name)):
                pair = (_surrogate(name, getattr(package, name), params), params.get("stop"))
                if pair not in known:
                    known.add(pair)
                    yield name, pair[0], params


def _choices(name: str, kind: type) -> Iterator[dict[str, Any]]:
    """Yield the ways to set what is chosen by a word; the defaults come first."""
    hints = get_type_hints(kind)
    words = {
        parameter: get_args(hints[parameter])
        for parameter in inspect.signature(kind).parameters
        if get_origin(hints.get(parameter)) is Literal
    }
    if "surrogate" in inspect.signature(kind).parameters and "surrogate" not in words:
        words["surrogate"] = tuple(
            known
            for known, its in SURROGATES.items()
            if (its.convex or kind is not BundleRanker)
            and (issubclass(its, GroupedSurrogate) or name != "FactorRanker")
        )
    default = kind().get_params()
    for values in product(*words.values()):
        chosen = dict(zip(words, values, strict=True))
        yield {key: value for key, value in chosen.items() if key == "surrogate" or value != default[key]}


def _surrogate(name: str, kind: Any, params: Mapping[str, Any]) -> str:
    model = kind(**params)
    if name in _FIXED:
        return _FIXED[name].format(**model.get_params())
    if name == "FactorRanker":
        return str(params["surrogate"])
    for method, read in (
        ("_loss", lambda its: its()),
        ("_surrogate", lambda its: its()),
        ("_stages", lambda its: its()[-1]),
        ("_kind", lambda its: its()(Top(k=1))),
    ):
        if hasattr(model, method):
            return str(read(getattr(model, method)).name)
    raise TypeError(
        f"{name} has no surrogate that can be read: name it in WITHOUT or _FIXED of studies.pairs"
    )


@checked("dataset likes")
def like_pairs(digit: ArrayLike, *, n_users: Count = 60, n_others: Count = 20, seed: int) -> Dataset:
    """Return who likes which digit image, as pairs alone: a fifth of each user's tests (`simulate_likes`)."""
    rng = np.random.default_rng(seed)
    pairs = np.argwhere(simulate_likes(np.asarray(digit)[::6], n_users, (2, 3), (0.3, 0.6), 0.01, rng))
    held = rng.random(len(pairs)) < 0.2
    facts = {"title": "Images and who likes them, as pairs", "positive": "the user likes the image"}
    return lists_of("likes", [pairs[~held], pairs[held]], n_others, facts)


#: The kind of data set that FactorRanker is tried on.
LIKES = Kind("likes", (Stage("source", digit_images), Stage("dataset", like_pairs, ("digit",))))

_HEADER = """\
# Every algorithm with every surrogate it takes, on a data set of each kind, once and not tuned. No network.
#
#   snakemake --cores 16 --configfile config/suites/pairs.yaml
#
# ends in results/pairs/paper/index.html, the grid. Written from the library's registry by
#
#   python -m studies.pairs > config/suites/pairs.yaml
"""
_ONE_LIST = "ranks one list, not one for each user"


def suite() -> dict[str, Any]:
    """Return the configuration of all pairs."""
    methods = [*(_method(*pair) for pair in pairs()), *_further()]
    factors = {
        m["id"]: "takes pairs of users and items, no features" for m in methods if "FactorRanker" in m["id"]
    }
    others = {m["id"]: "takes features, not pairs alone" for m in methods if m["id"] not in factors}
    rows = {"protocol": {"kind": "holdout", "options": {"train": 0.5, "inner_folds": 2}}, "skip": factors}
    alone = [
        m["id"] for m in methods if m["id"].startswith("AATP") or m.get("params", {}).get("stop") == "paper"
    ]
    lists = {"repeats": 1, "kind": "within-groups"}
    users = {"protocol": lists, "tops": [{"k": 5}], "skip": factors | dict.fromkeys(alone, _ONE_LIST)}
    likes = {
        "title": "Who likes which image (pairs)",
        "kind": "studies.pairs.LIKES",
        "protocol": {"kind": "given"},
        "scaling": "none",
        "tops": [{"k": 5}],
        "scoring": "ndcg@k",
        "skip": others,
    }
    return {
        "title": "Every algorithm with every surrogate",
        "output": "results/pairs",
        "trace": False,
        "paper": "studies.pairs",
        "metrics": ["precision@k", "micro-pap@k", "ndcg@k"],
        "datasets": [
            {"id": "wdbc", "tops": [{"tau": 0.35}], **rows},
            {"id": "digit-8", "tops": [{"k": 35}], **rows},
            {"id": "fraud-stream", "params": {"n_customers": 200, "n_terminals": 100}, "tops": [{"k": 10}]}
            | {"protocol": {"kind": "prequential", "options": {"train": 14}}, "skip": factors},
            {"id": "many-users", "params": {"n_users": 8, "n_pos": [50, 100], "n_neg": 400}, **users},
            {"id": "ratings", "params": {"n_users": 40}, **users},
            {"id": "images", "params": {"n_users": 20}, **users},
            {"id": "likes", **likes},
        ],
        "methods": methods,
    }


def _further() -> Iterator[dict[str, Any]]:
    """Yield the entries of boosters on every surrogate, and of further ways of a learner."""
    for surrogate in SURROGATES:
        yield {
            "id": f"LightGBM.{surrogate}".replace("@", "-at-"),
            "title": f"LightGBM's objective, {surrogate}",
            "estimator": "studies.boosters.SurrogateBooster",
            "params": {"surrogate": surrogate},
            "requires": "lightgbm",
        }
    for name, way, surrogate, params in _WAYS:
        entry = _method(name, surrogate, params)
        words = way.lower().replace(" ", "-")
        yield {**entry, "id": f"{entry['id']}-{words}", "title": f"{name} ({way}), {surrogate}"}


def refused() -> pd.DataFrame:
    """Return the pairs that a learner refuses, with its own words."""
    rows = []
    for name, kind, sample in (
        ("BundleRanker", BundleRanker, (np.array([[0.0], [1.0], [0.5]]), np.array([0, 1, 0]))),
        ("FactorRanker", learners.FactorRanker, (csr_matrix(np.eye(3, dtype=np.int8)),)),
    ):
        for surrogate in SURROGATES:
            if surrogate in {taken for learner, taken, _ in pairs() if learner == name}:
                continue
            try:
                kind(surrogate, top=1).fit(*sample)
            except (TypeError, ValueError) as error:
                rows.append((name, surrogate, str(error).partition("\n")[0]))
            else:
                raise AssertionError(f"{name} takes {surrogate}: it belongs to the pairs")
    return pd.DataFrame(rows, columns=["learner", "surrogate", "why"])


def _method(name: str, surrogate: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of a pair."""
    package = "learners" if name in learners.__all__ else "from_papers"
    chosen = {**_SETTINGS.get(name, {}), **params}
    stop = " (the paper's stop)" if "stop" in params else ""
    path = f"attop.{package}.{name}" if name != "FactorRanker" else "studies.slatk2025.methods.FactorLists"
    entry = {
        "id": f"{name}.{surrogate}".replace("@", "-at-") + ("-stop" if stop else ""),
        "title": f"{name}{stop}, {surrogate}",
        "estimator": path,
        "params": chosen,
    }
    return entry | ({"requires": "lightgbm"} if name == "TopBooster" else {})


def as_text() -> str:
    """Return the file of the suite."""
    return _HEADER + yaml.safe_dump(suite(), sort_keys=False, default_flow_style=None, width=118)


def tables(results: Tables, story: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the value of each pair on each data set, how its run ended, and its processor seconds."""
    runs, values = results["runs"], results["evaluation"]
    scoring = runs.groupby("dataset")["scoring"].first()
    values = values[values["metric"] == values["dataset"].map(scoring)]
    columns = ["dataset", "method", "status", "constant", "seconds_cpu"]
    grid = runs[columns].merge(
        values[["dataset", "method", "metric", "value"]], "left", ["dataset", "method"]
    )
    titles = grid["method"].map({m: about["title"] for m, about in story["methods"].items()})
    grid[["learner", "surrogate"]] = titles.str.split(", ", n=1, expand=True)
    return {"pairs": grid.drop(columns="method").round(4), "refused": refused()}


def findings(tables: Tables) -> Findings:
    """Return the page of the grid."""
    grid = tables["pairs"]
    done = grid[grid["status"] == "ok"]
    n, sets = grid.groupby(["learner", "surrogate"]).ngroups, grid["dataset"].nunique()
    bad = int((~grid["status"].isin(["ok", "not_applicable"])).sum())
    share = done["value"] / done.groupby("dataset")["value"].transform("max")
    cells = done.assign(share=share).pivot_table(
        index="learner", columns="surrogate", values="share", aggfunc="mean"
    )
    constant = int(done["constant"].fillna(False).astype(bool).sum())
    return Findings(
        title="Every algorithm with every surrogate",
        citation="attop",
        verdict=[
            f"**{n} pairs of algorithm and surrogate, {len(done)} runs on {sets} data sets, {bad} failed.**",
            f"They took {done['seconds_cpu'].sum() / 60:.1f} minutes of processor time. {constant} of the "
            "models rank nothing: a convex loss of the top can have a constant optimum.",
            "Each was run once, with one setting: the grid says that a pair works, not which is better.",
        ],
        picture=_picture(cells),
        tables=[_by_dataset(done), Table("Refused, in words", tables["refused"])],
        reasons=["FactorRanker takes pairs of users and items and has a data set of its own."],
        files={"pairs": "every run", "refused": "pairs that a learner refuses"},
    )


def _by_dataset(done: pd.DataFrame) -> Table:
    rows = done.sort_values("value", ascending=False, kind="stable").groupby("dataset", sort=False)
    cells = rows.agg(
        metric=("metric", "first"), runs=("value", "size"), best=("value", "max"), median=("value", "median")
    )
    cells["best pair"] = rows["learner"].first() + ", " + rows["surrogate"].first()
    return Table("By data set", cells.round(3).reset_index())


def _picture(cells: pd.DataFrame) -> Plot:
    import seaborn
    from matplotlib.figure import Figure

    from attop_bench.report.figures.scene import figure_theme

    with figure_theme():
        canvas = Figure(figsize=(10.5, 5.6), layout="constrained")
        axes = seaborn.heatmap(
            100 * cells, vmin=0, vmax=100, cmap="Blues", linewidths=0.5, square=True, annot=True, fmt=".0f",
            annot_kws={"size": 6}, cbar_kws={"shrink": 0.5}, ax=canvas.subplots(),
        )  # fmt: skip
        axes.set(xlabel="", ylabel="")
        axes.grid(visible=False)
    caption = (
        "Mean over the data sets of the value in percent of the best there, test part of one split; white "
        "where an algorithm does not take a surrogate"
    )
    return Plot("grid", caption, canvas)


if __name__ == "__main__":
    print(as_text(), end="")

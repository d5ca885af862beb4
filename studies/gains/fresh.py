"""TopStack on sets nobody here had used, by studies/gains/rule.md.

    python -m studies.gains.fresh run FOLDER results.csv [--splits 5]
    python -m studies.gains.fresh table results.csv...

FOLDER holds the files as `load` names them, and in `rare` a run of config/suites/rare.yaml as far as `split`,
for the thirteen sets of the board. A split is one of five folds. Before `run`, a letter says whose results: a
TopStack's and LightGBM's, b its other rivals', c SoftTop's and the linear models', d those added to the
board since, r the controls of the board.
"""

import gzip
import time
import warnings
from functools import cache

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from scipy.io import arff
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from attop import SoftTop, TopStack
from attop.from_papers import TopPush
from attop.metrics import precision_at_k, scores_of
from attop.statistics import holm, wilcoxon
from attop_bench.data.base import load_available
from attop_bench.run.config import load_config, read_yaml
from attop_bench.run.folds import read_folds
from attop_bench.run.plan import Plan
from studies.gains.protocol import TOPS as SHARES
from studies.gains.protocol import print_head, print_row, program

TOPS = {**SHARES, "1%": {"tau": 0.01}}
#: Rows a model is trained on, at most.
MOST = 30_000
#: Rows and positives, before any are drawn, by which a file is known to be the right one.
FRESH = {
    "campaign": (41188, 4640),
    "celeba": (202599, 4547),
    "cover": (286048, 2747),
    "aloi": (49534, 1508),
    "mnist-0-6": (7603, 700),
    "internet-ads": (1966, 368),
    "hiva": (3845, 135),
    "sylva": (13086, 805),
    "w8a": (49749, 1479),
    "stroke": (5110, 249),
    "seismic-bumps": (2584, 170),
}
#: Of the board, on no earlier board and no list of development; TopStack was not developed on them.
HELD_OUT = [
    *("nursery", "ada", "kc1", "shuttle", "wall-following", "cal-housing", "car", "segment", "german"),
    *("electrical-grid", "skillcraft", "ohsumed-relevant-2", "fraud-stream"),
]
_NPZ = {
    "campaign": "5_campaign",
    "celeba": "8_celeba",
    "cover": "10_cover",
    "aloi": "1_ALOI",
    "mnist-0-6": "24_mnist",
    "internet-ads": "17_InternetAds",
}


@cache
def load(name, folder):
    """Return features and labels, positives of internet-ads drawn down to 5%."""
    if name in _NPZ:
        with np.load(folder / f"adbench/{_NPZ[name]}.npz") as file:
            X, y = file["X"].astype(float), file["y"].astype(int)
    elif name in ("hiva", "sylva"):
        with gzip.open(folder / name / f"{name}_train.data.gz", "rt") as file:
            X = np.loadtxt(file)
        y = (np.loadtxt(folder / name / f"{name}_train.labels") > 0).astype(int)
    elif name == "w8a":
        X, y = load_svmlight_file(str(folder / "w8a/w8a.gz"), n_features=300)
        X, y = X.toarray(), (y > 0).astype(int)
    else:
        path = folder / name / {"stroke": "healthcare-dataset-stroke-data.csv"}.get(name, f"{name}.arff")
        table = pd.DataFrame(arff.loadarff(path)[0]) if path.suffix == ".arff" else pd.read_csv(path)
        label = table.columns[-1]
        y = table.pop(label).astype(float).astype(int).to_numpy()
        table = pd.get_dummies(table.drop(columns="id", errors="ignore"))
        X = table.fillna(table.median()).to_numpy(float)
    assert (len(y), y.sum()) == FRESH[name], (name, len(y), y.sum())
    if name == "internet-ads":
        rows = np.random.default_rng(0).permutation(np.flatnonzero(y))[: round((y == 0).sum() * 0.05 / 0.95)]
        rows = np.sort(np.append(rows, np.flatnonzero(y == 0)))
        X, y = X[rows], y[rows]
    return X, y


@cache
def parts(name, folder):
    """Return features, labels, and five triples: rows to train on, pairs to tune by, rows to test on."""
    if name in HELD_OUT:
        suite = read_yaml("config/config.yaml") | read_yaml("config/suites/rare.yaml")
        config = load_config({**suite, "output": str(folder / "rare")})
        plan = Plan(config)
        data = load_available(plan.stage_path(name))
        folds = read_folds(plan.folds_path(name, 0), data, config.split(name, 0))
        return data.matrix, data.y, [(f.train, f.inner, f.test) for f in folds]
    X, y = load(name, folder)
    found = []
    for number, (train, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)):
        if len(train) > MOST:
            train, _ = train_test_split(train, train_size=MOST, stratify=y[train], random_state=number)
        inner = StratifiedKFold(3, shuffle=True, random_state=number).split(train, y[train])
        found.append((train, [(train[fit], train[rest]) for fit, rest in inner], test))
    return X, y, found


def lightgbm(leaves, trees):
    return LGBMClassifier(
        num_leaves=leaves, n_estimators=trees, learning_rate=0.1, n_jobs=1, verbosity=-1, random_state=0
    )


def xgboost(depth, trees):
    from xgboost import XGBClassifier

    return XGBClassifier(
        max_depth=depth, n_estimators=trees, learning_rate=0.1, tree_method="hist", n_jobs=1, random_state=0
    )


def catboost(depth, trees):
    from catboost import CatBoostClassifier

    quiet = {"verbose": False, "allow_writing_files": False}
    return CatBoostClassifier(
        depth=depth, n_estimators=trees, learning_rate=0.1, thread_count=1, random_seed=0, **quiet
    )


def forest(least, kind=RandomForestClassifier):
    return kind(100, min_samples_leaf=least, n_jobs=1, random_state=0)


def linear(model):
    return make_pipeline(StandardScaler(), model)


#: The settings of a method, made when they are asked for: XGBoost and CatBoost are not needed by the others.
CANDIDATES = {
    "LightGBM": lambda: [lightgbm(leaves, trees) for leaves in (4, 8, 32) for trees in (50, 150)],
    "XGBoost": lambda: [xgboost(depth, trees) for depth in (2, 4, 8) for trees in (50, 150)],
    "CatBoost": lambda: [catboost(depth, trees) for depth in (2, 4, 6) for trees in (50, 150)],
    "Random forest": lambda: [forest(least) for least in (1, 3, 10)],
    "Extra trees": lambda: [forest(least, ExtraTreesClassifier) for least in (1, 3, 10)],
    "Logistic regression": lambda: [
        linear(LogisticRegression(C=C, max_iter=1000)) for C in (0.001, 0.01, 0.1, 1, 10, 100)
    ],
    "Linear SVM": lambda: [linear(LinearSVC(C=C)) for C in 10.0 ** np.arange(-4, 2)],
    "TopPush, stopped as in its paper": lambda: [
        linear(TopPush(lam=lam, stop="paper")) for lam in (10, 1, 0.1, 0.01, 0.001, 0.0001)
    ],
}
QUESTIONS = {
    "a": ["LightGBM", "TopStack"],
    "b": ["XGBoost", "Random forest"],
    "c": ["Logistic regression", "Linear SVM", "SoftTop"],
    "d": ["CatBoost", "Extra trees", "TopPush, stopped as in its paper"],
    "r": ["Random scores", "Labels as scores"],
}


def tuned(settings, X, y, inner):
    """Return the setting of the highest mean precision over the inner folds, for each top."""
    found = {name: np.zeros(len(settings)) for name in TOPS}
    for number, model in enumerate(settings):
        for fit, rest in inner:
            its = scores_of(model.fit(X[fit], y[fit]), X[rest])
            for name, top in TOPS.items():
                found[name][number] += precision_at_k(y[rest], its, top)
    return {name: int(np.argmax(values)) for name, values in found.items()}


def one_method(name, X, y, train, inner, test):
    """Return precision at each top, and the processor time of one list: tuning, one fit and its scores."""
    start = time.process_time()
    if name == "SoftTop":
        model = make_pipeline(StandardScaler(), SoftTop())
        Z = model[0].fit_transform(X[train])
        models = model[1].fit_many(Z, y[train], candidates=[{"top": top} for top in TOPS.values()])
        by_top = [m.decision_function(model[0].transform(X[test])) for m in models]
        spent = time.process_time() - start
    elif name == "TopStack":
        by_top = [TopStack().fit(X[train], y[train]).decision_function(X[test])] * len(TOPS)
        spent = time.process_time() - start
    elif name in QUESTIONS["r"]:
        its = y[test] if name == "Labels as scores" else np.random.default_rng(0).random(len(test))
        by_top, spent = [its.astype(float)] * len(TOPS), 0.0
    else:
        settings = CANDIDATES[name]()
        chosen = tuned(settings, X, y, inner)
        tuning = time.process_time() - start
        known = {}
        for number in set(chosen.values()):
            begin = time.process_time()
            known[number] = scores_of(settings[number].fit(X[train], y[train]), X[test])
            tuning += (time.process_time() - begin) * list(chosen.values()).count(number) / len(TOPS)
        by_top, spent = [known[chosen[top]] for top in TOPS], tuning
    return [precision_at_k(y[test], s, top) for s, top in zip(by_top, TOPS.values(), strict=True)], spent


def runs_of(question):
    def run_one(name, split, folder):
        X, y, triples = parts(name, folder)
        train, inner, test = triples[split]
        for method in QUESTIONS[question]:
            values, spent = one_method(method, X, y, train, inner, test)
            for top, value in zip(TOPS, values, strict=True):
                yield {"top": top, "method": method, "precision": round(value, 8), "seconds": round(spent, 3)}

    return run_one


def answer(means, method, rivals):
    """Print the answer at every top: mean gain over the better rival of each set, won-lost, p by Holm."""
    gains = (
        (means[method] - means[rivals].max(axis=1, skipna=False)).dropna().round(8).unstack("top")[list(TOPS)]
    )
    adjusted = holm(np.nan_to_num([wilcoxon(gains[t], np.zeros(len(gains))).p for t in TOPS], nan=1.0))
    print(f"\n{method} over {' or '.join(rivals)}, {len(gains)} sets\n")
    print_head("top", "more of 100", "won-lost", "p, by Holm")
    for top, p in zip(TOPS, adjusted, strict=True):
        won, lost = (gains[top] > 0.01).sum(), (gains[top] < -0.01).sum()
        print_row(top, f"{100 * gains[top].mean():+.1f}", f"{won}-{lost}", f"{p:.2g}")


def table(rows):
    means, first = (
        its.groupby(["set", "top", "method"])["precision"].mean().unstack()
        for its in (rows, rows[rows["split"] == 0])
    )
    for method, rivals in QUESTIONS_ASKED:
        its = means if rivals == ["LightGBM"] else first
        if {method, *rivals} <= set(its):
            answer(its, method, rivals)
            if its is means:
                fresh = its.index.get_level_values("set").isin(FRESH)
                answer(its[fresh], method, rivals)
                answer(its[~fresh], method, rivals)
    spent = rows.groupby(["set", "method"])["seconds"].mean().unstack()
    ratio = np.exp(np.log(spent.div(spent["LightGBM"], axis=0)).mean())
    print(f"\nProcessor time over LightGBM's, geometric mean over sets: {ratio.round(2).to_dict()}")


QUESTIONS_ASKED = [
    ("TopStack", ["LightGBM"]),
    ("TopStack", ["LightGBM", "XGBoost", "Random forest"]),
    ("SoftTop", ["Logistic regression", "Linear SVM"]),
]

if __name__ == "__main__":
    import sys

    warnings.filterwarnings("ignore")
    asked = sys.argv.pop(1) if sys.argv[1] in QUESTIONS else "a"
    program(__doc__, [*FRESH, *HELD_OUT], runs_of(asked), table, splits=3)

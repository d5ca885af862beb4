"""Boosters that split on categories themselves, beside the same ones on 0/1 columns, at the top.

    python -m studies.categories run FOLDER studies/categories/values.csv
    python -m studies.categories table studies/categories/values.csv

Rule, written before the first result:

- Sets: those of the board whose features, or some of them, are categories, and whose file is at hand
  (`SETS`): abalone, ai4i2020, car, coil2000, german, nursery. AI4I's type and CoIL's two types of customers,
  numbers there, are categories here. Beside them two sets with categories that are not on the board: stroke
  and bank-additional.
- Three stratified folds, copies on one side. Of a training part at most 3,000 rows, drawn with its share of
  positives.
- Boosters: LightGBM, XGBoost and CatBoost with the parameters and the grid of `config/methods.yaml`, and
  scikit-learn's histogram booster with 100 rounds and the grid of LightGBM. Of the grid the setting is
  taken that has the highest mean precision@k on two stratified inner folds, of equals the first.
- Two ways: the matrix that a method gets by default, in which a category is a 0/1 column for each value and
  numbers are standardised; and the table, whose columns of categories the booster splits on.
- Measured: precision@k of the test part with k of a quarter, a half and all of its positives. The
  difference of a set is the mean over its folds.
- Native categories become the default of a booster of the catalogue if at each of the three tops the mean
  difference over the sets of the board is above -0.005, half a hit of 100. The two other sets are shown,
  and decide nothing.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from sklearn.model_selection import ParameterGrid, StratifiedKFold, train_test_split

from attop.extending import object_at
from attop.metrics import precision_at_k, scores_of
from attop_bench.data.build import make
from attop_bench.data.splits.protocols import make_folds
from studies.gains.protocol import TOPS, print_head, print_row, program

CONFIG = Path(__file__).parents[2] / "config"
MOST_ROWS, FOLDS, INNER_FOLDS = 3000, 3, 2
#: By so much a way may be behind on average and is still as good: half a hit of 100.
MARGIN = 0.005

#: Sets of the board: file, and what differs from the catalogue's parameters.
BOARD: dict[str, tuple[str, dict[str, Any]]] = {
    "abalone": ("abalone/abalone.data", {}),
    "ai4i2020": ("ai4i2020/ai4i2020.csv", {"codes": None, "one_hot": True}),
    "car": ("car/car.data", {}),
    "coil2000": (
        "coil2000/ticdata2000.txt",
        {
            "format": "csv",
            "reader": {"header": False, "separator": "tab"},
            "label": -1,
            "positive": 1,
            "categories": [1, 5],
            "one_hot": True,
            "copies_together": True,
        },
    ),
    "german": ("german/german.data", {}),
    "nursery": ("nursery/nursery.data", {}),
}
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "bank-additional": (
        "field/bank-additional/bank-additional.csv",
        {
            "reader": {"separator": ";"},
            "label": "y",
            "positive": "yes",
            "drop": ["duration"],  # known once the call has ended
            "one_hot": True,
            "copies_together": True,
        },
    ),
    "stroke": ("stroke/healthcare-dataset-stroke-data.csv", {}),
}
SETS = BOARD | OTHERS

#: Booster -> entry of the catalogue, and what makes it split on categories.
CATALOGUE = {"LightGBM": "lightgbm", "XGBoost": "xgboost", "CatBoost": "catboost"}
HISTOGRAM = {
    "estimator": "sklearn.ensemble.HistGradientBoostingClassifier",
    "params": {"random_state": 0, "early_stopping": False},
    "param_grid": {"max_leaf_nodes": [4, 8, 16, 32]},
}
NATIVE = {"XGBoost": {"enable_categorical": True}}


def load(name, folder):
    """Return a set, with its categories as categories; LightGBM and XGBoost refuse brackets in names."""
    file, changed = SETS[name]
    entry = yaml.safe_load((CONFIG / "datasets.yaml").read_text()).get(name, {"params": {}})
    params = {**entry["params"], **changed}
    named = {key: value for key, value in params.items() if value is not None}
    data = make("file", 0, path=str(folder / file), **named)
    return replace(data, X=data.X.set_axis([f"x{i}" for i in range(data.X.shape[1])], axis=1))


def boosters():
    """Return booster -> its estimator, parameters and grid."""
    methods = yaml.safe_load((CONFIG / "methods.yaml").read_text())
    return {name: methods[key] for name, key in CATALOGUE.items()} | {"Histogram": HISTOGRAM}


def fit(name, entry, setting, native, X, y):
    """Return a booster fitted in one of the two ways."""
    own = NATIVE.get(name, {}) if native else {}
    model = object_at(entry["estimator"])(**entry["params"], **setting, **own)
    if not (native and name == "CatBoost"):
        return model.fit(X, y)
    return model.fit(as_words(X), y, cat_features=list(X.select_dtypes("category")))


def as_words(X):
    """Return a table whose categories are text, a missing one as well, as CatBoost wants them."""
    names = X.select_dtypes("category").columns
    return X.assign(**{name: X[name].astype(object).fillna("missing").astype(str) for name in names})


def scored(name, entry, setting, native, data, train, test):
    """Return the scores of test rows by one setting, fitted to training rows in one way."""
    X, X_test = data.X.iloc[train], data.X.iloc[test]
    if not native:
        transformer = data.transformer("standard").fit(X)
        X, X_test = transformer.transform(X), transformer.transform(X_test)
    elif name == "CatBoost":
        X_test = as_words(X_test)
    return scores_of(fit(name, entry, setting, native, X, data.y[train]), X_test)


def precisions(name, entry, native, data, train, test):
    """Return an array of the precision of test rows by setting and top."""
    rows = []
    for setting in ParameterGrid(entry["param_grid"]):
        scores = scored(name, entry, setting, native, data, train, test)
        rows.append([precision_at_k(data.y[test], scores, top) for top in TOPS.values()])
    return np.array(rows)


def run_one(set_name, fold, folder):
    """Yield the precision of each booster on the test part of a fold, by top, in both ways."""
    data = load(set_name, folder)
    parts = make_folds("stratified", data, 0, 0, n_folds=FOLDS, inner_folds=None)[fold]
    train, test = parts.train, parts.test
    if len(train) > MOST_ROWS:
        train, _ = train_test_split(train, train_size=MOST_ROWS, stratify=data.y[train], random_state=fold)
    inner = list(StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=fold).split(train, data.y[train]))
    for name, entry in boosters().items():
        taken = {}
        for native in (False, True):
            validated = [
                precisions(name, entry, native, data, train[fit_on], train[held]) for fit_on, held in inner
            ]
            best = np.mean(validated, axis=0).round(12).argmax(axis=0)
            tested = precisions(name, entry, native, data, train, test)
            taken[native] = tested[best, range(len(TOPS))]
        for top, one_hot, native in zip(TOPS, taken[False], taken[True], strict=True):
            yield {"booster": name, "top": top, "one_hot": f"{one_hot:.4f}", "native": f"{native:.4f}"}


def table(rows):
    """Print the mean of both ways over the sets of the board, and whether native is as good."""
    of_board = rows[rows["set"].isin(BOARD)]
    folds = of_board.groupby("set")["split"].nunique()
    print("Folds:", ", ".join(f"{name} {count}" for name, count in folds.items()), end="\n\n")
    means = of_board.groupby(["booster", "top", "set"])[["one_hot", "native"]].mean()
    print_head("booster", "top", "0/1 columns", "native", "difference", "worst set", "best set", "as good")
    for booster in boosters():
        for top in TOPS:
            print_row(booster, top, *comparison(means.loc[booster, top]))


def comparison(of_sets):
    """Return the cells of a booster and a top: both means, their difference, whether native is as good."""
    difference = of_sets["native"] - of_sets["one_hot"]
    mean, worst, best = difference.mean(), difference.idxmin(), difference.idxmax()
    return (
        f"{of_sets['one_hot'].mean():.3f}",
        f"{of_sets['native'].mean():.3f}",
        f"{mean:+.3f}",
        f"{difference[worst]:+.3f} {worst}",
        f"{difference[best]:+.3f} {best}",
        "yes" if mean > -MARGIN else "no",
    )


if __name__ == "__main__":
    program(__doc__, sorted(SETS), run_one, table, splits=FOLDS)

"""The table on what libraries make of one list, computed again."""

import math

import numpy as np
import pytest

from attop.metrics import average_precision, bedroc, lift_at_k, ndcg, precision_at_k
from support import ROOT


# Each returns AP, precision@k, NDCG@k, BEDROC(20) and EF; None where a library has no such metric.
def attop(y, scores, k):
    return (
        average_precision(y, scores), precision_at_k(y, scores, k), ndcg(y, scores, k), bedroc(y, scores),
        lift_at_k(y, scores, k),
    )  # fmt: skip


def sklearn(y, scores, k):
    from sklearn.metrics import average_precision_score, ndcg_score

    return average_precision_score(y, scores), None, ndcg_score([y], [scores], k=k), None, None


def xgboost(y, scores, k):
    import xgboost

    data = xgboost.DMatrix(np.zeros((len(y), 1)), label=y, base_margin=scores)
    data.set_group([len(y)])
    names = ["map", f"pre@{k}", f"ndcg@{k}"]
    settings = {"objective": "rank:ndcg", "eta": 0.0, "eval_metric": names, "base_score": 0.0}
    # Nothing is learnt: the scores are the margin to begin with.
    said = xgboost.train(settings, data, 1).eval(data)
    found = dict(part.rsplit(":", 1) for part in said.split("\t")[1:])
    return *(float(found[f"eval-{name}"]) for name in names), None, None


def lightgbm(y, scores, k):
    import lightgbm

    def evaluated(objective, metric, group=None):
        # One column, which no tree of 20 rows a leaf can split: nothing is learnt.
        X, found = np.arange(len(y), dtype=float)[:, None], {}
        data = lightgbm.Dataset(X, label=y, init_score=scores, group=group)
        settings = {"objective": objective, "metric": metric, "eval_at": [k], "verbosity": -1}
        record = lightgbm.record_evaluation(found)
        lightgbm.train(settings, data, 1, valid_sets=[data], valid_names=["all"], callbacks=[record])
        (values,) = found["all"].values()
        return values[0]

    return (
        evaluated("binary", "average_precision"),
        None,
        evaluated("lambdarank", "ndcg", [len(y)]),
        None,
        None,
    )


#: What must be installed, and the function, by the first word of a table's row.
LIBRARIES = {
    "attop": ("attop", attop),
    "scikit-learn": ("sklearn", sklearn),
    "XGBoost": ("xgboost", xgboost),
    "LightGBM": ("lightgbm", lightgbm),
}


def cell(values):
    """Write the values of one cell as the tables do: three digits, without zeros at the end."""
    if any(value is None for value in values):
        return ""
    return ", ".join(str(math.floor(v * 1000 + 0.5) / 1000).removesuffix(".0") for v in values)


LINES = (ROOT / "docs/explanation/other-libraries.md").read_text(encoding="utf-8").splitlines()
CELLS = [[part.strip() for part in line[1:-1].split("|")] for line in LINES if line.startswith("| ")]
#: The rows by the first word of each.
PRINTED = {name.split(" ")[0]: values for name, *values in CELLS if name and not name.startswith("-")}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_row_is_what_the_library_says(library):
    package, evaluate = LIBRARIES[library]
    pytest.importorskip(package, reason=f"{library} is not installed")
    y, scores = np.array([1, 1] + [0] * 8), np.zeros(10)
    found = zip(evaluate(y, scores, 2), evaluate(y[::-1].copy(), scores, 2), strict=True)
    assert [cell(values) for values in found] == PRINTED[library]


def test_ours_never_depend_on_the_order():
    assert PRINTED.keys() > LIBRARIES.keys()  # the others are in no extra
    assert all(len(set(value.split(", "))) == 1 for value in PRINTED["attop"])

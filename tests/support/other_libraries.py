"""What other libraries make of a list: one function each, None where a library has no such metric."""

import math

import numpy as np

from attop.metrics import average_precision, bedroc, lift_at_k, ndcg, precision_at_k

#: Columns of the tables in docs/explanation/other-libraries.md, for k items at the top of n.
COLUMNS = ("AP", "precision@k", "NDCG@k", "BEDROC(20)", "EF")


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

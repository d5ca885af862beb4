"""A linear model of all rows of a file, as `attop deploy` makes it, without choosing one."""

from sklearn.linear_model import LogisticRegression

from attop.experiment._routing import fit
from attop.metrics._scorer import scores_of
from attop_bench.data.build import make
from attop_bench.deploy.package import Package
from attop_bench.deploy.raw_model import raw_pipeline, raw_rows
from attop_bench.deploy.trial import rows_to_try


def linear_package(path, held_out=(), top=None, **params):
    """Return the package of a file with labels in a column ``y``, by default yes for a positive."""
    params = {"path": str(path), "label": "y", "positive": "yes", "one_hot": True, **params}
    data = make("file", **params)
    rows = raw_rows("file", params, data)
    model = fit(raw_pipeline(rows, "standard", LogisticRegression()), rows.X, data.y, groups=data.groups)
    notes = {"features": list(rows.X), "beside": list(rows.beside), "group": rows.group, "middle": None}
    file = {"format": "csv", "reader": rows.reader, "by_pandas": rows.by_pandas}
    label = {"column": rows.label, "positive": params["positive"], "values": list(rows.values)}
    size = {"rows": len(data.y), "positives": data.n_pos, "label": label}
    promise = {"top": top or {"tau": 0.1}, "precision": {"mean": 0.5, "low": 0.4, "high": 0.6}}
    trial = rows_to_try(rows.X, scores_of(model, rows.X))
    return Package(model, notes | file | size | promise, list(held_out), trial)

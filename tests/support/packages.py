"""A linear model of all rows of a file, as `attop deploy` makes it, without choosing one."""

from sklearn.linear_model import LogisticRegression

from attop.experiment import fit
from attop.metrics import scores_of
from attop_bench.data.columns.preparation import columns_of, values_of
from attop_bench.deploy.deploy import pipeline_of, read
from attop_bench.deploy.package import Package, write_model, write_notes
from attop_bench.deploy.trial import rows_to_try


def linear_package(path, held_out=(), top=None, **params):
    """Return the package of a file with labels in a column ``y``, by default yes for a positive."""
    params = {"path": str(path), "label": "y", "positive": "yes", "one_hot": True, **params}
    data, origin = read("linear", "file", params)
    X = data.table
    model = fit(pipeline_of(data, "matrix", "standard", LogisticRegression()), X, data.y, groups=data.groups)
    notes = {"features": list(X), "categories": values_of(X), "texts": columns_of(X).texts, "middle": None}
    notes |= {"input": "matrix", "takes_unseen": True, "unused": []}
    notes["fills_gaps"] = data.impute is not None
    file = {"format": "csv", "reader": origin.reader, "beside": list(origin.beside)}
    file |= {"group": origin.group, "unit": origin.group or origin.entity}
    label = {"column": origin.label, "positive": params["positive"], "values": list(origin.values)}
    size = {"rows": len(data.y), "positives": data.n_pos, "label": label}
    promise = {"top": top or {"tau": 0.1}, "precision": {"mean": 0.5, "low": 0.4, "high": 0.6}}
    trial = rows_to_try(X, scores_of(model, X))
    return Package(model, notes | file | size | promise, list(held_out), trial)


def write_package(folder, package):
    """Write a model and its notes, without list and card; return what `write_model` does."""
    untrusted = write_model(folder, package)
    write_notes(folder, package)
    return untrusted

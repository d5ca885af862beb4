"""Results of methods on many data sets, what is made of them and what is said of it."""

from xml.etree import ElementTree

import pandas as pd

from attop_bench.report.compute.across import across, sentences
from attop_bench.report.figures import ACROSS, draw
from attop_bench.report.figures.scene import Scene, method_styles

COLUMNS = ["dataset", "method", "repeat", "fold", "top", "metric", "value", "reason"]

#: Folds whose mean is 0: the mean over them is the value of the data set.
FOLDS = (-0.004, 0.001, 0.003)


def table(values, metric="precision@k", tops=("k=5",), folds=FOLDS):
    """The evaluation table of data sets x methods."""
    return pd.DataFrame(
        [
            (str(d), str(m), 0, fold, top, metric, v + shift, None)
            for d, row in values.iterrows()
            for m, v in row.items()
            for top in tops
            for fold, shift in enumerate(folds)
        ],
        columns=COLUMNS,
    )


def compare(evaluation, metrics=None, methods=None, **more):
    methods = list(dict.fromkeys(evaluation["method"])) if methods is None else methods
    metrics = dict.fromkeys(evaluation["dataset"], "precision@k") if metrics is None else metrics
    return across(evaluation, metrics, titles=titled(methods), **more)


def titled(methods):
    return {m: f"<{m}>" for m in methods}


def said(found):
    return sentences(found, titled(s.method for s in found.standings))


def figures(found):
    """The diagram."""
    methods = [s.method for s in found.standings]
    scene = Scene("across", "", "", methods, titled(methods), method_styles(methods), methods)
    return draw(ACROSS, scene, {"across": found})


def xml(figure):
    """The parsed picture, on which every mark of a method is in a group of its own."""
    return ElementTree.fromstring(figure.svg)

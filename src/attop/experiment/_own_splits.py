"""Parameters by which estimators split rows within their own fit, such as ``cv`` and early stopping.

Where rows of one entity or group come apart, a model is stopped, tuned or calibrated by rows whose like it
was trained on. `keep_whole` puts folds of whole entities where it can, and warns of all other splits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.covariance import GraphicalLassoCV
from sklearn.ensemble import StackingClassifier, StackingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import OrthogonalMatchingPursuitCV
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold
from sklearn.multioutput import ClassifierChain, RegressorChain
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

#: Columns whose equal values stay together when a model splits its rows -> one value of each, in words.
WHOLE = {"groups": "group", "entity": "entity"}
#: Of more rows, scikit-learn's early stopping "auto" holds some out.
_MANY_ROWS = 10_000
#: A keyword that nobody takes, to see how far routing hands it.
_PROBE = "attop_probe"
#: Parameters of searches that hold values of parameters.
_GRIDS = ("param_grid", "param_distributions", "search_spaces")


class TornWarning(UserWarning):
    """Warning that an estimator splits rows within its fit and cannot keep entities or groups whole."""


@dataclass(frozen=True)
class SplitParameter:
    """A parameter by which an estimator splits rows.

    Attributes
    ----------
    owner : estimator
        The one that splits.
    path : str
        Of the parameter, from the model around it.
    value : object
        Of the parameter.
    searched : bool
        Whether a search tries the value, and thus sets it within its fit.
    """

    owner: Any
    path: str
    value: Any
    searched: bool = False

    @property
    def parameter(self) -> str:
        """Name of the parameter alone."""
        return self.path.rpartition("__")[2]

    @property
    def is_number_of_folds(self) -> bool:
        """True if the parameter is a number of folds, which scikit-learn turns into folds itself."""
        if self.parameter != "cv" or self.searched or isinstance(self.value, bool):
            return False
        return self.value is None or isinstance(self.value, Integral)

    @property
    def folds(self) -> StratifiedGroupKFold | GroupKFold:
        """Folds of whole groups in the number that the parameter gives; 5 for None, as in scikit-learn."""
        without_labels = isinstance(
            self.owner, (GraphicalLassoCV, OrthogonalMatchingPursuitCV)
        )
        kind = GroupKFold if without_labels else StratifiedGroupKFold
        return kind(5 if self.value is None else int(self.value))

    def sentence(self, what: str) -> str:
        """Sentence of the warning: this split tears an entity or group."""
        by = f"{type(self.owner).__name__} splits rows within its fit by {self.parameter}"
        return f"{by} and cannot keep each {what} whole: {self._remedy}"

    @property
    def _remedy(self) -> str:
        if self.searched:
            return f"leave {self.parameter} out of the search"
        if self.parameter == "cv":
            return "give a cv that takes groups, or another estimator"
        off = _OFF.get(self.parameter)
        return f"set {self.parameter}={off}" if off else "use another estimator"


#: Value of a parameter, its estimator, all parameters of that and number of rows -> whether rows are split.
Rule = Callable[[Any, Any, Mapping[str, Any], int], bool]


def _makes_folds(value: Any, owner: Any, *_: object) -> bool:
    if isinstance(value, str):  # "prefit"
        return False
    if isinstance(owner, CalibratedClassifierCV) and isinstance(
        owner.estimator, FrozenEstimator
    ):
        return False  # no model is trained on any part
    return value is not None or not isinstance(
        owner, (ClassifierChain, RegressorChain)
    )


def _stops_early(value: Any, owner: Any, params: Mapping[str, Any], n: int) -> bool:
    if isinstance(value, str) and value == "auto":
        return n > _MANY_ROWS
    return bool(value)


def _stops_without_change(
    value: Any, owner: Any, params: Mapping[str, Any], n: int
) -> bool:
    """Tell whether `n_iter_no_change` splits rows: not where `early_stopping` decides it."""
    alone = "validation_fraction" in params and "early_stopping" not in params
    return alone and value is not None


def _holds_out(value: Any, owner: Any, params: Mapping[str, Any], n: int) -> bool:
    """Tell whether `validation_fraction` splits rows: not where another parameter decides it."""
    alone = "n_iter_no_change" not in params and "early_stopping" not in params
    return alone and bool(value)


def _is_on(value: Any, *_: object) -> bool:
    return bool(value) and not isinstance(value, str)


def _is_given(value: Any, *_: object) -> bool:
    return value is not None


#: Those from "eval_fraction" on are parameters of packages other than scikit-learn.
_RULES: dict[str, Rule] = {
    "cv": _makes_folds,
    "early_stopping": _stops_early,
    "n_iter_no_change": _stops_without_change,
    "validation_fraction": _holds_out,
    **dict.fromkeys(
        (
            "oob_score",
            "probability",
            "eval_fraction",
            "holdout_frac",
            "train_split",
            "val_fraction",
            "val_size",
            "validation_size",
            "validation_split",
        ),
        _is_on,
    ),
    # Names of AutoGluon and auto-sklearn.
    **dict.fromkeys(("presets", "resampling_strategy"), _is_given),
}
#: Parameter -> the value by which an estimator of scikit-learn splits no rows.
_OFF = {
    "early_stopping": "False",
    "n_iter_no_change": "None",
    "oob_score": "False",
    "probability": "False",
}


def splits_of(model: Any, n: int) -> Iterator[SplitParameter]:
    """Yield all splits of `n` rows within the fit of a model, those of nested estimators and searches too."""
    params = {"": model, **model.get_params()}
    for path, value in params.items():
        prefix, _, name = path.rpartition("__")
        owner = params.get(prefix)
        if not path or not hasattr(owner, "fit"):
            continue
        if name in _GRIDS:
            yield from _splits_of_a_search(owner, path, value, n)
        elif _splits(owner, name, value, n):
            yield SplitParameter(owner, path, value)


def _splits(owner: Any, name: str, value: Any, n: int) -> bool:
    rule = _RULES.get(name)
    return rule is not None and rule(value, owner, owner.get_params(deep=False), n)


def _splits_of_a_search(
    search: Any, path: str, grid: Any, n: int
) -> Iterator[SplitParameter]:
    """Yield the splits of a model under the values that a search tries."""
    searched = getattr(search, "estimator", None)
    inner = {} if searched is None else {"": searched, **searched.get_params()}
    for key, value in _values_of(grid):
        prefix, _, name = key.rpartition("__")
        if hasattr(value, "fit") and hasattr(value, "get_params"):
            for split in splits_of(value, n):
                yield SplitParameter(
                    split.owner,
                    f"{path}__{key}__{split.path}",
                    split.value,
                    searched=True,
                )
        owner = inner.get(prefix)
        if hasattr(owner, "fit") and _splits(owner, name, value, n):
            yield SplitParameter(owner, f"{path}__{key}", value, searched=True)


def _values_of(grid: Any) -> Iterator[tuple[str, Any]]:
    """Yield each parameter of a grid, or of grids, with each of its values, or with its distribution."""
    grids = [grid] if isinstance(grid, Mapping) else grid or ()
    for one in grids:
        for key, values in one.items() if isinstance(one, Mapping) else ():
            several = hasattr(values, "__iter__") and not isinstance(values, str)
            for value in values if several else [values]:
                yield key, value


def keep_whole(model: Any, whole: str, n: int) -> bool:
    """Replace a number of folds by folds of whole groups; warn of splits that cannot keep groups whole.

    `whole` is the name of the values that rows to be kept together share: "groups" or "entity".

    Returns
    -------
    handed : bool
        Whether groups reach a splitter in `model` by metadata routing.
    """
    handed = False
    splits = list(splits_of(model, n))
    overwritten = {
        (id(split.owner), split.parameter) for split in splits if split.searched
    }
    for split in splits:
        root, path = _fitted_as_a_whole(model, split, whole)
        if has_fit_parameter(split.owner, whole):
            if not (split.searched or _is_handed(root, path, whole)):
                _warn_of(split, whole)
            continue
        if not split.searched and (id(split.owner), split.parameter) in overwritten:
            continue
        folds = split.folds if split.is_number_of_folds else split.value
        if (
            split.searched
            or split.parameter != "cv"
            or not _reaches_folds(root, path, folds)
        ):
            _warn_of(split, whole)
            continue
        model.set_params(**{split.path: folds})
        handed = handed or root is model
    return handed


def _fitted_as_a_whole(
    model: Any, split: SplitParameter, whole: str
) -> tuple[Any, str]:
    """Find the model or member whose `fit` has to hand groups on to a split, and the path from there.

    One whose `fit` takes the values hands them to its members, each of which is a model of its own.
    """
    params = {"": model, **model.get_params()}
    parts = split.path.split("__")
    for depth in range(len(parts) - 2, -1, -1):
        around, member = (
            params.get("__".join(parts[:end])) for end in (depth, depth + 1)
        )
        if (
            hasattr(member, "fit")
            and hasattr(around, "fit")
            and has_fit_parameter(around, whole)
        ):
            return member, "__".join(parts[depth + 1 :])
    return model, split.path


def _reaches_folds(root: Any, path: str, folds: Any) -> bool:
    """Test whether the `fit` of `root` hands groups to the splitter at `path`."""
    if _loses_groups(root, path):
        return False
    with config_context(enable_metadata_routing=True):
        try:
            asking = deepcopy(folds).set_split_request(groups=_PROBE)
        except (AttributeError, TypeError):  # the splitter takes no groups
            return False
        return _takes_probe(clone(root).set_params(**{path: asking}))


def _loses_groups(root: Any, path: str) -> bool:
    """Test whether an estimator on the way to `path` declares that it hands groups on, and does not."""
    params = {"": root, **root.get_params()}
    parts = path.split("__")
    *around, owner = [
        params.get("__".join(parts[:depth])) for depth in range(len(parts))
    ]
    if any(
        isinstance(member, (StackingClassifier, StackingRegressor))
        for member in around
    ):
        # A stack hands groups to its last estimator too, which takes none.
        return True
    return isinstance(owner, CalibratedClassifierCV) and owner.ensemble is False


def _is_handed(root: Any, path: str, whole: str) -> bool:
    """Test whether the `fit` of `root` hands values of rows to the member at `path`."""
    member = path.rpartition("__")[0]
    if {"": root, **root.get_params()}[member] is last_step(root)[0]:
        return True
    trial = clone(root)
    with config_context(enable_metadata_routing=True):
        trial.get_params()[member].set_fit_request(**{whole: _PROBE})
        return _takes_probe(trial)


def _takes_probe(model: Any) -> bool:
    try:
        return bool(model.get_metadata_routing().consumes("fit", [_PROBE]))
    # Some estimators of scikit-learn have no routing.
    except (AttributeError, NotImplementedError):
        return False


def last_step(model: Any) -> tuple[Any, str]:
    """Find the last step of a pipeline, or the model itself, and the prefix of its keywords."""
    prefix = ""
    while isinstance(model, Pipeline):
        step, model = model.steps[-1]
        prefix += f"{step}__"
    return model, prefix


def _warn_of(split: SplitParameter, whole: str) -> None:
    warnings.warn(split.sentence(WHOLE[whole]), TornWarning, stacklevel=5)


@contextmanager
def torn_within() -> Iterator[list[str]]:
    """Collect the sentences of each `TornWarning` raised within the block; other warnings are not touched."""
    heard: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", TornWarning)
        show = warnings.showwarning

        def listen(message: Any, category: Any, *place: Any, **stream: Any) -> None:
            if issubclass(category, TornWarning):
                if str(message) in heard:
                    return
                heard.append(str(message))
            show(message, category, *place, **stream)

        warnings.showwarning = listen
        yield heard

"""Parameters, features, labels and weights, checked before an estimator is fitted."""

from __future__ import annotations

import functools
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from attop._core._sklearn import check_sample_weight
from attop._core.parameters import check_number, check_seed
from attop._core.sample import (
    NO_NUMBER,
    Label,
    column_names,
    how_to_encode,
    plain_labels,
    positive_last,
    refuse_masked,
)
from attop._core.typing import Floats, Ints


def check_parameters(estimator: BaseEstimator) -> None:
    """Refuse numbers out of range, values that are not among the choices, and several values at once."""
    kind: type[object] = type(estimator)
    choices = _choices(kind)  # type: ignore[arg-type]
    for name, value in estimator.get_params(deep=False).items():
        check_number(name, value)
        if name == "random_state" and not (
            value is None or isinstance(value, np.random.RandomState)
        ):
            check_seed(value)
        if name not in ("top", "estimators") and isinstance(
            value, (list, tuple, set, dict, np.ndarray)
        ):
            raise ValueError(
                f"{name} must be one value, got {value!r}: to try several, use fit_many or GridSearchCV"
            )
        if name in choices and value not in choices[name]:
            raise ValueError(
                f"{name} must be {' or '.join(map(repr, choices[name]))}, got {value!r}"
            )


@functools.cache
def _choices(kind: type[object]) -> dict[str, tuple[str, ...]]:
    """Find the choices of the parameters whose type is a Literal."""
    try:
        hints = get_type_hints(kind)
    # A subclass from elsewhere may import names for type checkers only.
    except NameError:
        return {}
    return {
        name: get_args(hint)
        for name, hint in hints.items()
        if get_origin(hint) is Literal
    }


def repeatable(
    random_state: int | np.random.RandomState | None,
) -> np.random.RandomState:
    """Make the generator of a learner's `random_state`; None is 0, so that a fit repeats."""
    return check_random_state(0 if random_state is None else random_state)


def check_features(
    estimator: Any, X: ArrayLike, *labels: ArrayLike, reset: bool
) -> Any:
    """Check features as scikit-learn does; errors show code that helps with missing, text or sparse ones.

    `estimator` is a `Ranker`; `labels` are `y`, if it is to be checked too.
    """
    name = type(estimator).__name__
    refuse_masked(X, "X")
    if issparse(X) and not estimator._takes_sparse:
        raise TypeError(
            f"{name} does not take sparse input, got a {type(X).__name__} of shape {np.shape(X)}: make the "
            "step before it return a dense array, for example by\n"
            "    OneHotEncoder(sparse_output=False)\n"
            "    ColumnTransformer(..., sparse_threshold=0)\n"
            "or use a learner that takes sparse features, such as GDPApK, BundleRanker or SGDAtK"
        )
    columns = column_names(X)
    if len(set(columns)) < len(columns):  # older scikit-learn takes them
        twice = sorted(
            {str(column) for column in columns if columns.count(column) > 1}
        )
        raise ValueError(
            f"X has duplicate column names: {', '.join(twice)}: rename them, each must be unique"
        )
    try:
        return validate_data(
            estimator,
            X,
            *labels,
            accept_sparse="csr" if estimator._takes_sparse else False,
            dtype=estimator._dtypes,
            ensure_all_finite="allow-nan" if estimator._takes_missing else True,
            reset=reset,
        )
    except ValueError as error:
        message = str(error)
        if message.startswith("Input X contains NaN"):
            raise ValueError(
                f"Input X contains NaN: {name} does not take missing values. Fill them in first:\n"
                "    from sklearn.impute import SimpleImputer\n"
                f"    make_pipeline(SimpleImputer(add_indicator=True), StandardScaler(), {name}(...))"
            ) from None
        if message.startswith(NO_NUMBER):
            raise ValueError(how_to_encode(message, name)) from None
        raise


def encode_labels(
    y: ArrayLike, pos_label: Label | None = None
) -> tuple[NDArray[Any], Ints]:
    """Encode labels as 0 and 1, and find the two classes, the positive one last (see `positive_last`)."""
    y = plain_labels(y)
    check_classification_targets(y)
    classes = np.unique(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"got {len(classes)} classes; choose the positive one, "
            f"for example y == {classes[-1:].tolist()[0]!r}"
        )
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only ({classes.tolist()[0]!r}): a ranking is learnt from "
            "positives and negatives"
        )
    classes = positive_last(classes, pos_label)
    return classes, (y == classes[1]).astype(np.int64)


def check_weights(sample_weight: ArrayLike | None, labels: Ints) -> Floats | None:
    """Check weights, both classes must have some; None where all items weigh 1."""
    if sample_weight is None:
        return None
    weight = check_sample_weight(
        sample_weight, labels, dtype=np.float64, ensure_non_negative=True
    )
    for label, kind in enumerate(("negatives", "positives")):
        if not weight[labels == label].any():
            raise ValueError(
                f"sample_weight is 0 for all {kind}: give both classes some weight"
            )
    return None if (weight == 1).all() else weight

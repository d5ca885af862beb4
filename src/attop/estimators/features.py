"""Features as the estimators take them, and what to do where they cannot."""

from __future__ import annotations

from typing import Any

from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

__all__ = ["check_features"]


def check_features(estimator: Any, X: Any, *labels: Any, sparse: bool, dtype: Any, reset: bool = True) -> Any:
    """Do as scikit-learn's `validate_data`; say in code what helps against missing, text and sparse features.

    Parameters
    ----------
    estimator : estimator
    X : array-like or sparse matrix of shape (n, d)
    *labels : array-like of shape (n,)
        `y`, if it is to be checked too.
    sparse : bool
        Whether a sparse matrix is taken.
    dtype, reset
        As for `validate_data`.

    Raises
    ------
    TypeError
        If `X` is sparse and is not to be.
    ValueError
        If the input cannot be used.
    """
    name = type(estimator).__name__
    if issparse(X) and not sparse:
        raise TypeError(
            f"{name} does not take sparse input, got a {type(X).__name__} of shape {X.shape}: make the step "
            "before it return a dense array, for example by\n"
            "    OneHotEncoder(sparse_output=False)\n"
            "    ColumnTransformer(..., sparse_threshold=0)\n"
            "or use a learner that takes sparse features, such as GDPApK, BundleRanker or SGDAtK"
        )
    columns = list(getattr(X, "columns", ()))
    if len(set(columns)) < len(columns):  # older scikit-learn takes them
        twice = sorted({str(column) for column in columns if columns.count(column) > 1})
        raise ValueError(
            f"X has duplicate column names: {', '.join(twice)}: rename them, each must be unique"
        )
    try:
        return validate_data(
            estimator, X, *labels, accept_sparse="csr" if sparse else False, dtype=dtype, reset=reset
        )
    except ValueError as error:
        message = str(error)
        if message.startswith("Input X contains NaN"):
            raise ValueError(
                f"Input X contains NaN: {name} does not take missing values. Fill them in first:\n"
                "    from sklearn.impute import SimpleImputer\n"
                f"    make_pipeline(SimpleImputer(add_indicator=True), StandardScaler(), {name}(...))"
            ) from None
        if message.startswith("could not convert string to float"):
            raise ValueError(
                f"{message}: {name} takes numbers only. Encode text columns first:\n"
                "    encode = OneHotEncoder(handle_unknown='ignore', sparse_output=False)\n"
                "    make_column_transformer((encode, make_column_selector(dtype_exclude='number')), "
                "remainder='passthrough')"
            ) from None
        raise

"""The user's own file, or a published one, as a data set: any format, no code."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attop.datasets.base import Dataset, DatasetError
from attop.datasets.builder_parameters import listed
from attop.datasets.features.queries import parts_by_bounds, query_level_norm
from attop.datasets.formats import format_of, read_frame
from attop.suggestions import did_you_mean
from attop.typing import Ints

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["file_table"]

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_COMPARISON = re.compile(rf"\s*(>=|<=|>|<)\s*({_NUMBER})\s*")
#: What pandas calls a column without a name; to_csv writes row numbers as one.
_UNNAMED = re.compile(r"Unnamed: \d+|")


def file_table(
    path: str | os.PathLike[str],
    positive: Any,
    label: str | int | None = None,
    *,
    validation: str | os.PathLike[str] | None = None,
    test: str | os.PathLike[str] | None = None,
    format: str | None = None,
    reader: Mapping[str, Any] | None = None,
    group: str | int | None = None,
    entity: str | int | None = None,
    keep: Sequence[str | int] | None = None,
    drop: Sequence[str | int] = (),
    codes: Mapping[str, float] | None = None,
    one_hot: bool = False,
    thresholds: Mapping[str, Sequence[float]] | None = None,
    query_norm: str | int | None = None,
    parts: Mapping[str, Sequence[float]] | None = None,
    copies_together: bool = False,
) -> Dataset:
    """Read a table: one column of labels, perhaps one of groups, the others features.

    A column is named by its name, or by its number from 1 (from -1 backwards).

    Parameters
    ----------
    path : path
    positive : str, number or bool
        Value of the label column that is the positive class, every other value is negative; or a
        comparison such as ``">= 1"``.
    label : str or int
        Column of the labels; ``label`` if left out in the SVMlight format.
    validation, test : path, optional
        Files of the same form with more rows. `path` is then part 0, and these are the next parts; see
        `Dataset.part`.
    format : str, optional
        See `read_frame`.
    reader : mapping, optional
        Parameters of the format's reader, such as ``header`` and ``separator`` of `read_delimited`.
    group : str or int, optional
        Column that names the user or query of each row, whose rows are a list of their own.
    entity : str or int, optional
        Column that names the customer, card or machine of each row, where all rows are one list; see
        `Dataset.entity`.
    keep : sequence, optional
        Columns that are features; all but label, group, entity and `drop` if left out.
    drop : sequence
        Columns to leave out.
    codes : mapping, optional
        Numbers that stand for the values of all features that are text.
    one_hot : bool
        Replace each feature that is text by one 0/1 column per value, in sorted order.
    thresholds : mapping, optional
        Column -> numbers; each gives a feature that is 1 above the number, else 0, and only these are
        features.
    query_norm : str or int, optional
        Column of the queries within which features are scaled; see `query_level_norm`.
    parts : mapping, optional
        One column -> highest number of each part but the last; see `parts_by_bounds` and `Dataset.part`.
    copies_together : bool
        Keep rows with the same features on one side of every split; see `Dataset.unit`. A model that knows
        one of them by heart is otherwise rewarded on the others.

    Returns
    -------
    dataset : Dataset
        Named after the file; features in the order of the file.

    Raises
    ------
    DatasetError
        If a file or a column is missing, a column has missing or infinite values or is not numeric,
        `positive` does not occur, or the files differ in their columns.
    """
    import pandas as pd

    where = f"dataset {path}"
    name = format_of(path) if format is None else format
    listed(where, "drop", drop, (str, int), "columns")
    if keep is not None:
        listed(where, "keep", keep, (str, int), "columns")
    if not isinstance(copies_together, bool):
        raise DatasetError(f"{where}: copies_together must be true or false, got {copies_together!r}")
    frame, part = _read([p for p in (path, validation, test) if p is not None], name, reader)
    if label is None:
        if name != "svmlight":
            raise DatasetError(f"{where}: label is not given: name the column of the labels, or its number")
        label = "label"

    label = _column(frame, label, where)
    roles = {"group": group, "entity": entity}
    columns = {role: _column(frame, c, where) for role, c in roles.items() if c is not None}
    for role, column in columns.items():
        if column == label:
            raise DatasetError(
                f"{where}: column {label!r} cannot be both label and {role}: name another {role}"
            )
    aside = {label, *columns.values(), *(_column(frame, c, where) for c in drop)}
    if name == "svmlight":
        aside.add("qid")
    chosen = [c for c in frame.columns if c not in aside]
    if keep is not None:
        chosen = [_column(frame, c, where) for c in keep]
        if aside & set(chosen):
            raise DatasetError(
                f"{where}: column {min(aside & set(chosen))!r} cannot be a feature and something else as well"
            )
    if not chosen:
        raise DatasetError(f"{where}: no column is left for the features beside {', '.join(sorted(aside))}")
    unnamed = [c for c in chosen if _UNNAMED.fullmatch(c)] if keep is None else []
    if unnamed:
        raise DatasetError(
            f"{where}: column {frame.columns.get_loc(unnamed[0]) + 1} has no name, as row numbers written "
            "by pandas: put its number in drop, or name the features in keep"
        )
    used = {c: _values(frame[c], where) for c in (label, *columns.values(), *chosen)}
    text = {c: v for c, v in used.items() if not pd.api.types.is_numeric_dtype(v)}
    frame = frame.assign(**text)

    features = _numbers(frame[chosen], codes, one_hot, where)
    if thresholds is not None:
        features = _above(features, thresholds, where)
    y = _positives(frame[label], positive, where)
    names = {role: frame[column].to_numpy() for role, column in columns.items()}
    X = features.to_numpy(np.float64)
    if query_norm is not None:
        X = query_level_norm(X, _values(frame[_column(frame, query_norm, where)], where).to_numpy())
    if parts is not None:
        if len(parts) != 1:
            raise DatasetError(f"{where}: parts must name one column, got {list(parts)}")
        [(column, bounds)] = parts.items()
        part = parts_by_bounds(_values(frame[_column(frame, column, where)], where).to_numpy(), bounds, where)

    unit = np.unique(X, axis=0, return_inverse=True)[1].ravel() if copies_together else None

    facts = {
        "source": str(path),
        "licence": "the user's own file",
        "positive": f"{label} {positive}" if _comparison(positive) else f"{label} = {positive}",
        "features": list(features.columns),
    }
    return Dataset(
        os.path.splitext(os.path.basename(path))[0],
        X,
        y.astype(np.int64),
        names.get("group"),
        facts,
        part,
        unit,
        names.get("entity"),
    )


def _read(
    paths: Sequence[str | os.PathLike[str]], format: str, reader: Mapping[str, Any] | None
) -> tuple[pd.DataFrame, Ints | None]:
    """Return the rows of all files, and of which file each is if there are several."""
    import pandas as pd

    frames = [read_frame(path, format, reader) for path in paths]
    if len(frames) == 1:
        return frames[0], None
    first = list(frames[0].columns)
    for path, frame in zip(paths[1:], frames[1:], strict=True):
        if list(frame.columns) != first:
            raise DatasetError(
                f"dataset {path}: its {frame.shape[1]} columns are not the {len(first)} of {paths[0]}: "
                "give files of one form (of SVMlight: with n_features)"
            )
    return pd.concat(frames, ignore_index=True), np.repeat(range(len(frames)), [len(f) for f in frames])


def _column(frame: pd.DataFrame, wanted: str | int, where: str) -> str:
    """Return the name of a column given by its name or number."""
    if str(wanted) in frame.columns:
        return str(wanted)
    number = wanted if isinstance(wanted, int) and not isinstance(wanted, bool) else 0
    if 1 <= abs(number) <= frame.shape[1]:
        return frame.columns[number - 1 if number > 0 else number]
    raise DatasetError(f"{where}: no column {wanted!r}; {did_you_mean(wanted, frame.columns)}")


def _values(column: pd.Series, where: str) -> pd.Series:
    """Return a column, text without blanks around it; refuse what is missing, complex, or no single value."""
    import pandas as pd

    name = column.name
    if pd.api.types.is_complex_dtype(column):
        raise DatasetError(f"{where}: column {name!r} has complex numbers: drop it, or take real parts")
    missing = column.isna()
    if not pd.api.types.is_numeric_dtype(column):
        column = column.astype(object).map(lambda v: v.strip() if isinstance(v, str) else v)
        odd = next((v for v in column if not isinstance(v, Hashable)), None)
        if odd is not None:
            raise DatasetError(f"{where}: column {name!r} holds lists or mappings, such as {odd!r}: drop it")
        missing |= column.isin([""])
    if missing.any():
        raise DatasetError(
            f"{where}: column {name!r} has {int(missing.sum())} missing values, the first in data row "
            f"{int(missing.argmax()) + 1}: fill them in or drop these rows"
        )
    return column


def _numbers(
    features: pd.DataFrame, codes: Mapping[str, float] | None, one_hot: bool, where: str
) -> pd.DataFrame:
    """Return features that are numbers, text coded."""
    import pandas as pd

    text = [c for c in features if not pd.api.types.is_numeric_dtype(features[c])]
    for name in text:
        other = next((v for v in features[name] if not isinstance(v, (str, Real))), None)
        if other is not None:
            raise DatasetError(
                f"{where}: column {name!r} holds neither text nor plain numbers, for example {other!r}: drop "
                "it, or encode it as numbers"
            )
    if codes is not None and text:
        for name in text:
            unknown = sorted(set(features[name].astype(str)) - set(map(str, codes)))
            if unknown:
                raise DatasetError(
                    f"{where}: column {name!r} has the value {unknown[0]!r}, for which codes has no number; "
                    f"it has {', '.join(map(str, codes))}: add it"
                )
        listed(where, "codes", list(codes.values()), (int, float), "numbers, one a value")
        number = {str(value): code for value, code in codes.items()}
        features = features.assign(**{c: features[c].astype(str).map(number) for c in text})
    elif one_hot and text:
        features = pd.get_dummies(features, columns=text, prefix_sep="=", dtype=np.float64)
    elif text:
        column = features[text[0]]
        sample = column[pd.to_numeric(column, errors="coerce").isna()]
        raise DatasetError(
            f"{where}: column {text[0]!r} is not numeric, for example {(*sample, column.iloc[0])[0]!r}: "
            "set one_hot or codes, drop it, or encode it as numbers"
        )
    for name in features:
        values = features[name].to_numpy(np.float64)
        if np.isinf(values).any():
            raise DatasetError(f"{where}: column {name!r} has infinite values: remove these rows")
        if pd.api.types.is_integer_dtype(features[name]) and np.abs(values).max() >= 2**53:
            raise DatasetError(
                f"{where}: column {name!r} has integers of 2**53 or more, which features cannot hold: "
                "drop it if it names things, else divide it"
            )
    return features


def _above(features: pd.DataFrame, thresholds: Mapping[str, Sequence[float]], where: str) -> pd.DataFrame:
    """Return a 0/1 feature for each threshold of each column."""
    import pandas as pd

    return pd.DataFrame(
        {
            f"{name} > {t:g}": (features[_column(features, name, where)] > t).astype(np.float64)
            for name, values in thresholds.items()
            for t in listed(where, f"thresholds of {name!r}", values, (int, float), "numbers")
        }
    )


def _positives(column: pd.Series, positive: Any, where: str) -> NDArray[np.bool_]:
    import pandas as pd

    comparison = _comparison(positive)
    if comparison is None:
        y = _equals(column, positive)
    else:
        if not pd.api.types.is_numeric_dtype(column):
            raise DatasetError(
                f"{where}: positive is the comparison {positive!r} but column {column.name!r} is not "
                "numeric: give the value that is positive"
            )
        value = column.to_numpy(np.float64)
        sign, limit = comparison
        y = {">=": value >= limit, "<=": value <= limit, ">": value > limit, "<": value < limit}[sign]
    if not y.any():
        found = ", ".join(map(repr, column.unique().tolist()[:5]))
        what = f"{column.name} {positive}" if comparison else f"{column.name} = {positive!r}"
        raise DatasetError(f"{where}: no row has {what}; its values are {found}: set positive to one of them")
    return y


def _comparison(positive: Any) -> tuple[str, float] | None:
    found = _COMPARISON.fullmatch(positive) if isinstance(positive, str) else None
    return None if found is None else (found[1], float(found[2]))


def _equals(column: pd.Series, value: Any) -> NDArray[np.bool_]:
    """Return where a column has a value: as text, else as a number."""
    import pandas as pd

    row, distinct = pd.factorize(column)
    same = [str(v) == str(value).strip() for v in distinct]
    if not any(same):  # a configuration file may say 1 where the column has 1.0, or "1" where it has 1
        number = _number(value)
        same = [number is not None and _number(v) == number for v in distinct]
    return np.array(same)[row]


def _number(value: Any) -> int | float | None:
    """Return what a value is as a number, integers of any size exactly."""
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, str) and re.fullmatch(_NUMBER, value.strip()):
        return int(value) if value.strip().lstrip("+-").isdecimal() else float(value)
    return None

"""The parameters of a rule, each a mapping of its name.

Snakemake compares the values of a job's parameters without their names: so two cannot trade places unseen,
and the reason that ``snakemake --dry-run`` prints says which one changed.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Hashable, Iterable, Mapping
from operator import itemgetter
from typing import Any


def asked_often(function: Callable[..., object]) -> Callable[..., object]:
    """Return a function of a rule with its parameters kept: Snakemake looks at them three times a job."""
    from snakemake.common import overwrite_function_params

    overwrite_function_params(function, inspect.signature(function).parameters)
    return function


def either(values: Mapping[Hashable, object], key: Callable[[Any], Hashable]) -> object:
    """Return the one value of all jobs, else a function of the wildcards, of which `key` is made."""
    first = next(iter(values.values()))
    return first if all(v == first for v in values.values()) else asked_often(lambda w: values[key(w)])


def named(**values: object) -> dict[str, Any]:
    """Return parameters for a rule, of values or functions of the wildcards."""
    return {name: _named(name, value) for name, value in values.items()}


def by_name(params: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the parameters of a job by name, without the fingerprint, to its script."""
    return {name: value for one in params for name, value in one.items() if name != "code"}


def _named(name: str, value: object) -> object:
    if callable(value):
        return lambda wildcards: {name: plain(value(wildcards))}
    return {name: plain(value)}


def plain(value: Any) -> Any:
    """Return a JSON value, mappings in the order of their keys: another order in a file changes nothing.

    Keys become text, as YAML allows numbers and dates beside it; so does what JSON does not know.
    """
    if isinstance(value, Mapping):
        return {
            key: plain(of)
            for key, of in sorted(((str(key), of) for key, of in value.items()), key=itemgetter(0))
        }
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if value is None or type(value) in (str, int, float, bool):  # as nearly all are, of each of 10,000 jobs
        return value
    return json.loads(json.dumps(value, default=str))

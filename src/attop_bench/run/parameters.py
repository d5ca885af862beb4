"""The parameters of a rule, each a mapping of its name.

Snakemake compares the values of a job's parameters without their names: so two cannot trade places unseen,
and the reason that ``snakemake --dry-run`` prints says which one changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any


def by_name(params: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the parameters of a job by name, without the fingerprint, to its script."""
    return {name: value for one in params for name, value in one.items() if name != "code"}


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

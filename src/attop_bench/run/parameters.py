"""The parameters of a rule, each a mapping of its name.

Snakemake compares values without names: so two cannot trade places unseen, and the reason that ``snakemake
--dry-run`` prints names the one that changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from attop_bench.files import Entry, JsonObject


def by_name(params: Iterable[Entry]) -> JsonObject:
    """Merge the parameters of a job into one mapping for its script, without the fingerprint."""
    return {
        name: value
        for one in params
        for name, value in one.items()
        if name != "code"
    }


def plain(value: Any) -> Any:
    """Convert a value to JSON: mappings are sorted by key; keys, and values unknown to JSON, become text."""
    if isinstance(value, Mapping):
        return {str(key): plain(value[key]) for key in sorted(value, key=str)}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    # As nearly all are, of each of 10,000 jobs.
    if value is None or type(value) in (str, int, float, bool):
        return value
    return json.loads(json.dumps(value, default=str))


def short_digest(content: bytes) -> str:
    """Digest bytes by the first 16 digits of their SHA-256."""
    return hashlib.sha256(content).hexdigest()[:16]


def digest_of_value(value: Any) -> str:
    """Digest a value of a configuration by its `plain` form."""
    return short_digest(json.dumps(plain(value)).encode())

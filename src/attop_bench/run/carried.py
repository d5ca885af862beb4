"""The digest of what it was made with that a file of results carries."""

from __future__ import annotations

import hashlib
import json
import os
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from attop_bench.run.parameters import plain
from attop_bench.run.spec import JobSpec

__all__ = ["digest", "made_with", "origin_of_run"]

#: The first entries of a JSON file that `attop.core.files.write_json` wrote.
_FIRST = re.compile(r'\{\s*"made_with": "(\w*)"(?:,\s*"sizes": (\{[^}]*\}))?')


def made_with(path: str | os.PathLike[str]) -> str | None:
    """Return the digest that a file of results carries.

    Returns
    -------
    digest : str or None
        Empty if it carries none, or is damaged, or if a file beside it has not the size that it says. None if
        there is no such file, and of data that are damaged: what was trained on them is not to be repeated
        for that, and their check refuses them.
    """
    path = Path(path)
    try:
        if path.suffix == ".parquet":
            from pyarrow.parquet import read_schema

            return ((read_schema(path).metadata or {}).get(b"attop_made_with") or b"").decode()
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                return json.loads(str(file["meta"])).get("made_with", "")
        text = path.read_text(encoding="utf-8")
        found = _FIRST.match(text) if text.endswith("\n}\n") else None
        sizes = json.loads(found[2] or "{}") if found else {}
        return found[1] if found and all(_size(path.parent / n) == size for n, size in sizes.items()) else ""
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):  # pyarrow's are OSErrors too
        return None if path.suffix == ".npz" or not path.exists() else ""


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def origin_of_run(spec: JobSpec, data: str) -> str:
    """Return the digest for a training run on data that carry the digest `data`; the same for all folds."""
    said = {name: value for name, value in spec.as_dict().items() if name not in ("repeat", "fold")}
    return digest(data, said)


def digest(*said: Any) -> str:
    """Return a digest of JSON values."""
    return hashlib.sha256(json.dumps(plain(said)).encode()).hexdigest()[:16]

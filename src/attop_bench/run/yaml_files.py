"""YAML files of keys and values, in which no key is written twice."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

__all__ = ["read_yaml"]


def read_yaml(path: str | Path) -> dict[str, Any]:
    """Return the keys and values of a file.

    Raises
    ------
    ValueError
        If it cannot be read, is not YAML, holds anything but keys and values, or has a key twice: YAML would
        take the last and say nothing.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from None
    try:
        found = yaml.load(content, _Loader)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"{path} is not valid YAML: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path} must hold keys and values, got {type(found).__name__}")
    return found


#: That of libyaml takes a quarter of the time, and every start of Snakemake reads the catalogues.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_SafeLoader):
    """The safe loader, refusing a key that a mapping has already."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen and key.value != "<<":
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {key.value!r} is there twice: keep one", key.start_mark
                    )
                seen.add(key.value)
        found: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return found

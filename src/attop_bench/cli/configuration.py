"""The configuration of a command, read as snakemake reads it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from attop_bench.cli.options import source
from attop_bench.run.config import CATALOGUES, Config, ConfigError, catalogue_files, load_config, read_yaml


def read_raw(options: argparse.Namespace) -> dict[str, Any]:
    """Return the merged keys of the configuration files and of ``--config``."""
    raw: dict[str, Any] = {}
    default = Path("config/config.yaml")
    for file in (default if default.exists() else source() / default, *map(Path, options.configfile)):
        _merge(raw, read_yaml(file))
    for entry in options.config:
        key, equals, value = entry.partition("=")
        if not equals:
            raise ConfigError(f"--config wants KEY=VALUE, got {entry!r}")
        try:
            _merge(raw, {key: yaml.safe_load(value)})
        except yaml.YAMLError:
            raise ConfigError(f"--config {key}: the value is not valid YAML, got {value!r}") from None
    raw.setdefault("catalogues", dict(CATALOGUES))
    files = catalogue_files(raw)
    if not all(Path(file).exists() for file in files.values()):  # as the Snakefile does
        raw["catalogues"] = {section: str(source() / file) for section, file in files.items()}
    return raw


def read_catalogues(raw: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the entries of a configuration's catalogue files, by section."""
    return {section: read_yaml(file) for section, file in catalogue_files(raw).items()}


def read_config(options: argparse.Namespace) -> Config:
    """Return the checked configuration."""
    return load_config(read_raw(options))


def identifier(entry: object) -> str:
    """Return the name of an entry of ``datasets`` or ``methods``."""
    return str(entry.get("id") if isinstance(entry, Mapping) else entry)


def list_entry(raw: dict[str, Any], section: str, name: str) -> bool:
    """Put the catalogue's entry `name` into the configuration; return whether it was there already."""
    entries = raw.get(section)
    if not isinstance(entries, list) or name in map(identifier, entries):
        return True  # load_config complains of what is no list
    raw[section] = [*entries, name]
    return False


def _merge(base: dict[str, Any], update: Mapping[str, Any]) -> None:
    """Put `update` over `base`, mappings key by key, as snakemake does."""
    for key, value in update.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), Mapping):
            inner = dict(base[key])
            _merge(inner, value)
            base[key] = inner
        else:
            base[key] = value

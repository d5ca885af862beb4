"""The configuration of a command, read as snakemake reads it."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any

import yaml

from attop.extending import join_first, nearest
from attop_bench.cli.options import beside
from attop_bench.files import Entry, JsonObject
from attop_bench.run.config import (
    Config,
    ConfigError,
    catalogue_files,
    load_config,
    read_yaml,
)
from attop_bench.run.places import default_configuration, with_places


def read_raw(options: Namespace) -> JsonObject:
    """Merge the keys of the configuration files and of ``--config``."""
    raw: JsonObject = {}
    for file in (default_configuration(beside), *options.configfile):
        _merge(raw, read_yaml(file))
    for entry in options.config:
        key, equals, value = entry.partition("=")
        if not equals:
            raise ConfigError(f"--config wants KEY=VALUE, got {entry!r}")
        try:
            _merge(raw, {key: yaml.safe_load(value)})
        except yaml.YAMLError:
            raise ConfigError(
                f"--config {key}: the value is not valid YAML, got {value!r}"
            ) from None
    return with_places(raw, options.configfile, beside("Snakefile"), beside)


def read_catalogues(raw: Entry) -> dict[str, Entry]:
    """Read the entries of a configuration's catalogue files, by section."""
    return {
        section: read_yaml(file) for section, file in catalogue_files(raw).items()
    }


def read_config(options: Namespace) -> Config:
    """Read and check the configuration."""
    return load_config(read_raw(options))


def identifier(entry: object) -> str:
    """Name an entry of ``datasets`` or ``methods``."""
    return str(entry.get("id") if isinstance(entry, Mapping) else entry)


def list_entry(raw: JsonObject, section: str, name: str) -> bool:
    """Put the catalogue's entry `name` into the configuration; return whether it was there already."""
    entries = raw.get(section)
    if not isinstance(entries, list) or name in map(identifier, entries):
        return True  # load_config refuses what is not a list
    _refuse_unknown(raw, section, name)
    raw[section] = [*entries, name]
    return False


def names_of(options: Namespace, section: str) -> list[str]:
    """List the names of ``datasets`` or ``methods`` that a command may be given."""
    raw = read_raw(options)
    entries = raw.get(section)
    chosen = map(identifier, entries if isinstance(entries, list) else ())
    return list(
        dict.fromkeys([*chosen, *map(str, read_catalogues(raw).get(section, {}))])
    )


def add_pair(parser: ArgumentParser, **method: Any) -> None:
    """Add a data set and a method of the catalogues."""
    _complete_names(
        parser.add_argument(
            "dataset",
            metavar="DATASET",
            help="its name; attop list datasets prints all",
        ),
        "datasets",
    )
    method = {"help": "its name; attop list methods prints all", **method}
    _complete_names(
        parser.add_argument("method", metavar="METHOD", **method), "methods"
    )


def _complete_names(argument: Action, section: str) -> None:
    """Let a shell complete an argument by the names of a catalogue."""

    def names(**facts: Any) -> list[str]:
        return names_of(facts["parsed_args"], section)

    argument.completer = names  # type: ignore[attr-defined]


def _refuse_unknown(raw: Entry, section: str, name: str) -> None:
    """Refuse a name of neither configuration nor catalogue: the nearest is one of the configuration first."""
    catalogue = read_catalogues(raw).get(section, {})
    if name in catalogue:
        return
    chosen = [identifier(entry) for entry in raw[section]]
    hint = nearest(name, chosen) or nearest(name, catalogue)
    if not hint:
        others = f"attop list {section} prints {len(catalogue):,} others"
        hint = f"the configuration has {join_first(chosen)}, and {others}"
    raise ConfigError(f"unknown {section[:-1]} {name!r}; {hint}")


def _merge(base: JsonObject, update: Entry) -> None:
    """Put `update` over `base`, mappings key by key, as snakemake does."""
    for key, value in update.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), Mapping):
            inner = dict(base[key])
            _merge(inner, value)
            base[key] = inner
        else:
            base[key] = value

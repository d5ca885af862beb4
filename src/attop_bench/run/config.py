"""The benchmark's configuration: read with the catalogues it names, refusing what it does not know."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from attop.core.wording import nearest
from attop.metrics.custom import custom_metric
from attop.metrics.registry import DEFAULT_METRICS, METRICS, is_known
from attop_bench.data.base import DatasetError
from attop_bench.data.catalogue import kind_of, stage_parameters
from attop_bench.data.splits.protocols import PROTOCOLS, count_folds
from attop_bench.run.options import (
    DOTTED,
    Config,
    DatasetConfig,
    MethodConfig,
    fields_of,
)
from attop_bench.run.paper import load_paper
from attop_bench.run.yaml_files import read_yaml

__all__ = ["Config", "ConfigError", "DatasetConfig", "MethodConfig", "load_config"]

#: Repeats times folds of a data set. Each is a file per method, and Snakemake looks at every one.
_MOST_SPLITS = 10_000


class ConfigError(ValueError):
    """A configuration that cannot be run; the message says where, what and how to mend it."""

    for_the_user = True


def load_config(raw: Mapping[str, Any], root: str | Path = ".") -> Config:
    """Check a configuration and resolve the names in it.

    Parameters
    ----------
    raw : mapping
        What the YAML file holds. Its entries `datasets` and `methods` are lists of identifiers from the
        catalogue files, or mappings with an `id`, which add to or override the entry of that name.
        The catalogues are named by `catalogues`, relative to `root`.

    Raises
    ------
    ConfigError
        With every complaint, one a line.
    """
    known = _keys_at(())
    unknown = [
        f"{key}: unknown key{_hint(key, known)}; known: {', '.join(known)}" for key in raw if key not in known
    ]
    if unknown:
        raise ConfigError("\n".join(unknown))
    raw = dict(raw)
    files = raw.pop("catalogues", {})
    if (
        not isinstance(files, Mapping)
        or set(files) - {"datasets", "methods"}
        or not all(isinstance(file, str) for file in files.values())
    ):
        raise ConfigError(f"catalogues must map 'datasets' and 'methods' to YAML files, got {files!r}")
    catalogues = {}
    for section in ("datasets", "methods"):
        path = files.get(section)
        catalogues[section] = _read_catalogue(Path(root) / path, section) if path else {}
        raw[section] = _resolve(raw.get(section), catalogues[section], section)
    raw |= _with_own_metrics(raw)
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(_explain(error, raw)) from None
    _skip_absent(config)
    _check_whole(config, catalogues["methods"])
    return config


def _skip_absent(config: Config) -> None:
    """Skip methods whose package is not installed, with that as the reason."""
    for method in config.methods:
        if method.requires is not None and find_spec(method.requires) is None:
            reason = f"needs the package {method.requires}, which is not installed"
            for data in config.datasets:
                data.skip.setdefault(method.id, reason)


def _read_catalogue(path: Path, section: str) -> dict[str, Any]:
    try:
        return read_yaml(path)
    except ValueError as error:
        raise ConfigError(f"catalogues: {section}: {error}") from None


def _resolve(chosen: Any, catalogue: Mapping[str, Any], section: str) -> list[dict[str, Any]]:
    if not isinstance(chosen, Sequence) or isinstance(chosen, str) or not chosen:
        raise ConfigError(f"{section}: a list with at least one entry is needed, got {chosen!r}")
    resolved = []
    for entry in chosen:
        if isinstance(entry, str):
            if entry not in catalogue:
                raise ConfigError(
                    f"{section}: unknown {section[:-1]} {entry!r}{_hint(entry, catalogue)}; "
                    f"known: {', '.join(catalogue) or 'none, no catalogue is named'}"
                )
            entry = {"id": entry}
        if not isinstance(entry, Mapping) or not isinstance(entry.get("id"), str):
            raise ConfigError(
                f"{section}: an entry is a name or a mapping with an id, which is text, got {entry!r}"
            )
        base = entry.get("like", entry["id"])
        if not isinstance(base, str):
            raise ConfigError(f"{section}: {entry['id']}: like: a name is needed, got {base!r}")
        if base not in catalogue and "like" in entry:
            raise ConfigError(
                f"{section}: {entry['id']}: like: unknown {section[:-1]} {base!r}{_hint(base, catalogue)}"
            )
        known = catalogue.get(base) or {}
        if not isinstance(known, Mapping):
            raise ConfigError(f"catalogues: {section}: {base}: keys and values are needed, got {known!r}")
        resolved.append({**known, **entry})
    return resolved


def _check_whole(config: Config, catalogue: Mapping[str, Any]) -> None:
    complaints = []
    entries: list[tuple[str, list[str]]] = [
        ("datasets", [d.id for d in config.datasets]),
        ("methods", [m.id for m in config.methods]),
    ]
    for section, ids in entries:
        for id in sorted({i for i in ids if ids.count(i) > 1}):
            complaints.append(f"{section}: {id!r} is listed {ids.count(id)} times: list it once")
    for data in config.datasets:
        try:
            splits = data.protocol.repeats * count_folds(data.protocol.kind, **data.protocol.options)
            if splits > _MOST_SPLITS:
                complaints.append(
                    f"datasets: {data.id}: protocol: repeats times folds is {splits}, at most {_MOST_SPLITS} "
                    "are supported: lower one of them"
                )
            if data.protocol.repeats > 1 and not PROTOCOLS[data.protocol.kind].drawn:
                complaints.append(
                    f"datasets: {data.id}: protocol: repeats is {data.protocol.repeats}, but "
                    f"{data.protocol.kind!r} draws nothing and every repeat would be the same split: "
                    "leave repeats out"
                )
            kind = kind_of(data.kind)
            for name in data.files:
                if name not in kind.files:
                    complaints.append(
                        f"datasets: {data.id}: files: {name!r} is no file of kind {data.kind!r}"
                        f"{_hint(name, kind.files)}; it reads: {', '.join(kind.files) or 'none'}"
                    )
            for stage in kind.stages:
                stage_parameters(data.kind, stage, data.parameters)
        except DatasetError as error:
            complaints.append(f"datasets: {data.id}: {error}")
    complaints += _check_metrics(config)
    if config.paper is not None:
        try:
            load_paper(config.paper)
        except ValueError as error:
            complaints.append(f"paper: {error}")
    methods = {m.id for m in config.methods}
    for dataset in config.datasets:
        for name in set(dataset.skip) - methods - set(catalogue):
            hint = _hint(name, [*methods, *catalogue])
            complaints.append(f"datasets: {dataset.id}: skip: unknown method {name!r}{hint}")
        if methods <= set(dataset.skip):
            complaints.append(f"datasets: {dataset.id}: every method is skipped: leave the data set out")
    if complaints:
        raise ConfigError("\n".join(complaints))


def _explain(error: ValidationError, raw: Mapping[str, Any]) -> str:
    lines = []
    for item in error.errors():
        where = _place(item["loc"], raw)
        if item["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
            key = str(item["loc"][-1])
            known = _keys_at(item["loc"][:-1])
            lines.append(f"{where}: unknown key{_hint(key, known)}; known: {', '.join(known)}")
        elif item["type"] == "missing":
            lines.append(f"{where}: missing; it must be given")
        else:
            message = item["msg"].removeprefix("Value error, ")
            got = "" if " got " in message else f", got {item['input']!r}"
            lines.append(f"{where}: {message[:1].lower()}{message[1:]}{got}")
    return "\n".join(lines)


def _place(location: tuple[int | str, ...], raw: Mapping[str, Any]) -> str:
    """Say where: a list index becomes the identifier of the entry."""
    words, here = [], raw
    for step in location:
        here = here[step] if isinstance(here, (list, Mapping)) and _has(here, step) else {}  # type: ignore
        if isinstance(step, int) and isinstance(here, Mapping) and "id" in here:
            words.append(str(here["id"]))
        else:
            words.append(str(step))
    return ": ".join(words)


def _has(container: Any, step: int | str) -> bool:
    return step in container if isinstance(container, Mapping) else isinstance(step, int)


def _keys_at(location: tuple[int | str, ...]) -> list[str]:
    model: type = Config
    for step in location:
        field = fields_of(model).get(str(step))
        model = (_model_in(field.annotation) if field else None) or model
    extra = ["catalogues"] if model is Config else []
    return [*fields_of(model), *extra]


def _model_in(annotation: Any) -> type | None:
    """Return what describes the mappings in a field: that of `dict[str, Source]` is `Source`."""
    if isinstance(annotation, type) and (issubclass(annotation, BaseModel) or is_dataclass(annotation)):
        return annotation
    return next(filter(None, map(_model_in, typing.get_args(annotation))), None)


def _hint(word: str, known: Any) -> str:
    question = nearest(word, known)
    return f", {question}" if question else ""


def _with_own_metrics(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys about metrics, those named by a dotted path defined by it."""
    own, chosen, datasets = raw.get("custom_metrics", {}), raw.get("metrics", []), raw["datasets"]
    if not isinstance(own, Mapping) or not isinstance(chosen, list):
        return {}  # for the model to refuse
    named = [*chosen, *(data.get("scoring") for data in datasets)]
    dotted = [n for n in named if isinstance(n, str) and re.match(DOTTED, n)]
    own = {**{name: {"path": name} for name in dotted}, **own}
    return {"custom_metrics": own, "metrics": chosen if "metrics" in raw else [*DEFAULT_METRICS, *own]}


def _check_metrics(config: Config) -> list[str]:
    complaints = []
    for name, definition in config.custom_metrics.items():
        try:
            custom_metric(name, **definition.model_dump())
        except ValueError as error:
            complaints.append(f"metric {name!r}: {error}")
    names = [*METRICS, *config.custom_metrics]
    places = [("metrics", name) for name in config.metrics]
    places += [(f"datasets: {data.id}: scoring", data.scoring) for data in config.datasets]
    for where, name in places:
        try:
            known = name in names or is_known(name)
        except ValueError as error:  # such as a precision of 2
            complaints.append(f"{where}: {error}")
            continue
        if not known:
            complaints.append(
                f"{where}: unknown metric{_hint(name, names)}; known: {', '.join(names)}, got {name!r}"
            )
    return complaints

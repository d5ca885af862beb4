"""Reading and checking a configuration, with the catalogues it names."""

from __future__ import annotations

import math
import os
import re
import typing
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from importlib.util import find_spec
from pathlib import Path
from types import NoneType
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from attop.extending import did_you_mean
from attop.metrics import AMOUNTS, DEFAULT_METRICS, METRICS, custom_metric, is_known
from attop_bench.data.base import DatasetError
from attop_bench.data.catalogue import kind_of, stage_parameters
from attop_bench.data.splits.protocols import PROTOCOLS, count_folds
from attop_bench.files import Entry, JsonObject
from attop_bench.run.depends import complaints
from attop_bench.run.options import (
    DOTTED,
    Config,
    DatasetConfig,
    MethodConfig,
    fields_of,
)
from attop_bench.run.paper import load_paper
from attop_bench.run.refusal import ConfigError as ConfigError
from attop_bench.run.refusal import refuse

#: Repeats times folds of a data set: each is a file per method, which Snakemake looks at.
_MOST_SPLITS = 10_000

#: The catalogues of a configuration that names none: of the working directory, else of the repository.
CATALOGUES = {
    section: f"config/{section}.yaml" for section in ("datasets", "methods")
}


def load_config(raw: Entry, root: str | Path = ".") -> Config:
    """Check the content of a YAML file and resolve the names in it.

    Its `datasets` and `methods` are lists of names of the files in `catalogues`, relative to `root`, or of
    mappings with an `id`, which override the entry of that name; a file of the user's own (a `path` among its
    parameters) overrides nothing. Raises `ConfigError` with every complaint.
    """
    keys = _keys_at(())
    refuse(
        f"{key}: unknown key; {did_you_mean(key, keys)}"
        for key in raw
        if key not in keys
    )
    raw = dict(raw)
    files = catalogue_files(raw)
    raw.pop("catalogues", None)
    catalogues: dict[str, Entry] = {"datasets": {}, "methods": {}}
    for section in catalogues:
        if section in files:
            catalogues[section] = read_yaml(Path(root) / files[section])
        raw[section] = _resolve(raw.get(section), catalogues[section], section)
    raw |= _with_own_metrics(raw)
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        raise ConfigError("\n".join(_explain(error, raw))) from None
    for method in config.methods:
        if method.requires is not None and not _is_installed(method.requires):
            reason = f"needs the package {method.requires}, which is not installed"
            for data in config.datasets:
                data.skip.setdefault(method.id, reason)
    refuse(_complaints(config, catalogues["methods"], catalogues["datasets"]))
    return config


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # without what it is a part of, or empty
        return False


def catalogue_files(raw: Entry) -> Mapping[str, str]:
    """Map each section to the file of its catalogue, as a configuration names it."""
    files = raw.get("catalogues", {})
    named = isinstance(files, Mapping) and all(
        isinstance(file, str) for file in files.values()
    )
    if not named or set(files) - {"datasets", "methods"}:
        raise ConfigError(
            f"catalogues must map 'datasets' and 'methods' to YAML files, got {files!r}"
        )
    return files


def read_yaml(path: str | Path) -> JsonObject:
    """Read the keys and values of a YAML file; refuse a key that occurs twice."""
    try:
        content = yaml.load(Path(path).read_bytes(), _Loader)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid YAML: {error}") from None
    if not isinstance(content, dict):
        raise ConfigError(
            f"{path} must hold keys and values, got {type(content).__name__}"
        )
    return content


#: libyaml's loader takes a quarter of the time, and every start of Snakemake reads the catalogues.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_SafeLoader):
    """The safe loader, refusing a key that a mapping has already."""

    def construct_mapping(
        self, node: yaml.MappingNode, deep: bool = False
    ) -> dict[Hashable, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None,
                        None,
                        f"the key {key.value!r} is there twice: keep one",
                        key.start_mark,
                    )
                seen.add(key.value)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping


def _resolve(chosen: object, catalogue: Entry, section: str) -> list[JsonObject]:
    """Complete each entry of `datasets` or `methods` by the catalogue."""
    if not isinstance(chosen, (list, tuple)) or not chosen:
        raise ConfigError(
            f"{section}: a list with at least one entry is needed, got {chosen!r}"
        )
    resolved = []
    for entry in chosen:
        must_be_known = isinstance(entry, str)
        if isinstance(entry, str):
            entry = {"id": entry}
        if not isinstance(entry, Mapping) or not isinstance(entry.get("id"), str):
            raise ConfigError(
                f"{section}: an entry is a name or a mapping with an id of text, got {entry!r}"
            )
        where = section
        base = entry["id"]
        if "extends" in entry:
            must_be_known = True
            where = f"{section}: {base}: extends"
            base = entry["extends"]
        if not isinstance(base, str):
            raise ConfigError(f"{where}: a name is needed, got {base!r}")
        if must_be_known and base not in catalogue:
            raise ConfigError(
                f"{where}: unknown {section[:-1]} {base!r}; {did_you_mean(base, catalogue)}"
            )
        template = (
            {}
            if section == "datasets" and _is_own_file(entry)
            else catalogue.get(base) or {}
        )
        if not isinstance(template, Mapping):
            raise ConfigError(
                f"catalogues: {section}: {base}: keys and values are needed, got {template!r}"
            )
        resolved.append({**template, **entry})
    return resolved


def _is_own_file(entry: Entry) -> bool:
    """Tell whether an entry names a file, which is then the user's, whatever data set has its name."""
    params = entry.get("params")
    return (
        "extends" not in entry and isinstance(params, Mapping) and "path" in params
    )


def _with_own_metrics(raw: Entry) -> JsonObject:
    """Complete the keys about metrics by a definition of each that is named by a dotted path."""
    definitions = raw.get("custom_metrics", {})
    chosen = raw.get("metrics", [])
    datasets = raw["datasets"]
    if not isinstance(definitions, Mapping) or not isinstance(chosen, list):
        return {}  # for the model to refuse
    keys = ("scoring", "select")
    names = [
        *chosen,
        raw.get("select"),
        *(data.get(key) for data in datasets for key in keys),
    ]
    dotted = [n for n in names if isinstance(n, str) and re.match(DOTTED, n)]
    definitions = {**{name: {"path": name} for name in dotted}, **definitions}
    worth = any("amount" in (data.get("params") or ()) for data in datasets)
    default = [*DEFAULT_METRICS, *(name for name in AMOUNTS if worth), *definitions]
    return {
        "custom_metrics": definitions,
        "metrics": chosen if "metrics" in raw else default,
    }


def _complaints(
    config: Config, catalogue: Entry, known_datasets: Entry
) -> Iterator[str]:
    """Yield the errors of a configuration as a whole; `catalogue` is that of the methods."""
    methods = [m.id for m in config.methods]
    datasets = [d.id for d in config.datasets]
    catalogued = list(dict.fromkeys([*datasets, *known_datasets]))
    yield from _listed_twice("datasets", datasets)
    yield from _listed_twice("methods", methods)
    for data in config.datasets:
        try:
            yield from (
                f"datasets: {data.id}: {complaint}"
                for complaint in _wrong_with(data)
            )
        except DatasetError as error:
            yield f"datasets: {data.id}: {error}"
    if refused := _no_folder_of_results(Path(config.output), config.cache):
        yield f"output: {config.output} {refused}: give another folder"
    if config.question and (rival := config.question.against) not in methods:
        yield f"question: against: unknown method {rival!r}; {did_you_mean(rival, methods)}"
    yield from _wrong_metrics(config)
    yield from _wrong_depends(config)
    for method in config.methods:
        yield from (
            f"methods: {method.id}: resources: datasets: {c}"
            for c in _wrong_requests(method, catalogued)
        )
    if config.paper is not None:
        try:
            load_paper(config.paper)
        except ValueError as error:
            yield f"paper: {error}"
    for data in config.datasets:
        yield from _wrong_skips(data, methods, catalogue)


def _listed_twice(section: str, ids: Sequence[str]) -> Iterator[str]:
    for name in sorted({name for name in ids if ids.count(name) > 1}):
        yield f"{section}: {name!r} is listed {ids.count(name)} times: list it once"


def _wrong_skips(
    data: DatasetConfig, methods: Sequence[str], catalogue: Entry
) -> Iterator[str]:
    """Yield the methods to skip that do not exist, and a complaint if none is left."""
    for name in set(data.skip) - {*methods, *catalogue}:
        question = did_you_mean(name, [*methods, *catalogue])
        yield f"datasets: {data.id}: skip: unknown method {name!r}; {question}"
    if set(methods) <= set(data.skip):
        yield f"datasets: {data.id}: every method is skipped: leave the data set out"


#: Folders of a run in its output, which may hold other runs' results as well, such as results/aatp2012.
_OWN_FOLDERS = {
    "data",
    "evaluation",
    "figures",
    "logs",
    "paper",
    "simulations",
    "tables",
    "train",
}


def _no_folder_of_results(output: Path, cache: str) -> str:
    if os.path.realpath(output) == os.path.realpath(cache):
        return "is the folder of downloads as well (cache)"
    path = output.absolute()
    for folder in (path, *path.parents):
        if folder.exists() and not folder.is_dir():
            return "is a file" if folder == path else f"is below the file {folder}"
        inside = path.relative_to(folder).parts[:1]
        if _OWN_FOLDERS.intersection(inside) and (folder / ".attop.json").is_file():
            return (
                f"is inside a folder that another run writes, {folder / inside[0]}"
            )
    return ""


def _wrong_with(data: DatasetConfig) -> Iterator[str]:
    protocol = data.protocol
    kind = kind_of(data.kind)
    if data.id == "all":
        yield "all.tex is the table of all data sets: give another id"
    splits = protocol.repeats * count_folds(protocol.kind, **protocol.options)
    if splits > _MOST_SPLITS:
        yield f"protocol: repeats times folds is {splits}, at most {_MOST_SPLITS} are run: lower one of them"
    if protocol.repeats > 1 and not PROTOCOLS[protocol.kind].drawn:
        yield (
            f"protocol: repeats is {protocol.repeats}, but {protocol.kind!r} draws nothing and every repeat "
            "would be the same split: leave repeats out"
        )
    for name in data.files:
        if name not in kind.files:
            yield f"files: {name!r} is not a file of kind {data.kind!r}; {did_you_mean(name, kind.files)}"
    for name in kind.files:
        file = data.parameters.get(name)
        is_joined = name == "labels" and isinstance(file, Mapping)
        if not isinstance(file, (str, os.PathLike, NoneType)) and not is_joined:
            yield f"{name} must be the name of a file, got {file!r}"
    for stage in kind.stages:
        params = stage_parameters(data.kind, stage, data.parameters)
        if data.scoring in AMOUNTS and params.get("amount", "its own") is None:
            yield f"scoring: {data.scoring} needs what each row is worth: name the column, amount in params"


def _wrong_requests(method: MethodConfig, datasets: Sequence[str]) -> Iterator[str]:
    """Yield the errors of what a method asks for on some data sets, of those that there are."""
    for name, request in method.resources.datasets.items():
        if name not in datasets:
            yield f"unknown data set {name!r}; {did_you_mean(name, datasets)}"
        if request.datasets:
            yield f"{name}: datasets: data sets are named once: put what is asked for beside this key"


def _wrong_depends(config: Config) -> Iterator[str]:
    for method in config.methods:
        yield from (
            f"methods: {method.id}: {text}"
            for text in complaints(method, method.estimator)
        )
    for data in config.datasets:
        yield from (
            f"datasets: {data.id}: {text}" for text in complaints(data, data.kind)
        )


def _wrong_metrics(config: Config) -> Iterator[str]:
    for name, definition in config.custom_metrics.items():
        try:
            custom_metric(name, **definition.model_dump())
        except ValueError as error:
            yield f"metric {name!r}: {error}"
    names = [*METRICS, *config.custom_metrics]
    places = [("metrics", name) for name in config.metrics]
    places += [
        (f"datasets: {data.id}: scoring", data.scoring) for data in config.datasets
    ]
    yield from _wrong_selection(config)
    for where, name in places:
        try:
            if name not in names and not is_known(name):
                yield f"{where}: unknown metric {name!r}; {did_you_mean(name, names)}"
        except ValueError as error:  # such as a precision of 2
            yield f"{where}: {error}"


def _wrong_selection(config: Config) -> Iterator[str]:
    """Yield the errors of what selects, of searches and of their budget."""
    places = [
        ("select", config.select),
        *((f"datasets: {d.id}: select", d.select) for d in config.datasets),
    ]
    places += [(f"methods: {m.id}: select", m.select) for m in config.methods]
    for where, name in places:
        try:
            if name is not None:
                config.selector(name)
        except ValueError as error:
            yield f"{where}: {error}"
    searching = [
        f"the {what} of {method.id}"
        for method in config.methods
        for what, is_there in (
            ("drawn candidates", method.param_distributions),
            ("ensemble", method.ensemble > 1),
        )
        if is_there
    ]
    for data in config.datasets:
        selects = [
            f"select {one!r}"
            for one in (data.select, *(method.select for method in config.methods))
            if one
        ]
        whats = [*selects, *searching]
        if data.selection == "optimistic" and whats:
            yield (
                f"datasets: {data.id}: selection optimistic takes the best of the same candidates by scoring "
                f"on all test parts, and cannot have {whats[0]}: leave it out, or selection"
            )
    for method in config.methods:
        yield from (
            f"methods: {method.id}: {text}"
            for text in _wrong_search(method, config)
        )
    if config.budget and (config.budget.candidates is None) == (
        config.budget.seconds is None
    ):
        yield f"budget: one of candidates and seconds is needed, got {config.budget.model_dump()}"


def _wrong_search(method: MethodConfig, config: Config) -> Iterator[str]:
    budget = config.budget
    if method.param_distributions and method.param_grid:
        yield "param_grid and param_distributions are both given: keep one; values are {choice: [...]} there"
    if method.n_candidates is not None and not method.param_distributions:
        yield "n_candidates is given, but no param_distributions to draw from: leave it out"
    size = math.prod(map(len, method.param_grid.values()))
    if method.ensemble > 1 and size < 2 and not method.param_distributions:
        yield (
            f"ensemble is {method.ensemble}, but there is one candidate: give param_grid or "
            "param_distributions, or leave it out"
        )
    if budget and budget.candidates and size > budget.candidates:
        yield (
            f"param_grid has {size} combinations, and budget allows {budget.candidates} candidates: shorten "
            "it, or give param_distributions"
        )
    if count := config.drawn(method):
        # Slow, and each start of Snakemake comes to this module.
        from attop.experiment import draw_candidates, read_distribution

        try:
            space = {
                name: read_distribution(entry)
                for name, entry in method.param_distributions.items()
            }
            draw_candidates(space, count, 0, fewer=bool(budget and budget.seconds))
        except ValueError as error:
            yield f"param_distributions: {error}"


def _explain(error: ValidationError, raw: Entry) -> Iterator[str]:
    """Yield pydantic's complaints, each with its place and the value."""
    for item in error.errors():
        where = _place(item["loc"], raw)
        if item["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
            keys = _keys_at(item["loc"][:-1])
            yield f"{where}: unknown key; {did_you_mean(item['loc'][-1], keys)}"
        elif item["type"] == "missing":
            yield f"{where}: missing; it must be given"
        else:
            message = item["msg"].removeprefix("Value error, ")
            got = "" if " got " in message else f", got {item['input']!r}"
            yield f"{where}: {message[:1].lower()}{message[1:]}{got}"


def _place(location: tuple[int | str, ...], raw: object) -> str:
    """Put the location of an error into words: a list index becomes the identifier of the entry."""
    words = []
    for step in location:
        try:
            raw = raw[step]  # type: ignore[index]
        except (LookupError, TypeError):
            raw = None
        words.append(
            str(raw["id"] if isinstance(raw, Mapping) and "id" in raw else step)
        )
    return ": ".join(words)


def _keys_at(location: tuple[int | str, ...]) -> list[str]:
    model: type = Config
    for step in location:
        field = fields_of(model).get(str(step))
        model = (_model_in(field.annotation) if field else None) or model
    return [*fields_of(model), *(["catalogues"] if model is Config else [])]


def _model_in(annotation: object) -> type | None:
    """Find the model of the mappings in a field: for `dict[str, Source]` it is `Source`."""
    if isinstance(annotation, type) and (
        issubclass(annotation, BaseModel) or is_dataclass(annotation)
    ):
        return annotation
    return next(filter(None, map(_model_in, typing.get_args(annotation))), None)

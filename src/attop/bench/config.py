"""The benchmark's configuration: typed, with defaults, refusing what it does not know."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from attop.datasets.base import DatasetError
from attop.datasets.catalogue import kind_of, stage_parameters
from attop.datasets.splits import count_folds
from attop.metrics.own import register_own
from attop.metrics.registry import METRICS
from attop.papers.registry import PAPERS
from attop.top import Top

__all__ = [
    "Config",
    "ConfigError",
    "DatasetConfig",
    "MethodConfig",
    "MetricConfig",
    "ProtocolConfig",
    "load_config",
]

#: A dotted path of Python names.
_DOTTED = r"^[A-Za-z_][\w]*(\.[A-Za-z_][\w]*)+$"
#: A name of a metric, which may be a dotted path.
MetricName = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.@-]*$", max_length=120)]
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=60)]


class ConfigError(ValueError):
    """A configuration that cannot be run; the message says where, what and how to mend it."""


def _read_top(value: Any) -> dict[str, float]:
    try:
        return Top.of(value).as_dict()
    except TypeError as error:
        raise ValueError(str(error)) from None


TopField = Annotated[dict[str, float], BeforeValidator(_read_top)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ProtocolConfig(_Model):
    """How a data set is cut into training and test parts."""

    kind: Literal["stratified", "windows", "holdout", "within-groups", "whole-groups", "given"] = Field(
        description="stratified: cross-validation folds; windows: the AATP scheme, disjoint sets of which "
        "consecutive ones train and the others test; holdout: one random training and test part; "
        "within-groups: each group's items are split, as in PAP; whole-groups: cross-validation folds of "
        "whole groups; given: the parts the data come with."
    )
    options: dict[str, Any] = Field(
        default_factory=dict,
        description="Numbers of the protocol, such as n_folds and inner_folds (stratified, whole-groups), "
        "n_sets, window and inner_folds (windows), train (holdout), fractions (within-groups), n_folds, "
        "n_train and n_test (given).",
    )
    repeats: int = Field(1, ge=1, description="How often the whole split is drawn anew.")


class FileConfig(_Model):
    """A file of a data set that is downloaded once."""

    path: str = Field(pattern=r"^[\w-][\w.-]*(/[\w-][\w.-]*)*$", description="Where it lies below the cache.")
    mirror: str | None = Field(None, description="Where it lies below the mirror, if elsewhere.")
    urls: list[str] = Field(default_factory=list, description="Where it is from, tried in this order.")
    member: str | None = Field(
        None,
        description="Its name inside the archive or compressed file, if the URLs or the mirror hold one.",
    )
    sha256: str | None = Field(
        None,
        pattern=r"^[0-9a-f]{64}$",
        description="Digest of the file in the cache; any content is taken if left out.",
    )
    bytes: int | None = Field(None, ge=1, description="Size of the file.")
    remedy: str = Field("", description="How to get it by hand where no download is to be had.")


class ExpectConfig(_Model):
    """Facts a data set must have when it is ready; anything else is an error."""

    items: int | None = Field(default=None, ge=1, description="Rows.")
    features: int | None = Field(default=None, ge=1, description="Columns.")
    positives: int | None = Field(default=None, ge=1, description="Items of the positive class.")
    groups: int | None = Field(default=None, ge=1, description="Users or queries.")


class LimitsConfig(_Model):
    """What a training job may use before it is stopped; changing it does not repeat what is done."""

    seconds: float | None = Field(default=3600, gt=0, description="Wall-clock time; null: none.")
    memory_mb: float | None = Field(
        default=4000,
        gt=0,
        description="Resident memory of the job and its children, on Linux; null: none.",
    )


class DatasetConfig(_Model):
    """A data set and what is asked of it."""

    id: Identifier = Field(description="Name in files and on the command line.")
    like: Identifier | None = Field(
        None,
        description="Entry of the catalogue that gives whatever is not given here; data, folds and seeds are "
        "the same as its own.",
    )
    title: str = Field("", description="Name in tables and figures; the id if left out.")
    kind: str = Field(description="Builder in attop.datasets.catalogue: wdbc, digit, file, movielens, ...")
    params: dict[str, Any] = Field(default_factory=dict, description="Parameters of the builder.")
    files: dict[str, FileConfig] = Field(
        default_factory=dict, description="Parameter of the builder -> file to download for it."
    )
    expect: ExpectConfig = Field(
        default_factory=lambda: ExpectConfig(),
        description="What the data must amount to: items, features, ...",
    )
    licence: str = Field("", description="Licence of the data, for the report.")
    citation: str = Field("", description="Whom to cite, for the report.")
    quirks: str = Field("", description="What is odd about the files.")
    protocol: ProtocolConfig = Field(description="How it is cut into training and test parts.")
    scaling: Literal["standard", "range", "none"] = Field(
        "standard",
        description="Fitted on training items only. standard: mean 0, variance 1; range: [-1/2, 1/2].",
    )
    targets: list[TopField] = Field(
        min_length=1, description="The tops to train for: {k: 10}, {tau: 0.05} or {kappa: 0.25}."
    )
    select_by: str = Field(
        "precision@k",
        description="Metric that selects hyper-parameters, for every method: a name, or a dotted path.",
    )
    selection: Literal["nested", "optimistic"] = Field(
        "nested",
        description="nested: hyper-parameters are chosen on inner parts of each training part; optimistic: "
        "the one setting with the best mean of select_by over all test parts, as some papers did, is "
        "reported; it is marked so in the tables.",
    )
    skip: dict[Identifier, str] = Field(
        default_factory=dict, description="Methods not run on this data set, each with the reason."
    )

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the builder, files to download by their place in the cache."""
        return {**self.params, **{name: file.path for name, file in self.files.items()}}

    @field_validator("targets")
    @classmethod
    def _distinct(cls, targets: list[Any]) -> list[Any]:
        names = [str(Top.of(t)) for t in targets]
        if len(set(names)) < len(names):
            raise ValueError(f"each target once, got {names}")
        return targets


class MethodConfig(_Model):
    """An estimator and the grid it is tuned on."""

    id: Identifier = Field(description="Name in files and on the command line.")
    like: Identifier | None = Field(
        None, description="Entry of the catalogue that gives whatever is not given here."
    )
    title: str = Field("", description="Name in tables and figures; the id if left out.")
    estimator: str = Field(
        pattern=_DOTTED,
        description="Dotted path of a class with scikit-learn's interface.",
    )
    params: dict[str, Any] = Field(default_factory=dict, description="Parameters that stay fixed.")
    search: dict[str, list[Any]] = Field(
        default_factory=dict, description="Parameter -> values; all combinations are tried in this order."
    )
    limits: LimitsConfig = Field(
        default_factory=lambda: LimitsConfig(),
        exclude=True,
        description="Limits of its training jobs; what is left out is as for every method.",
    )
    reference: str = Field("", description="Where the method is from.")
    summary: str = Field("", description="One sentence for the report.")

    @field_validator("search")
    @classmethod
    def _not_empty(cls, search: dict[str, list[Any]]) -> dict[str, list[Any]]:
        for name, values in search.items():
            if not values:
                raise ValueError(f"no value to try for {name!r}: list at least one or leave it out")
        return search


class MetricConfig(_Model):
    """A metric from outside attop."""

    path: str = Field(
        pattern=_DOTTED,
        description="Dotted path of a Metric (see attop.metrics.metric) or of a function f(y_true, y_score) "
        "that returns a number; found as the classes of own methods are, by PYTHONPATH.",
    )
    title: str = Field("", description="Name in tables and figures; the name if left out.")
    higher_is_better: bool | None = Field(
        None, description="Of a function; true if left out. A Metric says this and what follows itself."
    )
    bounds: tuple[float | None, float | None] | None = Field(
        None, description="Least and greatest value of a function, null where there is none; checked."
    )
    needs: list[Literal["k", "positive", "negative"]] | None = Field(
        None,
        description="What a list must have for a function to be called; [positive, negative] if left out. "
        "With k it is called as f(y_true, y_score, k), k being the target's.",
    )


class Config(_Model):
    """The whole configuration, catalogues resolved."""

    title: str = Field("Accuracy at the top", description="Heading of the report.")
    seed: int = Field(0, ge=0, description="Every random draw derives from it.")
    output: str = Field("results", min_length=1, description="Folder of all results.")
    datasets: list[DatasetConfig] = Field(min_length=1, description="Data sets, in the order of the report.")
    methods: list[MethodConfig] = Field(min_length=1, description="Methods, in the order of the report.")
    metrics: list[str] = Field(
        default_factory=lambda: list(METRICS),
        min_length=1,
        description="Metrics of the test scores: names, or dotted paths.",
    )
    own_metrics: dict[MetricName, MetricConfig] = Field(
        default_factory=dict,
        description="Metrics from outside attop by the name they are to have: name -> entry.",
    )
    limits: LimitsConfig = Field(
        default_factory=lambda: LimitsConfig(), exclude=True, description="Limits of every training job."
    )
    strict: bool = Field(
        False, exclude=True, description="Whether a training job that fails makes the whole run fail."
    )
    cache: str = Field("data", min_length=1, exclude=True, description="Folder of downloaded files.")
    mirror: str | None = Field(
        None,
        exclude=True,
        description="Folder or URL that is tried before upstream; the environment variable ATTOP_MIRROR if "
        "left out.",
    )
    offline: bool = Field(False, exclude=True, description="Use the cache and the mirror only.")
    trace: bool = Field(
        True,
        description="Whether to draw surrogate and metric along training: trains the chosen setting of one "
        "run per data set and method again, stopped ever later.",
    )
    paper: str | None = Field(
        None, description="Paper whose tables and figures are rebuilt from the results, such as aatp2012."
    )

    @field_validator("paper")
    @classmethod
    def _known_paper(cls, name: str | None) -> str | None:
        if name is not None and name not in PAPERS:
            raise ValueError(f"unknown paper{_hint(name, PAPERS)}; known: {', '.join(PAPERS)}")
        return name

    def own(self, *names: str) -> dict[str, dict[str, Any]]:
        """Return the definitions of those of some metrics that are from outside attop."""
        return {n: d.model_dump() for n, d in self.own_metrics.items() if n in names}

    def limits_of(self, method: str) -> dict[str, float | None]:
        """Return the limits of a method's training jobs: seconds and memory_mb."""
        own = self.method(method).limits.model_dump(exclude_unset=True)
        return {**self.limits.model_dump(), **own}

    def dataset(self, id: str) -> DatasetConfig:
        """Return the data set called `id`."""
        return next(d for d in self.datasets if d.id == id)

    def method(self, id: str) -> MethodConfig:
        """Return the method called `id`."""
        return next(m for m in self.methods if m.id == id)


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

    Notes
    -----
    Metrics from outside attop are imported, and known to `attop.metrics.get_metric` from then on. Another
    process has to make them known by `attop.metrics.own.register_own`.
    """
    known = _keys_at(())
    unknown = [
        f"{key}: unknown key{_hint(key, known)}; known: {', '.join(known)}" for key in raw if key not in known
    ]
    if unknown:
        raise ConfigError("\n".join(unknown))
    raw = dict(raw)
    files = raw.pop("catalogues", {})
    if not isinstance(files, Mapping) or set(files) - {"datasets", "methods"}:
        raise ConfigError(f"catalogues must map 'datasets' and 'methods' to YAML files, got {files!r}")
    for section in ("datasets", "methods"):
        catalogue = _read_catalogue(Path(root) / files[section], section) if section in files else {}
        raw[section] = _resolve(raw.get(section), catalogue, section)
    raw |= _with_own_metrics(raw)
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(_explain(error, raw)) from None
    _check_whole(config)
    return config


def _read_catalogue(path: Path, section: str) -> dict[str, Any]:
    try:
        entries = yaml.safe_load(path.read_text())
    except OSError as error:
        raise ConfigError(f"catalogues: {section}: cannot read {path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"catalogues: {section}: {path} is not valid YAML: {error}") from None
    if not isinstance(entries, Mapping):
        raise ConfigError(f"catalogues: {section}: {path} must map identifiers to definitions")
    return dict(entries)


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
        if not isinstance(entry, Mapping) or "id" not in entry:
            raise ConfigError(f"{section}: an entry is a name or a mapping with an id, got {entry!r}")
        base = entry.get("like", entry["id"])
        if base not in catalogue and "like" in entry:
            raise ConfigError(
                f"{section}: {entry['id']}: like: unknown {section[:-1]} {base!r}{_hint(base, catalogue)}"
            )
        resolved.append({**(catalogue.get(base) or {}), **entry})
    return resolved


def _check_whole(config: Config) -> None:
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
            count_folds(data.protocol.kind, **data.protocol.options)
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
    methods = {m.id for m in config.methods}
    for dataset in config.datasets:
        if methods <= set(dataset.skip):
            complaints.append(f"datasets: {dataset.id}: every method is skipped: leave the data set out")
    if complaints:
        raise ConfigError("\n".join(complaints))


def _explain(error: ValidationError, raw: Mapping[str, Any]) -> str:
    lines = []
    for item in error.errors():
        where = _place(item["loc"], raw)
        if item["type"] == "extra_forbidden":
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
    model: type[BaseModel] = Config
    for step in location:
        if step == "datasets":
            model = DatasetConfig
        elif step == "methods":
            model = MethodConfig
        elif step == "protocol":
            model = ProtocolConfig
        elif step == "own_metrics":
            model = MetricConfig
    extra = ["catalogues"] if model is Config else []
    return [*model.model_fields, *extra]


def _hint(word: str, known: Any) -> str:
    close = difflib.get_close_matches(str(word), [str(k) for k in known], n=1)
    return f", did you mean {close[0]!r}?" if close else ""


def _with_own_metrics(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys about metrics, those named by a dotted path defined by it."""
    own, chosen, datasets = raw.get("own_metrics", {}), raw.get("metrics", []), raw["datasets"]
    if not isinstance(own, Mapping) or not isinstance(chosen, list):
        return {}  # for the model to refuse
    named = [*chosen, *(data.get("select_by") for data in datasets)]
    dotted = [n for n in named if isinstance(n, str) and re.match(_DOTTED, n)]
    own = {**{name: {"path": name} for name in dotted}, **own}
    return {"own_metrics": own, "metrics": chosen if "metrics" in raw else [*METRICS, *own]}


def _check_metrics(config: Config) -> list[str]:
    complaints = []
    for name, definition in config.own_metrics.items():
        try:
            register_own({name: definition.model_dump()})
        except ValueError as error:
            complaints.append(f"metric {name!r}: {error}")
    names = [*METRICS, *config.own_metrics]
    places = [("metrics", name) for name in config.metrics]
    places += [(f"datasets: {data.id}: select_by", data.select_by) for data in config.datasets]
    for where, name in places:
        if name not in names:
            complaints.append(
                f"{where}: unknown metric{_hint(name, names)}; known: {', '.join(names)}, got {name!r}"
            )
    return complaints

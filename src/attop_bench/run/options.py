"""The options of a configuration: typed, with defaults and meanings.

The string below an option is its meaning in the tables of ``config/README.md`` and in the JSON schema, which
``python -m docs._ext.options`` writes in a clone.
"""

from __future__ import annotations

import json
import os
import typing
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal

import pydantic
from pydantic import AfterValidator, BaseModel, Field
from pydantic.fields import FieldInfo

from attop.extending import Top, did_you_mean
from attop.metrics import DEFAULT_METRICS, Metric, find_metric
from attop_bench.bibliography import FILE, bibliography
from attop_bench.data.catalogue import KINDS, from_registry
from attop_bench.data.files.source import Source
from attop_bench.data.parameters import with_on
from attop_bench.data.splits.protocols import PROTOCOLS, Protocol
from attop_bench.files import FILE_STEM, JsonObject

if typing.TYPE_CHECKING:
    from attop.experiment import Selector

#: A dotted path of Python names.
DOTTED = r"^[A-Za-z_][\w]*(\.[A-Za-z_][\w]*)+$"
#: A name of a metric, which may be a dotted path.
MetricName = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.@-]*$", max_length=120)]


def _no_file(name: str) -> str:
    if name.lower().endswith(".json"):
        raise ValueError(
            f"an id that ends in .json may be that of a file among the results, got {name!r}"
        )
    return name


Identifier = Annotated[str, Field(pattern=FILE_STEM), AfterValidator(_no_file)]


def _each_once(values: list[Any]) -> list[Any]:
    names = list(map(str, values))
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"each once, got {', '.join(twice)} more often")
    return values


def _read_top(value: Any) -> Top:
    try:
        return Top.of(value)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _read_folder(value: object) -> object:
    """Resolve ``~`` and ``.`` in a path, and cut slashes off its end."""
    if not isinstance(value, str):
        return value
    if (
        not value
        or len(value) > 1000
        or any(c in "{}" or not c.isprintable() for c in value)
    ):
        raise ValueError(
            f"a folder's name without braces and control characters is needed, got {value!r}"
        )
    path = os.path.normpath(os.path.expanduser(value))
    return os.path.abspath(path) if path == "." else path


FolderName = Annotated[str, pydantic.BeforeValidator(_read_folder)]
TopField = Annotated[
    Top,
    pydantic.PlainValidator(
        _read_top, json_schema_input_type=dict[str, float | str]
    ),
    pydantic.PlainSerializer(Top.as_dict, return_type=JsonObject),
]


def _defaults(protocol: Protocol) -> str:
    return ", ".join(
        f"{name} = {json.dumps(value)}" for name, value in protocol.defaults.items()
    )


def fields_of(model: type) -> dict[str, FieldInfo]:
    """List the keys of a mapping in a configuration by its model, of pydantic or a `Source`."""
    if issubclass(model, BaseModel):
        return dict(model.model_fields)
    return dict(
        pydantic.dataclasses.dataclass(model, frozen=True).__pydantic_fields__
    )


class _Model(BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


Count = Annotated[int, Field(ge=1)]
#: Candidates that are drawn unless something is said, and at most where time ends the search.
_SOME, _MANY = 10, 1_000
Limit = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class ProtocolConfig(_Model):
    """Protocol of the training and test parts."""

    kind: str = Field(
        description=". ".join(
            f"`{p.name}`: {p.summary}" for p in PROTOCOLS.values()
        )
        + ".",
        json_schema_extra={"enum": list(PROTOCOLS)},
    )
    options: JsonObject = Field(
        {},
        description="Options of the protocol, with their defaults. "
        + ". ".join(f"`{p.name}`: {_defaults(p)}" for p in PROTOCOLS.values())
        + ".",
    )
    repeats: Count = 1
    """Number of draws of the whole split."""


class ExpectConfig(_Model):
    """Facts a data set must have when it is ready; anything else is an error."""

    items: Count | None = None
    """Rows."""
    features: Count | None = None
    """Columns."""
    positives: Count | None = None
    """Items of the positive class."""
    groups: Count | None = None
    """Users or queries."""


class LimitsConfig(_Model):
    """Limits of a training job, which is stopped beyond them; another limit repeats no job."""

    seconds: Limit | None = 3600
    """Wall-clock time; null: none."""
    memory_mb: Limit | None = 4000
    """Resident memory of the job and its children, on Linux; null: none."""


class ResourcesConfig(_Model):
    """Requests of a training job of a method; another one repeats no job."""

    threads: Count = 1
    """Processors; locally no more than `--cores`. Libraries are told by OMP_NUM_THREADS."""
    gpus: Annotated[int, Field(ge=0)] = 0
    """GPUs; locally `--resources gpu=1` keeps jobs from sharing one."""
    gpu_model: str | None = None
    """Model of the GPUs, by its name on the cluster."""
    partition: str | None = None
    """Partition of the cluster."""
    memory_mb: Limit | None = None
    """Memory asked of a scheduler at the first attempt; left out: by past runs, else by size of the data."""
    minutes: Limit | None = None
    """Time of a fold asked of a scheduler at the first attempt; left out: by past runs, else 10."""
    datasets: dict[Identifier, ResourcesConfig] = {}
    """Data set -> what is asked for there, in place of the same keys."""


class DatasetConfig(_Model):
    """A data set, its protocol and its tops."""

    id: Identifier
    """Name in files and on the command line."""
    extends: Identifier | None = None
    """Entry of the catalogue with the other keys; data, folds and seeds are the same as its own."""
    title: str = ""
    """Name in tables and figures; the id if left out."""
    kind: str = Field(
        description=f"Its builder: {', '.join(KINDS)}; or the dotted path of your own function or Kind."
    )
    params: JsonObject = {}
    """Parameters of the builder."""
    depends: list[str] | None = Field(None, exclude=True)
    """Of an own kind: files, folders and modules whose edits make the data again, beside its code. Left out:
    the files and own modules that params name."""
    files: dict[str, Source] = {}
    """Parameter of the builder -> file to download for it."""
    expect: ExpectConfig = ExpectConfig()
    """Numbers of the data, which are checked: items, features, ..."""
    licence: str = ""
    """Licence of the data, for the report."""
    citation: str = ""
    """Source to cite, for the report."""
    notes: str = ""
    """Oddities of the files."""
    protocol: ProtocolConfig
    """Its training and test parts."""
    scaling: Literal["standard", "range", "log1p", "none"] = "standard"
    """Fitted on training items only. standard: mean 0, variance 1; range: [-1/2, 1/2]; log1p: standard, of
    log(1 + x), for counts."""
    tops: Annotated[list[TopField], AfterValidator(_each_once)] = Field(
        min_length=1
    )
    """The tops to train for: {k: 10}, {tau: 0.05} or {kappa: 0.25}; or {k: 100, of: 30000}, the share that
    100 are of the 30,000 to be ranked, to the nearest row. A tau is rounded up, {tau: 0.05, round: nearest}
    to the nearest."""
    scoring: str = "precision@k"
    """Metric that methods are judged by, and that selects hyper-parameters unless `select` is given: a name,
    or a dotted path."""
    select: str | None = None
    """What selects hyper-parameters, in place of scoring: a metric such as `ap`, `smoothed-precision@k`;
    `pooled-ap`, of all inner folds' scores as one list; `ap-within-1se`, the best of those within one
    standard error of the best by scoring."""
    selection: Literal["nested", "optimistic"] = "nested"
    """nested: hyper-parameters are chosen on inner parts of each training part; optimistic: the one candidate
    with the best mean of scoring over all test parts, as some papers did, is reported; it is marked so in the
    tables."""
    skip: dict[Identifier, str] = {}
    """Methods not run on this data set, each with the reason."""

    @pydantic.model_validator(mode="before")
    @classmethod
    def _file_of_a_registry(cls, entry: Any) -> Any:
        if (
            "files" in entry
            or entry.get("kind") not in KINDS
            or not isinstance(entry.get("params"), dict)
        ):
            return entry  # also what is refused by its fields
        file, params = from_registry(entry["kind"], entry["params"])
        return (
            {**entry, "params": params, "files": {"path": asdict(file)}}
            if file
            else entry
        )

    @pydantic.field_validator("params", mode="before")
    @classmethod
    def _key_of_labels(cls, params: Any) -> Any:
        if not isinstance(params, Mapping) or "labels" not in params:
            return params
        return {**params, "labels": with_on(params["labels"])}

    @property
    def parameters(self) -> JsonObject:
        """Parameters of the builder, files to download by their place in the cache."""
        return {
            **self.params,
            **{name: file.path for name, file in self.files.items()},
        }


class MethodConfig(_Model):
    """An estimator and the grid it is tuned on."""

    id: Identifier
    """Name in files and on the command line."""
    extends: Identifier | None = None
    """Entry of the catalogue with the other keys."""
    title: str = ""
    """Name in tables and figures; the id if left out."""
    estimator: str = Field(pattern=DOTTED)
    """Dotted path of a class with scikit-learn's interface, or of a function that returns an instance."""
    params: JsonObject = {}
    """Parameters that stay fixed."""
    param_grid: dict[str, list[Any]] = {}
    """Parameter -> values; all combinations are tried in this order."""
    param_distributions: JsonObject = {}
    """In place of param_grid: parameter -> distribution, of which candidates are drawn, by the seed of the
    run, data set, repeat and fold: {uniform: [low, high]}, {loguniform: [low, high]}, {randint: [low, high]}
    and {lograndint: [low, high]} without high itself, or {choice: [values]}."""
    n_candidates: Count | None = None
    """How many candidates are drawn of param_distributions, unless the run has a `budget`; 10 if left out.
    More train the new ones alone."""
    select: str | None = None
    """What selects among its candidates, in place of the data set's `select`."""
    ensemble: Count = 1
    """Steps of an ensemble of its candidates, such as 20, in place of the best alone: each adds the candidate
    with which the mean of the scores is best on the inner folds. A candidate may be added several times."""
    input: Literal["matrix", "table"] = "matrix"
    """What it is fitted on: a `matrix` of numbers (gaps filled, categories as 0/1 columns, scaled), or the
    `table` itself, a pandas DataFrame with named columns, categories typed, gaps as they are."""
    depends: list[str] | None = Field(None, exclude=True)
    """Files, folders and modules whose edits train the method again, beside its code. Left out: the files
    and own modules that params and param_grid name. []: none, as where a parameter names a file to write."""
    limits: LimitsConfig = Field(LimitsConfig(), exclude=True)
    """Limits of its training jobs; what is left out is as for every method."""
    resources: ResourcesConfig = Field(ResourcesConfig(), exclude=True)
    """Threads, GPUs, memory and time of a training job, here and on a cluster."""
    requires: str | None = None
    """Package that attop does not install, by the name it is imported by. Where it is absent every data set
    skips the method, and the report says so."""
    reference: str = ""
    """Source of the method."""
    cite: list[str] = []
    """Keys of attop's bibliography, `src/attop_bench/references.bib` in a clone; the report prints their
    BibTeX."""
    summary: str = ""
    """One sentence for the report."""

    @pydantic.field_validator("cite")
    @classmethod
    def _in_the_bibliography(cls, cite: list[str]) -> list[str]:
        if unknown := [key for key in cite if key not in bibliography()]:
            suggestion = did_you_mean(unknown[0], bibliography())
            raise ValueError(
                f"attop's bibliography, {FILE}, has no entry {unknown[0]!r}; {suggestion}"
            )
        return cite

    @pydantic.field_validator("param_distributions")
    @classmethod
    def _are_distributions(cls, entries: JsonObject) -> JsonObject:
        if not entries:
            return entries
        # slow: each start of Snakemake is here.
        from attop.experiment import read_distribution

        for name, entry in entries.items():
            try:
                read_distribution(entry)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        return entries

    @pydantic.field_validator("param_grid")
    @classmethod
    def _not_empty(cls, param_grid: dict[str, list[Any]]) -> dict[str, list[Any]]:
        if empty := [name for name, values in param_grid.items() if not values]:
            raise ValueError(
                f"no value to try for {empty[0]!r}: list at least one or leave it out"
            )
        return param_grid


class MetricConfig(_Model):
    """A metric from outside attop."""

    path: str = Field(pattern=DOTTED)
    """Dotted path of a Metric (see attop.metrics.Metric) or of a function f(y_true, y_score) that returns a
    number; found as the classes of own methods are."""
    title: str = ""
    """Name in tables and figures; the name if left out."""
    higher_is_better: bool | None = None
    """Of a function; true if left out. A Metric says this and what follows itself."""
    bounds: tuple[float | None, float | None] | None = None
    """Least and greatest value of a function, null where there is none; checked."""
    needs: list[Literal["k", "positive", "negative"]] | None = None
    """Needs of a function in every list, else it is not called; [positive, negative] if left out. With k it
    is called as f(y_true, y_score, k), k being the top's."""


class BudgetConfig(_Model):
    """Budget of each search of a run, the same for every method that is tuned; one of the two."""

    candidates: Count | None = None
    """Candidates that are drawn; a grid may have as many at most."""
    seconds: Limit | None = None
    """Time of a fold's search: a candidate begun is finished, and then no other begins. What fits depends on
    the machine."""


class QuestionConfig(_Model):
    """Question asked before the run, and so tested without a correction for what was not asked."""

    against: str
    """The method to beat: on each data set the best of the others is tested against it."""


class Config(_Model):
    """The whole configuration, catalogues resolved."""

    title: str = "Accuracy at the top"
    """Heading of the report."""
    seed: int = Field(0, ge=0)
    """Every random draw derives from it."""
    output: FolderName = "results"
    """Folder of all results."""
    datasets: list[DatasetConfig] = Field(min_length=1)
    """Data sets, in the order of the report."""
    methods: list[MethodConfig] = Field(min_length=1)
    """Methods, in the order of the report."""
    metrics: Annotated[list[str], AfterValidator(_each_once)] = Field(
        list(DEFAULT_METRICS), min_length=1
    )
    """Metrics of the test scores: names, or dotted paths."""
    custom_metrics: dict[MetricName, MetricConfig] = {}
    """Metrics from outside attop by the name they are to have: name -> entry."""
    limits: LimitsConfig = Field(LimitsConfig(), exclude=True)
    """Limits of every training job."""
    granularity: Literal["fold", "method"] | Annotated[int, Field(ge=1)] = Field(
        "fold", exclude=True
    )
    """What a training job is: a fold, all folds of a method, or so many of them. Fewer jobs are quicker where
    folds are short."""
    strict: bool = Field(False, exclude=True)
    """A training job that fails makes the whole run fail."""
    cache: FolderName = Field("data", exclude=True)
    """Folder of downloaded files."""
    mirror: str | None = Field(None, exclude=True)
    """Folder or URL that is tried before upstream; the environment variable ATTOP_MIRROR if left out."""
    offline: bool = Field(False, exclude=True)
    """Use the cache and the mirror only."""
    trace: bool = True
    """Draw surrogate and metric along training: trains the chosen candidate of one run per data set and
    method again, with more and more iterations."""
    select: str | None = None
    """What selects hyper-parameters on data sets that do not say it; scoring if left out."""
    budget: BudgetConfig | None = None
    """Budget of each search, the same for every method."""
    question: QuestionConfig | None = None
    """Question asked before the run, beside the comparison of all."""
    paper: str | None = None
    """Paper whose tables and figures are rebuilt from the results: the dotted path of a module with functions
    `tables` and `findings`, such as studies.aatp2012 in a clone of attop."""

    def own(self, *names: str) -> dict[str, JsonObject]:
        """Select the definitions of those of the named metrics that are from outside attop."""
        return {
            n: d.model_dump() for n, d in self.custom_metrics.items() if n in names
        }

    def metric(self, name: str) -> Metric:
        """Find a metric by its name, from attop or outside."""
        return find_metric(name, self.own(name))

    def selector(self, name: str) -> Selector:
        """Find a selector by its name."""
        from attop.experiment import Selector  # as above

        return Selector.of(name, self.metric)

    def select_of(self, dataset: str, method: str | None = None) -> str:
        """Name the selector of a data set, for a method if given; empty if scoring selects."""
        data = self.dataset(dataset)
        if data.selection == "optimistic":
            return ""
        of_method = None if method is None else self.method(method).select
        name = of_method or data.select or self.select or data.scoring
        return "" if name == data.scoring else name

    def drawn(self, method: MethodConfig) -> int | None:
        """Count the candidates that are drawn for a method, at most where time ends the search."""
        if not method.param_distributions:
            return None
        budget = self.budget or BudgetConfig()
        return (
            budget.candidates
            or method.n_candidates
            or (_MANY if budget.seconds else _SOME)
        )

    def names_of(self, dataset: str, method: str | None = None) -> list[str]:
        """Name the metrics that judge on a data set and select."""
        select = self.select_of(dataset, method)
        return [
            self.dataset(dataset).scoring,
            *([self.selector(select).metric.name] if select else []),
        ]

    def limits_of(self, method: str) -> dict[str, float | None]:
        """Merge the limits of a method's training jobs with those of all: seconds and memory_mb."""
        of_method = self.method(method).limits.model_dump(exclude_unset=True)
        return {**self.limits.model_dump(), **of_method}

    def dataset(self, name: str) -> DatasetConfig:
        """Find a data set by its name."""
        return next(d for d in self.datasets if d.id == name)

    def split(self, dataset: str, repeat: int) -> JsonObject:
        """Describe the split of a data set in a repeat; see `Job.split`."""
        protocol = self.dataset(dataset).protocol
        return {
            "kind": protocol.kind,
            "options": protocol.options,
            "repeat": repeat,
            "seed": self.seed,
        }

    def method(self, name: str) -> MethodConfig:
        """Find a method by its name."""
        return next(m for m in self.methods if m.id == name)

"""The kinds of data set and their stages, which `attop_bench.data.build` runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from attop.extending import did_you_mean, object_at
from attop_bench.data.base import Dataset
from attop_bench.data.errors import DatasetError
from attop_bench.data.files.registries import openml_file, pmlb_file
from attop_bench.data.files.source import Source
from attop_bench.data.kinds import bundled, images, ratings, simulated, table
from attop_bench.data.parameters import complete
from attop_bench.data.reading.lists import BESIDE


@dataclass(frozen=True)
class Stage:
    """One step of preparing a data set."""

    name: str
    #: Returns a dict of arrays, after the last stage a `Dataset`. A parameter `seed` gets a seed of its own.
    function: Callable[..., Any]
    #: Parameters of the function that are arrays of earlier stages; the others come from the configuration.
    inputs: tuple[str, ...] = ()

    @property
    def seeded(self) -> bool:
        """True if the function takes a seed."""
        return "seed" in inspect.signature(self.function).parameters

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the parameters a configuration may give."""
        parameters = inspect.signature(self.function).parameters
        return tuple(
            name for name in parameters if name not in (*self.inputs, "seed")
        )


@dataclass(frozen=True)
class Kind:
    """A kind of data set."""

    name: str
    #: In order; the last is called ``"dataset"``.
    steps: tuple[Stage, ...]
    #: Options that are paths of files to read.
    files: tuple[str, ...] = ()
    #: Of a registry: makes the `Source` of its one file of the options it takes.
    source: Callable[..., Source] | None = None

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the stages, in order."""
        return tuple(step.name for step in self.steps)

    def step(self, stage: str) -> Stage:
        """Find the stage of this name; raise `DatasetError` if there is none."""
        for step in self.steps:
            if step.name == stage:
                return step
        hint = did_you_mean(stage, self.stages)
        raise DatasetError(
            f"data of kind {self.name!r} has no stage {stage!r}; {hint}"
        )


def _single(name: str, function: Callable[..., Dataset], *files: str) -> Kind:
    return Kind(name, (Stage("dataset", function),), files)


_IMAGES = (
    Stage("source", images.digit_images),
    Stage("umap", images.embed_images, ("pixels",)),
    Stage("dataset", images.image_recommendation, ("item_features", "digit")),
)
_FACTORISE = Stage(
    "factorise", ratings.factorise, ("user", "item", "rating", "time")
)
_FACTORS = (
    "user",
    "item",
    "rating",
    "first",
    "user_factors",
    "item_factors",
    "objective",
)
_RATINGS = Stage("dataset", ratings.rating_recommendation, _FACTORS)
_MOVIES = Stage("dataset", ratings.movie_recommendation, _FACTORS)

#: Kinds of data sets by name: what `kind` in a configuration may be.
KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        _single("wdbc", bundled.wdbc),
        _single("digit", bundled.digit),
        _single("simulation", simulated.simulation),
        _single("fraud-stream", simulated.fraud_stream),
        Kind("images", _IMAGES),
        Kind(
            "ratings",
            (Stage("source", ratings.simulate_ratings), _FACTORISE, _RATINGS),
        ),
        Kind(
            "movielens",
            (Stage("source", ratings.read_ratings), _FACTORISE, _MOVIES),
            ("path",),
        ),
        _single("file", table.file_table, "path", "validation", "test", "labels"),
        replace(_single("openml", table.file_table, "path"), source=openml_file),
        replace(_single("pmlb", table.file_table, "path"), source=pmlb_file),
    )
}


def kind_of(kind: str) -> Kind:
    """Find a kind by its key of `KINDS`, or by the dotted path of a `Kind` or a function of a `Dataset`."""
    if "." not in kind:
        if kind not in KINDS:
            raise DatasetError(
                f"unknown kind of data {kind!r}; {did_you_mean(kind, KINDS)}"
            )
        return KINDS[kind]
    try:
        imported = object_at(kind)
    except ValueError as error:
        raise DatasetError(
            f"the kind of data {kind!r} is no Kind and no function that returns a Dataset: {error}"
        ) from error.__cause__
    if isinstance(imported, Kind):
        return imported
    if not callable(imported):
        raise DatasetError(
            f"{kind!r} is {imported!r}: name a Kind or a function that returns a Dataset"
        )
    return _single(kind, imported)


def stage_parameters(
    kind: str, stage: str, params: Mapping[str, object]
) -> dict[str, Any]:
    """Select the parameters of one stage from those of the data set, and fill in defaults."""
    data_kind = kind_of(kind)
    step = data_kind.step(stage)
    names = [name for s in data_kind.steps for name in s.options]
    for name in params:
        if name not in names:
            hint = did_you_mean(name, names)
            raise DatasetError(
                f"data of kind {kind!r}: unknown parameter {name!r}; {hint}"
            )
    options = {
        name: value for name, value in params.items() if name in step.options
    }
    return complete(
        step.function,
        options,
        f"data of kind {kind!r}",
        reserved=(*step.inputs, "seed"),
    )


def from_registry(
    kind: str, params: Mapping[str, Any]
) -> tuple[Source | None, dict[str, Any]]:
    """Split parameters into the file that they name in a registry, None for other kinds, and the rest."""
    source = kind_of(kind).source
    names = () if source is None else inspect.signature(source).parameters
    options = {name: value for name, value in params.items() if name in names}
    rest = {name: value for name, value in params.items() if name not in names}
    return source and source(
        **complete(source, options, f"data of kind {kind!r}")
    ), rest


def input_files(kind: str, params: Mapping[str, object]) -> list[str]:
    """List the paths of the files that the first stage reads."""
    options = {name: params.get(name) for name in kind_of(kind).files}
    files = [
        str(file["path"] if isinstance(file, Mapping) else file)
        for file in options.values()
        if file is not None
    ]
    reader = params.get("reader")
    places = reader if isinstance(reader, Mapping) else {}
    tables = [
        str(options[name])
        for name in ("path", "validation", "test")
        if options.get(name)
    ]
    return files + [
        source.file(table, places[source.option])
        for source in BESIDE
        if places.get(source.option) is not None
        for table in tables
    ]

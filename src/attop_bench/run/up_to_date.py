"""Rules of results being up to date; docs/explanation/why-again.md has them as a table.

Snakemake runs a job again if an output is missing, the content of an input file is another, or a parameter
is. `Inputs` are the parameters of each rule, among them the fingerprint of its code. Snakemake remembers them
in the working directory; `refusal` is about results that it does not know.

A training job waits for rule ``compile``, which checks its method, and for rule ``split``, which checks the
tops of its data set. These depend on nothing that the job does not depend on itself, so that they repeat no
training which is not out of date anyway.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from uuid import uuid4

from attop.extending import count_noun
from attop.metrics import Metric
from attop_bench.archives import exists
from attop_bench.data.catalogue import KINDS, kind_of
from attop_bench.data.files.fetch import next_turn
from attop_bench.data.files.source import digest as digest_of_file
from attop_bench.files import JsonObject, StrPath, read_json, write_json
from attop_bench.run.attempts import RUN
from attop_bench.run.config import DatasetConfig
from attop_bench.run.depends import Named, named_by
from attop_bench.run.fingerprint import fingerprint, home_of, rule_fingerprint
from attop_bench.run.job import PARTS, WORK, Run
from attop_bench.run.made import read_note
from attop_bench.run.options import MethodConfig
from attop_bench.run.paper import simulations_of
from attop_bench.run.parameters import digest_of_value, plain, short_digest
from attop_bench.run.plan import Plan
from attop_bench.run.record import digest_of
from attop_bench.run.snakemake import asked_often

Params = dict[str, object]
_STATE = ".snakemake"
#: What is checked of the entry of a data set. All of it is among what a training depends on.
_CHECKED = {"id", "tops", "scoring", "selection"}


class Wildcards(Protocol):
    """Wildcards of a job; each rule has some of them."""

    dataset: str
    method: str
    stage: str
    repeat: str
    fold: str
    block: str
    simulation: str


class Inputs:
    """The parameters of each rule: values, or functions of its wildcards; `script` finds a rule's script."""

    def __init__(self, plan: Plan, script: Callable[[str], str | Path]):
        self.plan = plan
        self.config = plan.config
        self._script = script

    def fetch(self) -> Params:
        """Parameters of rule fetch, which do not say where the files are found; a change reruns it."""
        return named(
            files=lambda w: {
                name: {
                    "path": file.path,
                    "member": file.member,
                    "digest": file.digest,
                    "bytes": file.bytes,
                }
                for name, file in self._dataset(w).files.items()
            },
            cache=self.config.cache,
            turn=lambda w: next_turn(self.plan.receipt_path(w.dataset)),
            code=self._code("fetch"),
        ) | passed(sources=lambda w: self.plan.sources(w.dataset))

    def prepare(self) -> Params:
        """Parameters of a rule that runs a preparation stage; a change reruns it."""

        def code(w: Wildcards) -> str:
            data = self._dataset(w)
            home = kind_of(data.kind).step(w.stage).function.__module__
            # A kind of attop's says which of its parameters are files: Snakemake has them as inputs.
            declares = data.kind in KINDS and data.depends is None
            modules, files = Named([], []) if declares else named_by(data, home)
            return self._code("prepare", home, *modules, files=files)

        return named(
            data=lambda w: self._stage(w.dataset, w.stage), code=code
        ) | passed(receipts=self._receipts)

    def split(self) -> Params:
        """Parameters of rule split; a change reruns it, and what is trained on these folds."""
        config = self.config
        return named(
            split=lambda w: config.split(w.dataset, int(w.repeat)),
            checked=lambda w: self._checked(w.dataset),
            custom_metrics=lambda w: config.own(*config.names_of(w.dataset)),
            code=lambda w: self._code(
                "split", *self._metrics(config.names_of(w.dataset))
            ),
        ) | passed(receipts=self._receipts)

    def compile(self) -> Params:
        """Parameters of rule compile; a change reruns it, and what is trained of the method."""
        method = self.config.method
        return named(
            method=lambda w: _spec_of_method(method(w.method)),
            # Of the method alone: no training depends on how it is checked and compiled.
            code=lambda w: fingerprint([home_of(method(w.method).estimator)]),
        ) | passed(limits=lambda w: self.config.limits_of(w.method))

    def train(self) -> Params:
        """Parameters of rule train; a change reruns it."""
        config = self.config
        pairs = {
            (d.id, m.id): self._of_run(d.id, m.id)
            for d in config.datasets
            for m in config.methods
        }
        limits = {m.id: config.limits_of(m.id) for m in config.methods}

        def param(name: str) -> object:
            return either(
                {pair: values[name] for pair, values in pairs.items()},
                lambda w: (w.dataset, w.method),
            )

        compared = named(seed=config.seed) | {name: param(name) for name in PARTS}
        if config.granularity != "fold":
            compared |= named(
                runs=lambda w: [
                    [run.repeat, run.fold] for run in self.plan.runs_of(w)
                ]
            )
        return compared | passed(limits=lambda w: limits[w.method])

    def _of_run(self, dataset: str, method: str) -> dict[str, dict[str, object]]:
        run = Run(dataset, method, 0, 0)
        spec = self.plan.job(run).as_dict()
        parts = {
            part: {name: spec[name] for name in names if name in spec}
            for part, names in PARTS.items()
        }
        modules, files = self._run(dataset, method)
        code = self._code("train", home_of(WORK), *modules, files=files)
        params = named(**parts)
        # One mapping of all that differs from method to method: each takes a function, asked for each job.
        params["method"] |= {"digest": digest(self.plan, run), "code": code}
        if spec.get("param_distributions"):
            params["method"] |= {
                "candidates": _digest_of_candidates(self.plan, run, code)
            }
        return params

    def _checked(self, dataset: str) -> Params:
        """Select the keys of a data set that its checks depend on, and its selector if it has one."""
        select = self.config.select_of(dataset)
        checked = self.config.dataset(dataset).model_dump(include=_CHECKED)
        return checked | ({"select": select} if select else {})

    def evaluate(self) -> Params:
        """Parameters of rule evaluate; a change reruns it."""
        metrics = self.config.metrics
        return named(
            runs=lambda w: [
                [run.method, run.repeat, run.fold]
                for run in self.plan.runs(w.dataset)
            ],
            tops=lambda w: [top.as_dict() for top in self._dataset(w).tops],
            strict=self.config.strict,
            metrics=metrics,
            custom_metrics=lambda w: self.config.own(
                *metrics, self._dataset(w).scoring
            ),
            scoring=lambda w: self._dataset(w).scoring,
            code=lambda w: self._code(
                "evaluate", *self._metrics([*metrics, self._dataset(w).scoring])
            ),
        )

    def trace(self) -> Params:
        """Parameters of rule trace; a change reruns it."""
        runs = self.plan.first_runs

        def code(w: Wildcards) -> str:
            named_by_runs = [
                self._run(run.dataset, run.method) for run in runs(w.dataset)
            ]
            modules = [module for one in named_by_runs for module in one.modules]
            return self._code(
                "trace",
                *modules,
                files=[file for one in named_by_runs for file in one.files],
            )

        return named(
            # A list, in the order of the records: mappings are written in the order of their keys.
            runs=lambda w: [
                [run.method, self.plan.job(run).as_dict()]
                for run in runs(w.dataset)
            ],
            code=code,
        )

    def report(self) -> Params:
        """Parameters of rule report; a change reruns it."""
        return named(**self.config.model_dump(), code=self._code("report"))

    def simulate(self) -> Params:
        """Parameters of rule simulate; a change reruns it."""
        paper = self.config.paper
        return named(
            paper=paper,
            seed=self.config.seed,
            code=lambda w: self._code(
                "simulate", home_of(simulations_of(paper)[w.simulation].function)
            ),
        )

    def paper(self) -> Params:
        """Parameters of rule paper; a change reruns it."""
        paper = self.config.paper
        return named(paper=paper, code=self._code("paper", str(paper)))

    def _receipts(self, wildcards: Wildcards) -> list[str]:
        return self.plan.receipts_of_all()

    def _code(self, script: str, *named: str, files: Iterable[str] = ()) -> str:
        return rule_fingerprint(self._script(script), named, files)

    def _dataset(self, wildcards: Wildcards) -> DatasetConfig:
        return self.config.dataset(wildcards.dataset)

    def _stage(self, dataset: str, stage: str) -> Params:
        first = stage == self.plan.stages(dataset)[0]
        before = (
            None
            if first and not self.config.dataset(dataset).files
            else self.plan.stage_inputs(dataset, stage)[0]
        )
        return {
            "stage": stage,
            "previous": before,
            "spec": self.plan.stage_spec(dataset, stage),
        }

    def _run(self, dataset: str, method: str) -> Named:
        """Collect the modules of the estimator and of the metric that selects, and what the entry names."""
        entry = self.config.method(method)
        home = home_of(entry.estimator)
        modules, files = named_by(entry, home)
        return Named(
            [home, *self._metrics(self.config.names_of(dataset, method)), *modules],
            files,
        )

    def _metrics(self, names: Iterable[str]) -> list[str]:
        """Find the modules that define some metrics."""
        definitions = self.config.own(*names)
        homes = [home_of(definition["path"]) for definition in definitions.values()]
        return [
            *homes,
            *(
                home
                for name in names
                for home in _homes_of(self.config.metric(name))
            ),
        ]


def _homes_of(metric: Metric) -> list[str]:
    """Find the modules of a metric's class and of its kernel; a compiled function need not know its own."""
    kernel = metric.kernel
    while isinstance(kernel, partial):
        kernel = kernel.func
    homes = (type(metric).__module__, getattr(kernel, "__module__", None))
    return [home for home in homes if home]


def either(
    values: Mapping[Hashable, object], key: Callable[[Any], Hashable]
) -> object:
    """Choose the common value, or a function that looks it up by the wildcards, from which `key` is made."""
    first = next(iter(values.values()))
    return (
        first
        if all(v == first for v in values.values())
        else asked_often(lambda w: values[key(w)])
    )


def named(**values: object) -> dict[str, Any]:
    """Define parameters of a rule, by values or functions of the wildcards."""
    return {name: _named(name, value) for name, value in values.items()}


def passed(**values: Callable[[Any], object]) -> dict[str, Any]:
    """Define parameters that a script reads, of which none makes a finished job out of date.

    Limits and places are such: they change what a job may take, not what it returns. Snakemake compares no
    parameter whose function has an argument `output`.
    """
    return {name: _passed(name, value) for name, value in values.items()}


def _passed(name: str, value: Callable[[Any], object]) -> object:
    return asked_often(lambda wildcards, output: {name: plain(value(wildcards))})


def _named(name: str, value: object) -> object:
    if callable(value):
        return asked_often(lambda wildcards: {name: plain(value(wildcards))})
    return {name: plain(value)}


def _spec_of_method(method: MethodConfig) -> Params:
    """Select the keys of a method that are checked and compiled; distributions where it has any."""
    spec = method.model_dump(
        include={"id", "estimator", "params", "param_grid", "input"}
    )
    distributions = method.param_distributions
    return spec | ({"param_distributions": distributions} if distributions else {})


def _digest_of_candidates(plan: Plan, run: Run, code: str) -> str:
    """Digest what the scores of a candidate depend on, except for its parameters and the fold."""
    return digest_of_value(
        [plan.job(run).of_a_candidate(), _data(plan, run.dataset), code]
    )


def digest(plan: Plan, run: Run) -> str:
    """Digest the data and the specification of a run, the same for all its folds.

    Its record carries it. Code is not part of it, nor where files lie.
    """
    return _digest(plan, run.dataset, run.method)


@cache
def _digest(plan: Plan, dataset: str, method: str) -> str:
    """Digest all parameters that a training of a method on a data set depends on."""
    spec = plan.job(Run(dataset, method, 0, 0)).as_dict()
    return digest_of_value([spec, _data(plan, dataset)])


@cache
def _data(plan: Plan, dataset: str) -> list[Any]:
    """Specify a data set, with the content of the user's own files in place of their names."""
    data = plan.config.dataset(dataset)
    files = {name: data.params.get(name) for name in kind_of(data.kind).files}
    digests: dict[str, Any] = {}
    for name, file in files.items():
        joined = file if isinstance(file, Mapping) else {}
        path = joined.get("path", file)
        if path and Path(path).is_file():
            digest = digest_of_file(path)
            digests[name] = {**joined, "path": digest} if joined else digest
    specs = [plan.stage_spec(dataset, stage) for stage in plan.stages(dataset)]
    for spec in specs:
        spec["params"] |= {
            name: digests[name] for name in digests.keys() & spec["params"].keys()
        }
    return [
        specs,
        {
            name: [file.path, file.member, file.digest]
            for name, file in data.files.items()
        },
    ]


def is_done(plan: Plan, run: Run) -> bool:
    """Tell whether the results of a run exist, and are of this configuration."""
    return digest_of(plan.record_path(run)) == digest(plan, run) and exists(
        plan.scores_path(run)
    )


class TakeOver(NamedTuple):
    """The take-over of a folder of results that this working directory did not make, or not alone."""

    #: In seconds since 1970; None without one.
    since: float | None = None
    #: What is taken over now; empty if it was before.
    line: str = ""


def take_over(plan: Plan) -> TakeOver:
    """Take over the results of a folder that `refusal` is about, if some are of this configuration.

    A record says of which data and specification it is. Nothing is changed here: `attop_bench.run.made` says
    of each job whether it runs again.
    """
    output = plan.root
    if not refusal(output):
        return TakeOver(_read(_known(output)).get("since"))
    runs = list(plan.runs())
    agreeing = sum(
        is_done(plan, run) and bool(read_note(plan.record_path(run)))
        for run in runs
    )
    if not agreeing:
        return TakeOver()
    maker = _read(output / RUN).get("directory", "an unknown working directory")
    line = (
        f"{output} holds results of {maker} that {_STATE} in {os.getcwd()} does not know. {agreeing} of "
        f"{count_noun(len(runs), 'training run')} are of this configuration and taken over, but for those of "
        "other code or data. All else runs again."
    )
    return TakeOver(time.time(), line)


def refusal(output: StrPath) -> str:
    """Say why this working directory must not add to a folder of results; empty if it may.

    Snakemake remembers in ``.snakemake`` what it made each result with, and takes files it does not know for
    results of this configuration. So each run leaves its number there and in ``.attop.json`` of the folder:
    where they differ, the last run was one of another working directory, or ``.snakemake`` is gone.
    """
    folder = Path(output)
    last = _read(folder / RUN)
    if not last and not (folder / "train").is_dir():
        return ""
    if last.get("run") in _read(_known(output)).get("runs", []):
        return ""
    return (
        f"{output} holds results of {last.get('directory', 'an unknown working directory')} that {_STATE} in "
        f"{os.getcwd()} does not know: give another output (--config output=FOLDER), or delete {output}."
    )


def number_run(
    output: StrPath, attempts: int | None = None, since: float | None = None
) -> None:
    """Leave the number of a new run in the folder of results and in this working directory; see `refusal`.

    Beside it stands how many `attempts` each job has; see `attop_bench.run.attempts`. `since` is the time of
    the `TakeOver`, if there was one: of it, what Snakemake remembers from before may be of other results.
    """
    run = uuid4().hex
    note = _known(output)
    # The number before too: a kill may come between the two files.
    runs = [*_read(note).get("runs", [])[-1:], run]
    write_json(note, {"runs": runs, "since": since, "output": os.fspath(output)})
    write_json(
        Path(output, RUN),
        {"run": run, "directory": os.getcwd(), "attempts": attempts},
    )


def known_outputs() -> list[str]:
    """List the folders of results of runs from this working directory, as their runs named them."""
    notes = [_read(path) for path in sorted(Path(_STATE, "attop").glob("*.json"))]
    return [
        note["output"]
        for note in notes
        if isinstance(note, dict) and "output" in note
    ]


def _known(output: StrPath) -> Path:
    """Locate the file of the working directory with the numbers of the last runs of an output."""
    return Path(_STATE, "attop", f"{short_digest(os.fsencode(output))}.json")


def _read(path: Path) -> JsonObject:
    try:
        return read_json(path)
    except (OSError, ValueError):
        return {}

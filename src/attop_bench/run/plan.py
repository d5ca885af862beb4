"""The training runs of a configuration and the paths of its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Protocol

from attop_bench.archives import SUFFIX
from attop_bench.data.catalogue import input_files, kind_of, stage_parameters
from attop_bench.data.files.fetch import edited
from attop_bench.data.files.source import digest
from attop_bench.data.splits.protocols import count_folds
from attop_bench.files import JsonObject
from attop_bench.run.blocks import RECORD, SCORES, block_of, in_block, sizes_in
from attop_bench.run.config import Config
from attop_bench.run.job import Job, Run
from attop_bench.run.notes import note_of
from attop_bench.run.options import MethodConfig
from attop_bench.run.paper import simulations_of
from attop_bench.run.record import Record, RecordError
from attop_bench.run.tables import CELLS, EVALUATED, TABLES
from attop_bench.run.took import Step


class Place(Protocol):
    """The wildcards of a training job: those of one run, or a block of a method's."""

    dataset: str
    method: str
    repeat: str
    fold: str
    block: str


class Plan:
    """Runs and paths of a configuration; nothing here reads data."""

    def __init__(self, config: Config):
        self.config = config
        self.root = Path(config.output)
        self._folder = cache(self._folder_of)
        self.seconds = cache(self._seconds_of)
        self.folds_of = {
            d.id: count_folds(d.protocol.kind, **d.protocol.options)
            for d in config.datasets
        }

    def runs(
        self, dataset: str | None = None, only: str | None = None
    ) -> Iterator[Run]:
        """Yield the training runs, of one data set or of all, in the order of the configuration.

        Those of `only` one method, if it is given.
        """
        for data in self.config.datasets:
            if dataset not in (None, data.id):
                continue
            for method in self.config.methods:
                if method.id in data.skip or only not in (None, method.id):
                    continue
                for repeat in range(data.protocol.repeats):
                    for fold in range(self.folds_of[data.id]):
                        yield Run(data.id, method.id, repeat, fold)

    def stages(self, dataset: str) -> list[str]:
        """List the preparation stages of a data set, the last of which is ``"dataset"``."""
        return list(kind_of(self.config.dataset(dataset).kind).stages)

    def stage_path(self, dataset: str, stage: str = "dataset") -> Path:
        """Locate the file that a preparation stage leaves."""
        return self.root / "data" / dataset / f"{stage}.npz"

    def folds_path(self, dataset: str, repeat: int) -> Path:
        """Locate the file of the folds of one repeat."""
        return self.root / "data" / dataset / "folds" / f"repeat{repeat}.npz"

    def folds_paths(self, dataset: str) -> list[Path]:
        """Locate the files of the folds of all repeats, in their order."""
        repeats = self.config.dataset(dataset).protocol.repeats
        return [self.folds_path(dataset, repeat) for repeat in range(repeats)]

    def stage_inputs(self, dataset: str, stage: str) -> list[Path]:
        """List the files that `stage` reads: that of the stage before, or the user's own."""
        stages = self.stages(dataset)
        if position := stages.index(stage):
            return [self.stage_path(dataset, stages[position - 1])]
        data = self.config.dataset(dataset)
        receipt = [self.receipt_path(dataset)] if data.files else []
        return [
            *receipt,
            *(Path(file) for file in input_files(data.kind, data.params)),
        ]

    def stage_spec(self, dataset: str, stage: str) -> JsonObject:
        """Specify a preparation stage, except for the file of the stage before it."""
        data = self.config.dataset(dataset)
        spec: JsonObject = {
            "id": data.extends or data.id,
            "kind": data.kind,
            "params": stage_parameters(data.kind, stage, data.parameters),
            "seed": self.config.seed,
        }
        expect = data.expect.model_dump(exclude_none=True)
        if expect and stage == self.stages(dataset)[-1]:
            spec["expect"] = expect
        return spec

    def lost_files(self) -> list[str]:
        """Complain of each file that is gone, or damaged in the cache, since it was read.

        It may have been edited before, and Snakemake does not ask for the inputs of what is there.
        """
        complaints = []
        for data in self.config.datasets:
            done = self.stage_path(data.id)
            complaints += [
                f"datasets: {data.id}: {file} is gone, and {done} may be of another version of it: put the "
                "file back, or leave the data set out"
                for file in input_files(data.kind, data.params)
                if done.exists() and not Path(file).exists()
            ]
            complaints += [
                f"datasets: {data.id}: {path} was edited since it was fetched, and its digest is not the one "
                "that is configured: remove it, and it is fetched again where it is needed"
                for name, path in edited(self.receipt_path(data.id)).items()
                if (file := data.files.get(name))
                and file.digest not in (None, digest(path, file.digest))
            ]
        return [*complaints, *self._of_other_granularity()]

    def _of_other_granularity(self) -> Iterator[str]:
        """Yield a complaint for each method whose folds were trained in blocks of another size."""
        for data in self.config.datasets:
            for method in self.config.methods:
                folder = self.root / "train" / data.id / method.id
                for size in sorted(
                    sizes_in(folder) - {str(self.config.granularity)}
                ):
                    yield f"granularity: {folder} was trained with {size}: set {size} again, or remove it"

    def with_files(self) -> list[str]:
        """Name the data sets with files to fetch."""
        return [d.id for d in self.config.datasets if d.files]

    def receipt_path(self, dataset: str) -> Path:
        """Locate the receipt of the files to fetch."""
        return self.root / "data" / dataset / "fetch.json"

    def receipts_of_all(self) -> list[str]:
        """List the receipts of all data sets; none if one has no files to fetch, and so is available."""
        names = self.with_files()
        return (
            [str(self.receipt_path(name)) for name in names]
            if len(names) == len(self.folds_of)
            else []
        )

    def sources(self, dataset: str) -> JsonObject:
        """Collect the sources of a data set's files, and the places to look for and keep them."""
        files = {
            name: asdict(file)
            for name, file in self.config.dataset(dataset).files.items()
        }
        config = self.config
        return {
            "sources": files,
            "cache": config.cache,
            "mirror": config.mirror,
            "offline": config.offline,
        }

    def scores_path(self, run: Run) -> Path:
        """Locate the file of raw test scores."""
        return self._folder(run) / SCORES

    def results(self, run: Run) -> tuple[Path, Path]:
        """Locate the files of scores and record of a run."""
        return self.scores_path(run), self.record_path(run)

    def record_path(self, run: Run) -> Path:
        """Locate the record of how the scores came about."""
        return self._folder(run) / RECORD

    def archive_path(self, run: Run) -> Path:
        """Locate the archive of the block of a run, where a training job has more folds than one."""
        position = run.repeat * self.folds_of[run.dataset] + run.fold
        return run.folder(self.root).with_name(
            f"{block_of(self.config.granularity, position)}{SUFFIX}"
        )

    def _folder_of(self, run: Run) -> Path:
        """Locate the files of a run, which may be inside the archive of its block."""
        folder = run.folder(self.root)
        return (
            folder
            if self.config.granularity == "fold"
            else self.archive_path(run) / folder.name
        )

    def runs_of(self, job: Place) -> list[Run]:
        """List the runs of a training job by its wildcards: one, or a block of them."""
        if self.config.granularity == "fold":
            return [Run(job.dataset, job.method, int(job.repeat), int(job.fold))]
        n_folds = self.folds_of[job.dataset]
        positions = in_block(
            job.block, self.config.dataset(job.dataset).protocol.repeats * n_folds
        )
        return [
            Run(job.dataset, job.method, *divmod(position, n_folds))
            for position in positions
        ]

    def folds_of_job(self, job: Place) -> list[Path]:
        """List the files of folds that a training job reads, in the order of the repeats."""
        repeats = dict.fromkeys(run.repeat for run in self.runs_of(job))
        return [self.folds_path(job.dataset, repeat) for repeat in repeats]

    def trained(self, runs: Iterable[Run]) -> list[Path]:
        """List the files that the rule ``train`` leaves of some runs."""
        if self.config.granularity == "fold":
            return [path for run in runs for path in self.results(run)]
        archives = dict.fromkeys(map(self.archive_path, runs))
        # The note, too: Snakemake makes again what is asked for and not there, and `clear` removes it.
        return [
            path for archive in archives for path in (archive, note_of(archive))
        ]

    def trainings(self) -> list[Path]:
        """List one file of each training job, so that a share of them is the same share of the jobs."""
        if self.config.granularity == "fold":
            return list(map(self.record_path, self.runs()))
        return list(
            dict.fromkeys(note_of(self.archive_path(run)) for run in self.runs())
        )

    def files(self) -> list[Path]:
        """List all files of preparation and training."""
        receipts = [self.receipt_path(name) for name in self.with_files()]
        stages = [
            self.stage_path(d.id, stage)
            for d in self.config.datasets
            for stage in self.stages(d.id)
        ]
        folds = [
            path for d in self.config.datasets for path in self.folds_paths(d.id)
        ]
        return [*receipts, *stages, *folds, *self.trained(self.runs())]

    def compiled_path(self, method: str) -> Path:
        """Locate the file that says that a method was checked and compiled."""
        return self.root / "data" / "compiled" / f"{method}.json"

    def table_path(self, dataset: str, table: str) -> Path:
        """Locate a table of the evaluation of a data set."""
        return self.root / "evaluation" / dataset / f"{table}.parquet"

    def steps(self) -> Iterator[Step]:
        """Yield the jobs other than trainings that come before the report, in the order of the rules."""
        sets = [data.id for data in self.config.datasets]
        yield from (
            _step("fetch", name, self.receipt_path(name))
            for name in self.with_files()
        )
        yield from (
            _step("prepare", d, self.stage_path(d, stage))
            for d in sets
            for stage in self.stages(d)
        )
        yield from (
            _step("split", name, path)
            for name in sets
            for path in self.folds_paths(name)
        )
        yield from (
            _step("compile", "", self.compiled_path(m.id))
            for m in self.config.methods
        )
        yield from (
            _step("evaluate", name, self.table_path(name, EVALUATED[0]))
            for name in sets
        )
        yield from (
            _step("trace", name, self.table_path(name, "trace")) for name in sets
        )

    def last_steps(self) -> Iterator[Step]:
        """Yield the jobs of the report, and of the paper that the configuration rebuilds."""
        yield _step("report", "", self.root / "report.html")
        for name in simulations_of(self.config.paper):
            yield _step(
                "simulate", "", self.root / "simulations" / f"{name}.parquet"
            )
        if self.config.paper:
            yield _step("paper", "", self.root / "paper" / "index.html")

    def job(self, run: Run) -> Job:
        """Specify a training run."""
        data = self.config.dataset(run.dataset)
        learner = self.config.method(run.method)
        return Job(
            repeat=run.repeat,
            fold=run.fold,
            seed=self.config.seed,
            protocol={"kind": data.protocol.kind, "options": data.protocol.options},
            scaling=data.scaling,
            tops=data.tops,
            scoring=data.scoring,
            selection=data.selection,
            custom_metrics=self.config.own(
                *self.config.names_of(run.dataset, run.method)
            ),
            estimator=learner.estimator,
            params=learner.params,
            param_grid=learner.param_grid,
            input=learner.input,
            select=self.config.select_of(run.dataset, run.method),
            param_distributions=learner.param_distributions,
            ensemble=learner.ensemble if learner.ensemble > 1 else None,
            **self._budget(learner),
        )

    def _budget(self, learner: MethodConfig) -> JsonObject:
        """Count the candidates that a method draws, and limit the time of its search, if it is tuned."""
        tuned = bool(learner.param_grid or learner.param_distributions)
        budget = self.config.budget
        seconds = budget.seconds if budget and tuned else None
        return {"seconds": seconds, "n_candidates": self.config.drawn(learner)}

    def tables(self) -> list[Path]:
        """List the tables of all data sets, of which the report is made."""
        return [
            self.table_path(data.id, table)
            for data in self.config.datasets
            for table in TABLES
        ]

    def exports(self) -> list[Path]:
        """List the tables of the report in other formats, and of all data sets together."""
        names = [f"{table}.parquet" for table in (*TABLES, "summary")]
        names += [f"{table}.csv" for table in TABLES if table not in CELLS]
        names += ["found.csv", "rules.csv"]
        if len(self.config.datasets) > 1:
            names += ["board.csv"]
        names += [f"{name}.tex" for name in ("all", *self.folds_of)]
        return [self.root / "tables" / name for name in names]

    def _seconds_of(self, dataset: str, method: str) -> float:
        """Look up the time of the first run of a method when it was last done; 0 if it was not."""
        try:
            return (
                Record.read(
                    self.record_path(Run(dataset, method, 0, 0))
                ).total_seconds
                or 0.0
            )
        except RecordError:
            return 0.0

    def priority(self, job: Place) -> float:
        """Rank a training job from 0 to 1: first runs of a method come first, then long ones, then ensembles.

        Its curve waits for the first. Ensembles take what others kept of the same candidates.
        """
        if self.config.method(job.method).ensemble > 1:
            return 0.0
        if (
            self.config.trace
            and self.config.granularity == "fold"
            and (job.repeat, job.fold) == ("0", "0")
        ):
            return 1.0
        return 1 - 1 / (2 + self.seconds(job.dataset, job.method))

    def first_runs(self, dataset: str) -> list[Run]:
        """List the runs of the first repeat and fold, one per method; none if curves are not wanted."""
        runs = self.runs(dataset) if self.config.trace else []
        return [run for run in runs if (run.repeat, run.fold) == (0, 0)]


def _step(rule: str, dataset: str, output: Path) -> Step:
    return Step(rule, dataset, output, note_of(output))

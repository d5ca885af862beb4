"""What has to be computed: the training runs of a configuration and the files they leave."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attop.bench.config import Config
from attop.bench.fingerprint import fingerprint, home_of
from attop.bench.run import Run
from attop.datasets.catalogue import input_files, kind_of, stage_parameters
from attop.datasets.fetch.receipt import failures
from attop.datasets.splits.protocols import count_folds
from attop.metrics import get_metric
from attop.papers.registry import PAPERS, SIMULATIONS

__all__ = ["Plan"]


class Plan:
    """Runs and paths of a configuration; nothing here reads data.

    Parameters
    ----------
    config : Config
    """

    def __init__(self, config: Config):
        self.config = config
        self.root = Path(config.output)

    def runs(self, dataset: str | None = None) -> Iterator[Run]:
        """Yield the training runs, of one data set or of all, in the order of the configuration."""
        for data in self.config.datasets:
            if dataset not in (None, data.id):
                continue
            folds = count_folds(data.protocol.kind, **data.protocol.options)
            for method in self.config.methods:
                if method.id in data.skip:
                    continue
                for repeat in range(data.protocol.repeats):
                    for fold in range(folds):
                        yield Run(data.id, method.id, repeat, fold)

    def stages(self, dataset: str) -> list[str]:
        """Return the preparation stages of a data set, the last of which is ``"dataset"``."""
        return list(kind_of(self.config.dataset(dataset).kind).stages)

    def with_stage(self, stage: str) -> list[str]:
        """Return the data sets whose preparation has `stage`."""
        return [d.id for d in self.config.datasets if stage in self.stages(d.id)]

    def stage_path(self, dataset: str, stage: str = "dataset") -> Path:
        """Return the file a preparation stage leaves."""
        return self.root / "data" / dataset / f"{stage}.npz"

    def stage_inputs(self, dataset: str, stage: str) -> list[Path]:
        """Return the files `stage` reads: that of the stage before, or the user's own."""
        stages = self.stages(dataset)
        position = stages.index(stage)
        if position:
            return [self.stage_path(dataset, stages[position - 1])]
        data = self.config.dataset(dataset)
        receipt = [self.receipt_path(dataset)] if data.files else []
        return [*receipt, *(Path(file) for file in input_files(data.kind, data.params))]

    def with_files(self) -> list[str]:
        """Return the data sets with files to fetch."""
        return [d.id for d in self.config.datasets if d.files]

    def receipt_path(self, dataset: str) -> Path:
        """Return the file that says what became of the files to fetch."""
        return self.root / "data" / dataset / "fetch.json"

    def scores_path(self, run: Run) -> Path:
        """Return the file of raw test scores."""
        return self._run_folder(run) / "scores.npz"

    def record_path(self, run: Run) -> Path:
        """Return the record of how the scores came about."""
        return self._run_folder(run) / "record.json"

    def files(self) -> list[Path]:
        """Return everything preparation and training leave."""
        receipts = [self.receipt_path(id) for id in self.with_files()]
        stages = [self.stage_path(d.id, stage) for d in self.config.datasets for stage in self.stages(d.id)]
        runs = list(self.runs())
        return [*receipts, *stages, *map(self.scores_path, runs), *map(self.record_path, runs)]

    def _run_folder(self, run: Run) -> Path:
        return self.root / "train" / run.dataset / run.method / f"repeat{run.repeat}-fold{run.fold}"

    # What a job depends on besides its input files, as text: a change of it makes the job run again. Each has
    # the fingerprint of the code it runs.

    def fetching(self, dataset: str) -> str:
        """Return what fetching the files of a data set depends on: not on where they are found."""
        return _text(
            files={
                name: {"path": f.path, "member": f.member, "digest": f.digest, "bytes": f.bytes}
                for name, f in self.config.dataset(dataset).files.items()
            },
            cache=self.config.cache,
            failures=failures(self.receipt_path(dataset)),
        )

    def preparation(self, dataset: str, stage: str) -> str:
        """Return what a preparation stage of a data set depends on."""
        data = self.config.dataset(dataset)
        stages = self.stages(dataset)
        before = stages[: stages.index(stage)]
        previous = self.stage_path(dataset, before[-1]) if before else self.receipt_path(dataset)
        spec = {
            "id": data.like or data.id,
            "kind": data.kind,
            "params": stage_parameters(data.kind, stage, data.parameters),
            "seed": self.config.seed,
        }
        expect = data.expect.model_dump(exclude_none=True)
        if expect and stage == stages[-1]:
            spec["expect"] = expect
        return _text(
            stage=stage,
            previous=str(previous) if before or data.files else None,
            spec=spec,
            code=fingerprint([kind_of(data.kind).step(stage).function.__module__]),
        )

    def checking(self) -> str:
        """Return what the check of data and configuration depends on: not on metrics that do not select."""
        config = self.config.model_dump(exclude={"metrics", "own_metrics", "title"})
        return _text(**config, own_metrics=self.config.own(*(d.select_by for d in self.config.datasets)))

    def methods(self) -> str:
        """Return what the methods are."""
        return _text(
            **{m.id: m.model_dump(include={"estimator", "params", "search"}) for m in self.config.methods}
        )

    def training(self, dataset: str, method: str) -> str:
        """Return what the training runs of a method on a data set depend on."""
        data, learner = self.config.dataset(dataset), self.config.method(method)
        return _text(
            spec={
                "seed": self.config.seed,
                "protocol": {"kind": data.protocol.kind, "options": data.protocol.options},
                "scaling": data.scaling,
                "targets": data.targets,
                "select_by": data.select_by,
                "own_metrics": self.config.own(data.select_by),
                "selection": data.selection,
                "estimator": learner.estimator,
                "params": learner.params,
                "search": learner.search,
            },
            code=fingerprint(
                [
                    "attop.bench.training",
                    home_of(learner.estimator),
                    *self._homes(data.select_by),
                ]
            ),
        )

    def evaluation(self, dataset: str) -> str:
        """Return what the evaluation of a data set depends on."""
        data = self.config.dataset(dataset)
        return _text(
            runs=[[run.method, run.repeat, run.fold] for run in self.runs(dataset)],
            targets=data.targets,
            strict=self.config.strict,
            metrics=self.config.metrics,
            own_metrics=self.config.own(*self.config.metrics, data.select_by),
            select_by=data.select_by,
            code=fingerprint(
                [
                    "attop.bench.evaluation",
                    *self._homes(*self.config.metrics, data.select_by),
                ]
            ),
        )

    def trace(self, dataset: str) -> str:
        """Return what the training curves of a data set depend on."""
        return _text(
            # A list, in the order of the records: mappings are written in the order of their keys.
            jobs=[
                [run.method, json.loads(self.training(dataset, run.method))["spec"]]
                for run in self.first_runs(dataset)
            ],
            code=fingerprint(
                [
                    "attop.bench.trace",
                    *self._homes(self.config.dataset(dataset).select_by),
                    *(home_of(self.config.method(run.method).estimator) for run in self.first_runs(dataset)),
                ]
            ),
        )

    def first_runs(self, dataset: str) -> list[Run]:
        """Return the runs of the first repeat and fold, one per method; none if curves are not wanted."""
        runs = self.runs(dataset) if self.config.trace else []
        return [run for run in runs if (run.repeat, run.fold) == (0, 0)]

    def report(self) -> str:
        """Return what the report depends on."""
        return _text(
            config=self.config.model_dump(),
            code=fingerprint(["attop.analysis.page.report", "attop.bench.manifest"]),
        )

    def simulation(self, name: str) -> str:
        """Return what a simulation of the paper depends on."""
        assert self.config.paper is not None
        home = home_of(SIMULATIONS[self.config.paper][name])
        return _text(paper=self.config.paper, seed=self.config.seed, code=fingerprint([home]))

    def paper(self) -> str:
        """Return what the rebuilt tables of a paper depend on besides the results."""
        paper = self.config.paper
        assert paper is not None
        return _text(paper=paper, code=fingerprint([PAPERS[paper], "attop.papers.page"]))

    def _homes(self, *metrics: str) -> list[str]:
        """Return the modules that define some metrics."""
        own = [home_of(self.config.own_metrics[name].path) for name in self.config.own(*metrics)]
        kernels = (getattr(get_metric(name).kernel, "__module__", None) for name in metrics)
        return [*own, *filter(None, kernels)]  # compiled functions need not say where they are from


def _text(**parts: Any) -> str:
    return json.dumps(parts, sort_keys=True, default=str)

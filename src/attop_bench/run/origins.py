"""What a result was made with: a digest of its part of the configuration, which its file carries.

Snakemake remembers with what jobs were run in the working directory. Where that memory is gone, or another
working directory has the same ``output``, it takes any file for the result it looks for: that of another seed
too. The digest tells them apart. The code is not part of it, nor where files lie.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from attop_bench.data.catalogue import kind_of
from attop_bench.data.source import digest as digest_of_file
from attop_bench.papers.registry import SIMULATIONS
from attop_bench.run.carried import digest, origin_of_run
from attop_bench.run.plan import Plan
from attop_bench.run.run import Run

__all__ = ["Origins"]


class Origins:
    """The digests that the results of a configuration are to carry.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan: Plan):
        self.plan, self.config = plan, plan.config
        self.stage = cache(self._stage)
        self._of_method = cache(self._run)

    def _stage(self, dataset: str, stage: str = "dataset") -> str:
        """Return the digest for a preparation stage; of the user's own files the content counts."""
        data, stages = self.config.dataset(dataset), self.plan.stages(dataset)
        specs = [self.plan.stage_spec(dataset, name) for name in stages[: stages.index(stage) + 1]]
        contents = {
            name: digest_of_file(file)
            for name in kind_of(data.kind).files
            if (file := data.params.get(name)) is not None and Path(file).is_file()
        }
        for spec in specs:
            spec["params"] |= {name: sha for name, sha in contents.items() if name in spec["params"]}
        fetched = {name: [file.path, file.member, file.digest] for name, file in data.files.items()}
        return digest(stage, specs, fetched)

    def folds(self, dataset: str, repeat: int | str) -> str:
        """Return the digest for the folds of one repeat."""
        return digest(self.stage(dataset), self.config.split(dataset, int(repeat)))

    def run(self, run: Run) -> str:
        """Return the digest for a training run."""
        return self._of_method(run.dataset, run.method)

    def _run(self, dataset: str, method: str) -> str:
        return origin_of_run(self.plan.spec(Run(dataset, method, 0, 0)), self.stage(dataset))

    def check(self) -> str:
        """Return the digest for the check of data and configuration."""
        return digest(self._configuration("metrics", "custom_metrics", "title"))

    def evaluation(self, dataset: str) -> str:
        """Return the digest for the tables of a data set's evaluation."""
        data, metrics = self.config.dataset(dataset), self.config.metrics
        runs = [[run.method, run.repeat, run.fold, self.run(run)] for run in self.plan.runs(dataset)]
        return digest(runs, data.tops, metrics, data.scoring, self.config.own(*metrics, data.scoring))

    def trace(self, dataset: str) -> str:
        """Return the digest for the training curves of a data set."""
        return digest([[run.method, self.run(run)] for run in self.plan.first_runs(dataset)])

    def simulation(self, name: str) -> str:
        """Return the digest for a simulation of a paper."""
        data = SIMULATIONS[str(self.config.paper)][name].datasets
        return digest(self.config.paper, self.config.seed, name, [self.stage(id) for id in data])

    def report(self) -> str:
        """Return the digest for the report."""
        return digest(self._configuration())

    def _configuration(self, *without: str) -> list[Any]:
        said = self.config.model_dump(exclude={"output", *without})
        return [said, [self.stage(data.id) for data in self.config.datasets]]

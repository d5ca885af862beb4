"""Compute the metrics of one data set's stored scores."""

import json
from pathlib import Path

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.bench.available import load_available
    from attop.bench.evaluation import evaluate
    from attop.bench.records import check_all_ok
    from attop.bench.run import Run
    from attop.bench.tables import write_tables
    from attop.metrics.own import register_own
    from attop.top import Top

    spec, files = json.loads(snakemake.params.job), snakemake.input
    if spec["strict"]:
        check_all_ok(files.records)
    register_own(spec["own_metrics"])
    dataset = load_available(files.data)
    runs = [Run(snakemake.wildcards.dataset, *run) for run in spec["runs"]]
    targets = [Top.of(target) for target in spec["targets"]]
    tables = evaluate(
        dataset,
        runs,
        files.scores,
        files.records,
        targets=targets,
        metrics=spec["metrics"],
        select_by=spec["select_by"],
    )
    write_tables(tables, Path(snakemake.output[0]).parent)

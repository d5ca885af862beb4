"""Compute the metrics of one data set's stored scores."""

from pathlib import Path

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.bench.available import load_available
    from attop.bench.evaluation import evaluate
    from attop.bench.parameters import by_name
    from attop.bench.record import check_all_ok
    from attop.bench.run import Run
    from attop.bench.tables import write_tables
    from attop.metrics.own import find_metric
    from attop.top import Top

    inputs, files = by_name(snakemake.params), snakemake.input
    if inputs["strict"]:
        check_all_ok(files.records)
    own = inputs["own_metrics"]
    dataset = load_available(files.data)
    runs = [Run(snakemake.wildcards.dataset, *run) for run in inputs["runs"]]
    targets = [Top.of(target) for target in inputs["targets"]]
    tables = evaluate(
        dataset,
        runs,
        files.scores,
        files.records,
        targets=targets,
        metrics=[find_metric(name, own) for name in inputs["metrics"]],
        select_by=find_metric(inputs["select_by"], own),
    )
    write_tables(tables, Path(snakemake.output[0]).parent, made_with=inputs["made_with"])

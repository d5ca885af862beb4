"""Compute the metrics of one data set's stored scores."""

from pathlib import Path

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.extending import Top
    from attop.metrics import find_metric
    from attop_bench.data.base import load_available
    from attop_bench.run.evaluation import evaluate
    from attop_bench.run.job import Run
    from attop_bench.run.made import leave_note
    from attop_bench.run.parameters import by_name
    from attop_bench.run.record import check_all_ok, places_of, repeating_spoilt
    from attop_bench.run.tables import write_tables

    inputs, output = by_name(snakemake.params), Path(snakemake.output[0])
    runs = [Run(snakemake.wildcards.dataset, *run) for run in inputs["runs"]]
    own = inputs["custom_metrics"]
    dataset = load_available(snakemake.input.data)
    tops = [Top.of(top) for top in inputs["tops"]]
    with repeating_spoilt():
        scores, records = places_of(snakemake.input.trained)
        if inputs["strict"]:
            check_all_ok(records)
        tables = evaluate(
            dataset,
            runs,
            scores,
            records,
            tops=tops,
            metrics=[find_metric(name, own) for name in inputs["metrics"]],
            scoring=find_metric(inputs["scoring"], own),
        )
    write_tables(tables, output.parent)
    leave_note(snakemake, can_be_taken_over=False)

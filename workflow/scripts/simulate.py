"""Simulate what a paper simulates."""

from pathlib import Path

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.bench.parameters import by_name
    from attop.bench.tables import write_tables
    from attop.papers.registry import simulate

    inputs, path = by_name(snakemake.params), Path(snakemake.output[0])
    write_tables({path.stem: simulate(inputs["paper"], path.stem, inputs["seed"])}, path.parent)

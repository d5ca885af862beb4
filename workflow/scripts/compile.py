"""Compile what the methods need."""

from pathlib import Path

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.bench.compilation import compile_methods
    from attop.bench.parameters import by_name
    from attop.files import write_json

    logs = Path(snakemake.log[0]).parent / "compile"
    methods = by_name(snakemake.params)["methods"]
    write_json(snakemake.output[0], compile_methods(methods, logs))

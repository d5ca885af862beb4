"""Compile what the methods need."""

from pathlib import Path

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.core.files import write_json
    from attop_bench.run.compilation import compile_methods
    from attop_bench.run.parameters import by_name

    logs = Path(snakemake.log[0]).parent / "compile"
    methods = by_name(snakemake.params)["methods"]
    write_json(snakemake.output[0], compile_methods(methods, logs))

"""Compile what the methods need."""

import json

from attop.bench.joblog import job_log

with job_log(snakemake.log[0]):
    from attop.bench.compilation import compile_methods
    from attop.bench.records import write_json

    write_json(snakemake.output[0], compile_methods(json.loads(snakemake.params.job)))

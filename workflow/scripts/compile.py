"""Compile what the methods need."""

import json
from pathlib import Path

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.bench.compilation import compile_methods
    from attop.files import write_json
    from attop.jobs.limits import Limits

    resources = snakemake.resources
    limits = Limits(resources.limit_ms / 1000 or None, resources.limit_mb or None)
    logs = Path(snakemake.log[0]).parent / "compile"
    write_json(snakemake.output[0], compile_methods(json.loads(snakemake.params.job), logs, limits))

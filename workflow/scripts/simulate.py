"""Simulate what a paper simulates."""

import json
from pathlib import Path

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.bench.tables import write_tables
    from attop.papers.registry import simulate

    job, path = json.loads(snakemake.params.job), Path(snakemake.output[0])
    write_tables({path.stem: simulate(job["paper"], path.stem, job["seed"])}, path.parent)

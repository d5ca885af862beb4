"""Run one preparation stage of a data set."""

import json

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.datasets.catalogue import build

    job = json.loads(snakemake.params.job)
    build(job["spec"], job["stage"], job["previous"], snakemake.output[0])

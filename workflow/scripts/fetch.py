"""Fetch the files of a data set into the cache."""

import json
import os

from attop.bench.joblog import job_log

with job_log(snakemake.log[0]):
    from attop.datasets.receipt import fetch_files

    job = json.loads(snakemake.params.job)
    # Not among the parameters: the same bytes from elsewhere are the same data.
    fetch_files(
        job["files"],
        job["cache"],
        snakemake.output[0],
        mirror=snakemake.config.get("mirror") or os.environ.get("ATTOP_MIRROR"),
        offline=bool(snakemake.config.get("offline", False)),
    )

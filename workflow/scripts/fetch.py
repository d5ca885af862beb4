"""Fetch the files of a data set into the cache."""

from pathlib import Path

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.bench.config import load_config
    from attop.datasets.fetch.receipt import fetch_files

    # Addresses are not among the parameters of the job: the same bytes from elsewhere are the same data.
    config = load_config(snakemake.config, root=Path(snakemake.scriptdir).parents[1])
    fetch_files(
        config.dataset(snakemake.wildcards.dataset).files,
        config.cache,
        snakemake.output[0],
        mirror=config.mirror,
        offline=config.offline,
    )

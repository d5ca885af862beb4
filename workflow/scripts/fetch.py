"""Fetch the files of a data set into the cache."""

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop_bench.data.files.fetch import fetch_files
    from attop_bench.data.files.source import Source
    from attop_bench.run.made import leave_note
    from attop_bench.run.parameters import by_name

    given = by_name(snakemake.params)
    where = given["sources"]
    fetch_files(
        {name: Source(**file) for name, file in where["sources"].items()},
        where["cache"],
        snakemake.output[0],
        mirror=where["mirror"],
        offline=where["offline"],
        turn=given["turn"],
    )
    leave_note(snakemake)

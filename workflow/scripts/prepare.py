"""Run one preparation stage of a data set."""

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop_bench.data.build import build
    from attop_bench.data.files.fetch import end_without_data
    from attop_bench.run.made import leave_note
    from attop_bench.run.parameters import by_name

    given = by_name(snakemake.params)
    end_without_data(given["receipts"])
    data = given["data"]
    build(data["spec"], data["stage"], data["previous"], snakemake.output[0])
    leave_note(snakemake)

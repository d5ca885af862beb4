"""Run one preparation stage of a data set."""

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.bench.parameters import by_name
    from attop.datasets.build import build

    inputs = by_name(snakemake.params)
    data = inputs["data"]
    build(data["spec"], data["stage"], data["previous"], snakemake.output[0], inputs["made_with"])

"""Check the methods before anything is trained."""

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop._core.files import write_json
    from attop_bench.run.checks import check_methods
    from attop_bench.run.options import MethodConfig
    from attop_bench.run.parameters import by_name

    methods = by_name(snakemake.params)["methods"]
    check_methods(map(MethodConfig.model_validate, methods))
    write_json(snakemake.output[0], {"methods": [method["id"] for method in methods]})

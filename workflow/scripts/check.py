"""Check data and configuration before anything is trained."""

from attop.bench.joblog import job_log

with job_log(snakemake.log[0]):
    from attop.bench.checks import check_plan
    from attop.bench.config import Config
    from attop.bench.records import write_json
    from attop.datasets.base import Dataset

    config = Config.model_validate_json(snakemake.params.job)
    datasets = {d.id: Dataset.load(path) for d, path in zip(config.datasets, snakemake.input, strict=True)}
    check_plan(config, datasets)
    write_json(snakemake.output[0], {name: data.summary() for name, data in datasets.items()})

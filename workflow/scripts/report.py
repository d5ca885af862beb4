"""Put the tables together and write the report."""

from pathlib import Path

from attop.bench.joblog import job_log

with job_log(snakemake.log[0]):
    from attop.analysis import write_analysis
    from attop.bench.config import Config
    from attop.bench.manifest import manifest
    from attop.bench.records import write_json
    from attop.bench.tables import read_tables
    from attop.datasets.base import Dataset

    config = Config.model_validate_json(snakemake.params.config)
    report, about, tables = snakemake.output
    datasets = {
        d.id: Dataset.load(path) for d, path in zip(config.datasets, snakemake.input.data, strict=True)
    }
    story = manifest(config, datasets)
    write_json(about, story)
    folders = [Path(config.output) / "evaluation" / d.id for d in config.datasets]
    write_analysis(read_tables(folders), story, report=report, tables=tables)

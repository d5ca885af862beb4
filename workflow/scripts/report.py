"""Put the tables together and write the report."""

import gc
from pathlib import Path

from attop_bench.jobs.log import job_log

# To look for garbage after each 700 objects takes a tenth of the time.
gc.set_threshold(200_000)

with job_log(snakemake.log[0]):
    from attop.metrics import register
    from attop_bench.data.base import Dataset, DatasetError, load_available
    from attop_bench.files import write_json
    from attop_bench.report.page.report import write_analysis
    from attop_bench.run.config import Config
    from attop_bench.run.manifest import manifest
    from attop_bench.run.parameters import by_name
    from attop_bench.run.provenance import environments_of
    from attop_bench.run.tables import read_tables, write_tables

    config = Config.model_validate(by_name(snakemake.params))
    for name in config.custom_metrics:
        register(config.metric(name))
    report, about, *_ = snakemake.output
    tables = Path(config.output) / "tables"
    datasets = {
        d.id: load_available(path) for d, path in zip(config.datasets, snakemake.input.data, strict=True)
    }
    if not any(isinstance(data, Dataset) for data in datasets.values()):
        raise DatasetError("\n".join(map(str, datasets.values())))  # there is nothing to report but that
    story = manifest(config, datasets)
    folders = [Path(config.output) / "evaluation" / d.id for d in config.datasets]
    results = read_tables(folders)
    story["environments"] = environments_of(results["runs"])
    write_tables(results, tables, csv=True)
    figures = Path(config.output) / "figures"
    headline = write_analysis(
        results, story, report=report, tables=tables, figures=figures, jobs=snakemake.threads
    )
    for path in snakemake.output:  # of data that are not there, and where no two tops can be compared
        if not Path(path).exists() and path != about:
            Path(path).touch()
    write_json(about, {**story, "headline": headline})

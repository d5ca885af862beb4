"""Put the tables together and write the report."""

import gc
from pathlib import Path

from attop_bench.jobs.log import job_log

# To look for garbage after each 700 objects takes a tenth of the time.
gc.set_threshold(200_000)

with job_log(snakemake.log[0]):
    import pandas as pd

    from attop.metrics import register
    from attop_bench.data.base import Dataset, DatasetError, load_available
    from attop_bench.files import write_csv, write_json
    from attop_bench.report.page.report import write_analysis
    from attop_bench.run import took
    from attop_bench.run.config import Config
    from attop_bench.run.made import leave_note
    from attop_bench.run.manifest import manifest
    from attop_bench.run.parameters import by_name
    from attop_bench.run.plan import Plan
    from attop_bench.run.provenance import environments_of
    from attop_bench.run.tables import read_tables, write_tables
    from attop_bench.run.use import Use

    config = Config.model_validate(by_name(snakemake.params))
    for name in config.custom_metrics:
        register(config.metric(name))
    report, about, *_, note = snakemake.output
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
    jobs = [*took.of_notes(Plan(config).steps()), *took.of_runs(results["runs"])]
    story["rules"] = took.in_words(jobs)
    write_tables(results, tables, csv=True)
    figures = Path(config.output) / "figures"
    headline = write_analysis(
        results, story, report=report, tables=tables, figures=figures, jobs=snakemake.threads
    )
    jobs.append(("report", took.ALL, Use.of_this_process()))
    write_csv(tables / "rules.csv", pd.DataFrame(took.by_rule(jobs), columns=took.COLUMNS))
    for path in snakemake.output:  # of data that are not there, and where no two tops can be compared
        if not Path(path).exists() and path not in (about, note):
            Path(path).touch()
    write_json(about, {**story, "headline": headline})
    leave_note(snakemake, can_be_taken_over=False)

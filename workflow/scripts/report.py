"""Put the tables together and write the report."""

from pathlib import Path

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.core.files import write_json
    from attop.metrics.registry import register
    from attop_bench.report import write_analysis
    from attop_bench.run.available import load_available
    from attop_bench.run.config import Config
    from attop_bench.run.manifest import manifest
    from attop_bench.run.parameters import by_name
    from attop_bench.run.tables import read_tables, write_tables

    inputs = by_name(snakemake.params)
    made_with = inputs.pop("made_with")
    config = Config.model_validate(inputs)
    for name in config.custom_metrics:
        register(config.metric(name))
    report, about, *others = snakemake.output
    tables = Path(config.output) / "tables"
    datasets = {
        d.id: load_available(path) for d, path in zip(config.datasets, snakemake.input.data, strict=True)
    }
    story = manifest(config, datasets)
    folders = [Path(config.output) / "evaluation" / d.id for d in config.datasets]
    results = read_tables(folders)
    write_tables(results, tables, csv=True)
    figures = Path(config.output) / "figures"
    headline = write_analysis(results, story, report=report, tables=tables, figures=figures)
    made = [Path(file) for file in (report, *others)]
    sizes = {str(file.relative_to(Path(about).parent)): file.stat().st_size for file in made if file.exists()}
    write_json(about, {"made_with": made_with, "sizes": sizes, **story, "headline": headline})

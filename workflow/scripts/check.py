"""Check data and configuration before anything is trained."""

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop._core.files import write_json
    from attop_bench.data.base import Dataset, load_available
    from attop_bench.run.checks import check_plan
    from attop_bench.run.config import Config
    from attop_bench.run.folds import read_folds
    from attop_bench.run.parameters import by_name

    config = Config.model_validate(by_name(snakemake.params))
    files = zip(config.datasets, snakemake.input.data, strict=True)
    datasets = {d.id: load_available(path) for d, path in files}
    repeats = [(d.id, repeat) for d in config.datasets for repeat in range(d.protocol.repeats)]
    folds = {
        (name, repeat): read_folds(path, dataset, config.split(name, repeat))
        for (name, repeat), path in zip(repeats, snakemake.input.folds, strict=True)
        if isinstance(dataset := datasets[name], Dataset)
    }
    check_plan(config, datasets, folds)
    found = datasets.items()
    summary = {n: d.summary() if isinstance(d, Dataset) else {"unavailable": d.reason} for n, d in found}
    write_json(snakemake.output[0], {"datasets": summary})

"""Check data and configuration before anything is trained."""

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.bench.available import load_available
    from attop.bench.checks import check_plan
    from attop.bench.config import Config
    from attop.bench.folds import read_folds
    from attop.bench.parameters import by_name
    from attop.datasets.base import Dataset
    from attop.files import write_json

    inputs = by_name(snakemake.params)
    made_with = inputs.pop("made_with")
    config = Config.model_validate(inputs)
    files = zip(config.datasets, snakemake.input.data, strict=True)
    datasets = {d.id: load_available(path) for d, path in files}
    repeats = [(d.id, repeat) for d in config.datasets for repeat in range(d.protocol.repeats)]
    folds = {
        (id, repeat): read_folds(path, dataset, config.split(id, repeat))
        for (id, repeat), path in zip(repeats, snakemake.input.folds, strict=True)
        if isinstance(dataset := datasets[id], Dataset)
    }
    check_plan(config, datasets, folds)
    found = datasets.items()
    summary = {n: d.summary() if isinstance(d, Dataset) else {"unavailable": d.reason} for n, d in found}
    write_json(snakemake.output[0], {"made_with": made_with, "datasets": summary})

"""Record surrogate and metric along training, of one run per method."""

from pathlib import Path

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.analysis.compute.targets import main_target
    from attop.bench.available import load_available
    from attop.bench.folds import read_folds
    from attop.bench.parameters import by_name
    from attop.bench.record import Record
    from attop.bench.spec import JobSpec
    from attop.bench.tables import write_tables
    from attop.bench.trace import trace_table
    from attop.datasets.base import Dataset

    inputs, files = by_name(snakemake.params), snakemake.input
    jobs = {method: JobSpec.from_dict(said) for method, said in inputs["runs"]}
    records = dict(zip(jobs, map(Record.read, files.records), strict=True))
    targets = {str(top) for job in jobs.values() for top in job.tops}
    target = main_target(targets) if targets else ""
    dataset, fold = load_available(files.data), None
    if jobs and isinstance(dataset, Dataset):
        fold, *_ = read_folds(files.folds, dataset, next(iter(jobs.values())).split)
    table = trace_table(snakemake.wildcards.dataset, dataset, fold, jobs, records, target)
    write_tables({"trace": table}, Path(snakemake.output[0]).parent, made_with=inputs["made_with"])

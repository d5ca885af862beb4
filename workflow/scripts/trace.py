"""Record surrogate and metric along training, of one run per method."""

from pathlib import Path

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.core.top import main_top
    from attop_bench.data.base import Dataset, load_available
    from attop_bench.run.folds import read_folds
    from attop_bench.run.job import Job
    from attop_bench.run.parameters import by_name
    from attop_bench.run.record import Record
    from attop_bench.run.tables import write_tables
    from attop_bench.run.trace import trace_table

    inputs, files = by_name(snakemake.params), snakemake.input
    jobs = {method: Job.from_dict(said) for method, said in inputs["runs"]}
    records = dict(zip(jobs, map(Record.read, files.records), strict=True))
    tops = {str(top) for job in jobs.values() for top in job.tops}
    top = main_top(tops) if tops else ""
    dataset, fold = load_available(files.data), None
    if jobs and isinstance(dataset, Dataset):
        fold, *_ = read_folds(files.folds, dataset, next(iter(jobs.values())).split)
    table = trace_table(snakemake.wildcards.dataset, dataset, fold, jobs, records, top)
    write_tables({"trace": table}, Path(snakemake.output[0]).parent)

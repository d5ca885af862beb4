"""Choose from customers without labels, by every method."""

from pathlib import Path

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from studies.coil2000.kind import evaluation_features
    from studies.coil2000.mailing import mailing

    from attop_bench.data.base import Dataset
    from attop_bench.data.fetch import read_receipt
    from attop_bench.run.available import load_available
    from attop_bench.run.parameters import by_name
    from attop_bench.run.spec import JobSpec
    from attop_bench.run.tables import write_tables

    inputs, out = by_name(snakemake.params), Path(snakemake.output[0])
    dataset = Dataset.load(snakemake.input.data)
    others = evaluation_features(read_receipt(snakemake.input.receipt)["evaluation"])
    known = load_available(snakemake.input.labelled)
    labels = known.y[known.part == 1] if isinstance(known, Dataset) else None
    jobs = {method: JobSpec.from_dict(said) for method, said in inputs["jobs"]}
    write_tables({out.stem: mailing(dataset, others, jobs, inputs["k"], labels=labels)}, out.parent)

"""Choose from customers without labels, by every method."""

from pathlib import Path

from attop.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop.bench.available import load_available
    from attop.bench.mailing import mailing
    from attop.bench.parameters import by_name
    from attop.bench.spec import JobSpec
    from attop.bench.tables import write_tables
    from attop.datasets.base import Dataset
    from attop.datasets.fetch.receipt import read_receipt
    from attop.datasets.kinds.coil import evaluation_features

    inputs, out = by_name(snakemake.params), Path(snakemake.output[0])
    dataset = Dataset.load(snakemake.input.data)
    others = evaluation_features(read_receipt(snakemake.input.receipt)["evaluation"])
    known = load_available(snakemake.input.labelled)
    labels = known.y[known.part == 1] if isinstance(known, Dataset) else None
    jobs = {method: JobSpec.from_dict(said) for method, said in inputs["jobs"]}
    write_tables({out.stem: mailing(dataset, others, jobs, inputs["k"], labels=labels)}, out.parent)

"""Compute what a paper has beside its training runs."""

from pathlib import Path

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    from attop_bench.data.base import Dataset, load_available
    from attop_bench.run.made import leave_note
    from attop_bench.run.paper import simulate
    from attop_bench.run.parameters import by_name
    from attop_bench.run.tables import write_tables

    inputs, path = by_name(snakemake.params), Path(snakemake.output[0])
    found = {Path(file).parent.name: load_available(file) for file in snakemake.input.data}
    data = {name: one for name, one in found.items() if isinstance(one, Dataset)}
    table = simulate(inputs["paper"], path.stem, inputs["seed"], data)
    write_tables({path.stem: table}, path.parent)
    leave_note(snakemake, can_be_taken_over=False)

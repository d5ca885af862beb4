"""Rebuild a paper's tables and figures from the results."""

from pathlib import Path

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    import pandas as pd

    from attop_bench.files import read_json
    from attop_bench.papers.page import read_tables, write_findings, write_tables
    from attop_bench.run import took
    from attop_bench.run.made import leave_note
    from attop_bench.run.notes import note_of
    from attop_bench.run.paper import load_paper
    from attop_bench.run.parameters import by_name
    from attop_bench.run.use import Use

    files = {Path(file).name: file for file in snakemake.input}
    results = {Path(n).stem: pd.read_parquet(f) for n, f in files.items() if n.endswith(".parquet")}
    paper = by_name(snakemake.params)["paper"]
    module, folder = load_paper(paper), Path(snakemake.output[0]).parent
    write_tables(module.tables(results, read_json(files["manifest.json"])), folder)
    # The report could not count what came beside and after it. The page is written last: nothing is newer.
    simulated = [Path(file) for file in snakemake.input if Path(file).parent.name == "simulations"]
    steps = [took.Step("simulate", took.ALL, file, note_of(file)) for file in simulated]
    jobs = [*took.of_notes(steps), ("paper", took.ALL, Use.of_this_process())]
    took.put_into(Path(files["rules.csv"]), jobs)
    write_findings(module.findings(read_tables(folder)), folder, paper)
    leave_note(snakemake, can_be_taken_over=False)

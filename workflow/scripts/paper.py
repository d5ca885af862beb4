"""Rebuild a paper's tables and figures from the results."""

from pathlib import Path

from attop_bench.jobs.log import job_log

with job_log(snakemake.log[0]):
    import pandas as pd

    from attop.core.files import read_json
    from attop_bench.papers.page import write_findings
    from attop_bench.run.paper import load_paper
    from attop_bench.run.parameters import by_name

    files = {Path(file).name: file for file in snakemake.input}
    tables = {Path(n).stem: pd.read_parquet(f) for n, f in files.items() if n.endswith(".parquet")}
    paper = by_name(snakemake.params)["paper"]
    findings = load_paper(paper).findings(tables, read_json(files["manifest.json"]))
    write_findings(findings, Path(snakemake.output[0]).parent, paper)

localrules:
    report,


WRITTEN = [table for table in TABLES if table not in CELLS]
WRITTEN += ["found", *["board"] * (len(CONFIG.datasets) > 1)]


rule report:
    input:
        data=[PLAN.stage_path(d.id) for d in CONFIG.datasets],
        tables=[
            f"{OUT}/evaluation/{d.id}/{t}.parquet"
            for d in CONFIG.datasets
            for t in TABLES
        ],
    output:
        report(REPORT, caption="../workflow/report/report.rst", category="Results"),
        report(
            f"{OUT}/manifest.json",
            caption="../workflow/report/manifest.rst",
            category="Provenance",
        ),
        [f"{OUT}/tables/{table}.parquet" for table in (*TABLES, "summary")],
        report(
            f"{OUT}/tables/summary.csv",
            caption="../workflow/report/summary.rst",
            category="Results",
        ),
        # Named so that --delete-all-output finds them.
        [f"{OUT}/tables/{table}.csv" for table in WRITTEN],
        [
            f"{OUT}/tables/{name}.tex"
            for name in ("all", *(d.id for d in CONFIG.datasets))
        ],
        directory(f"{OUT}/figures"),
    log:
        f"{LOGS}/report.log",
    conda:
        "../envs/report.yaml"
    threads: 4
    resources:
        **needs(30),
    params:
        **INPUTS.report(),
    message:
        "tables, figures and report"
    script:
        "../workflow/scripts/report.py"

rule report:
    input:
        data=[PLAN.stage_path(d.id) for d in CONFIG.datasets],
        tables=PLAN.tables(),
        # What the jobs took is shown, and makes nothing out of date.
        notes=ancient([str(step.note) for step in PLAN.steps()]),
    output:
        report(REPORT, caption="../workflow/report/report.rst", category="Results"),
        report(
            MANIFEST,
            caption="../workflow/report/manifest.rst",
            category="Provenance",
        ),
        report(
            f"{OUT}/tables/summary.csv",
            caption="../workflow/report/summary.rst",
            category="Results",
        ),
        # Named so that --delete-all-output finds them.
        PLAN.exports(),
        directory(f"{OUT}/figures"),
        note_of(REPORT),
    log:
        f"{LOGS}/report.log",
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 4
    resources:
        **needs("report"),
    params:
        **INPUTS.report(),
    message:
        "tables, figures and report"
    script:
        "../workflow/scripts/report.py"

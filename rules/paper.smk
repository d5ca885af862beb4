PAPER = f"{OUT}/paper/index.html" if CONFIG.paper else []

if CONFIG.paper:

    rule paper:
        input:
            rules.report.output,
        output:
            PAPER,
        log:
            f"{LOGS}/paper.log",
        resources:
            mem_mb=memory,
            runtime=minutes(30),
        params:
            job=PLAN.paper(),
        message:
            "the paper's tables and figures"
        script:
            "../workflow/scripts/paper.py"

from attop_bench.papers.registry import MAILINGS, SIMULATIONS

SIMULATED = SIMULATIONS.get(CONFIG.paper, {})
PAPER = f"{OUT}/paper/index.html" if CONFIG.paper else []
LISTS = [f"{OUT}/lists/mailing.parquet"] if CONFIG.paper in MAILINGS else []


if CONFIG.paper:

    if workflow.remote_exec:

        localrules:
            simulate,
            paper,

    # What is computed for a paper beside the training runs.
    rule simulate:
        input:
            data=lambda w: [
                PLAN.stage_path(d) for d in SIMULATED[w.simulation].datasets
            ],
        output:
            f"{OUT}/simulations/{{simulation}}.parquet",
        log:
            f"{LOGS}/simulations/{{simulation}}.log",
        wildcard_constraints:
            simulation=any_of(SIMULATED),
        resources:
            mem_mb=memory,
            runtime=minutes(30),
        params:
            **INPUTS.simulate(),
        message:
            "simulation {wildcards.simulation}"
        script:
            "../workflow/scripts/simulate.py"

    rule paper:
        input:
            rules.report.output,
            [f"{OUT}/simulations/{name}.parquet" for name in SIMULATED],
            LISTS,
        output:
            report(PAPER, caption="../workflow/report/paper.rst", category="Results"),
        log:
            f"{LOGS}/paper.log",
        resources:
            mem_mb=memory,
            runtime=minutes(30),
        params:
            **INPUTS.paper(),
        message:
            "the paper's tables and figures"
        script:
            "../workflow/scripts/paper.py"


if LISTS:

    if workflow.remote_exec:

        localrules:
            mailing,

    # Whom each method would choose, written before any label of theirs is looked at.
    rule mailing:
        input:
            data=f"{OUT}/data/{MAILINGS[CONFIG.paper].dataset}/dataset.npz",
            receipt=f"{OUT}/data/{MAILINGS[CONFIG.paper].dataset}/fetch.json",
            labelled=f"{OUT}/data/{MAILINGS[CONFIG.paper].labelled}/dataset.npz",
        output:
            LISTS,
        log:
            f"{LOGS}/mailing.log",
        resources:
            mem_mb=memory,
            runtime=minutes(60),
        params:
            **INPUTS.mailing(),
        message:
            "the list each method would mail"
        script:
            "../workflow/scripts/mailing.py"

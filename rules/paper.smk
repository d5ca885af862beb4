from attop_bench.run.paper import simulations_of

SIMULATED = simulations_of(CONFIG.paper)
PAPER = f"{OUT}/paper/index.html" if CONFIG.paper else []


if CONFIG.paper:

    # What is computed for a paper beside the training runs.
    rule simulate:
        input:
            data=lambda w: [
                PLAN.stage_path(d) for d in SIMULATED[w.simulation].datasets
            ],
        output:
            noted(f"{OUT}/simulations/{{simulation}}.parquet"),
        log:
            f"{LOGS}/simulations/{{simulation}}.log",
        wildcard_constraints:
            simulation=any_of(SIMULATED),
        localrule: CLUSTER_JOB
        conda:
            "../envs/report.yaml"
        resources:
            **needs("simulate"),
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
        output:
            report(PAPER, caption="../workflow/report/paper.rst", category="Results"),
            note_of(PAPER),
        log:
            f"{LOGS}/paper.log",
        localrule: CLUSTER_JOB
        conda:
            "../envs/report.yaml"
        resources:
            **needs("paper"),
        params:
            **INPUTS.paper(),
        message:
            "the paper's tables and figures"
        script:
            "../workflow/scripts/paper.py"

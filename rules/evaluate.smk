rule evaluate:
    input:
        data=f"{OUT}/data/{{dataset}}/dataset.npz",
        trained=lambda w: PLAN.trained(PLAN.runs(w.dataset)),
    output:
        noted([f"{OUT}/evaluation/{{dataset}}/{t}.parquet" for t in EVALUATED]),
    log:
        f"{LOGS}/evaluate/{{dataset}}.log",
    priority: 4
    localrule: CLUSTER_JOB
    conda:
        "../envs/train.yaml"
    resources:
        **needs("evaluate"),
    params:
        **INPUTS.evaluate(),
    message:
        "evaluate {wildcards.dataset}"
    script:
        "../workflow/scripts/evaluate.py"


# Surrogate and metric along training, of one run per method.
rule trace:
    input:
        data=f"{OUT}/data/{{dataset}}/dataset.npz",
        folds=f"{OUT}/data/{{dataset}}/folds/repeat0.npz",
        trained=lambda w: PLAN.trained(PLAN.first_runs(w.dataset)),
    output:
        noted(f"{OUT}/evaluation/{{dataset}}/trace.parquet"),
    log:
        f"{LOGS}/trace/{{dataset}}.log",
    priority: 4
    localrule: CLUSTER_JOB
    conda:
        "../envs/train.yaml"
    resources:
        **needs("trace"),
    params:
        **INPUTS.trace(),
    message:
        "training curves on {wildcards.dataset}"
    script:
        "../workflow/scripts/trace.py"

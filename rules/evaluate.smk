from attop.bench.tables import TABLES


rule evaluate:
    input:
        data=f"{OUT}/data/{{dataset}}/dataset.npz",
        scores=lambda w: [PLAN.scores_path(run) for run in PLAN.runs(w.dataset)],
        records=lambda w: [PLAN.record_path(run) for run in PLAN.runs(w.dataset)],
    output:
        [f"{OUT}/evaluation/{{dataset}}/{table}.parquet" for table in TABLES],
    log:
        f"{LOGS}/evaluate/{{dataset}}.log",
    resources:
        mem_mb=memory,
        runtime=minutes(30),
    params:
        job=lambda w: PLAN.evaluation(w.dataset),
    message:
        "evaluate {wildcards.dataset}"
    script:
        "../workflow/scripts/evaluate.py"

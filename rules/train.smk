# Compiled code is cached beside the sources: made once here, not by all the first jobs at the same time.
rule compile:
    output:
        f"{OUT}/data/compiled/{{method}}.json",
    log:
        f"{LOGS}/compile/{{method}}.log",
    priority: 2
    conda:
        "../envs/train.yaml"
    resources:
        mem_mb=memory,
        runtime=minutes(10),
    params:
        **INPUTS.compile(),
    message:
        "compile {wildcards.method}"
    script:
        "../workflow/scripts/compile.py"


rule train:
    input:
        before_training,
        data=f"{OUT}/data/{{dataset}}/dataset.npz",
        folds=f"{OUT}/data/{{dataset}}/folds/repeat{{repeat}}.npz",
    output:
        scores=f"{OUT}/train/{{dataset}}/{{method}}/repeat{{repeat}}-fold{{fold}}/scores.npz",
        record=f"{OUT}/train/{{dataset}}/{{method}}/repeat{{repeat}}-fold{{fold}}/record.json",
    log:
        f"{LOGS}/train/{{dataset}}/{{method}}/repeat{{repeat}}-fold{{fold}}.log",
    priority: priority_of
    conda:
        "../envs/train.yaml"
    # Locally Snakemake gives no more than there are cores.
    threads: by_method(lambda m: m.resources.threads)
    resources:
        **requested(),
    params:
        **INPUTS.train(),
    message:
        "train {wildcards.method} on {wildcards.dataset}, repeat {wildcards.repeat}, fold {wildcards.fold}"
    script:
        "../workflow/scripts/train.py"

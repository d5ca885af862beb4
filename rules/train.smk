# Refuses a method that cannot be made, so that this shows before its first training job. Compiled code is cached
# beside the sources: made once here, not by all the first jobs at the same time.
rule compile:
    output:
        noted(f"{OUT}/data/compiled/{{method}}.json"),
    log:
        f"{LOGS}/compile/{{method}}.log",
    priority: 2
    localrule: CLUSTER_JOB
    conda:
        "../envs/train.yaml"
    resources:
        **needs("compile"),
    params:
        **INPUTS.compile(),
    message:
        "check and compile {wildcards.method}"
    script:
        "../workflow/scripts/compile.py"


# A job is a fold, or a block of them: then one archive has their files (attop_bench.run.blocks).
FOLD = "{dataset}/{method}/repeat{repeat}-fold{fold}"
BLOCK = "{dataset}/{method}/{block}"
ARCHIVE = f"{OUT}/train/{BLOCK}.zip"


rule train:
    input:
        f"{OUT}/data/compiled/{{method}}.json",
        data=f"{OUT}/data/{{dataset}}/dataset.npz",
        folds=(
            f"{OUT}/data/{{dataset}}/folds/repeat{{repeat}}.npz"
            if BY_FOLD
            else lambda w: PLAN.folds_of_job(w)
        ),
    output:
        [f"{OUT}/train/{FOLD}/{name}" for name in (SCORES, RECORD)]
        if BY_FOLD
        # What is right in it is not trained again.
        else [update(ARCHIVE), note_of(ARCHIVE)],
    log:
        f"{LOGS}/train/{FOLD if BY_FOLD else BLOCK}.log",
    priority: lambda w: PLAN.priority(w)
    localrule: CLUSTER_JOB
    conda:
        "../envs/train.yaml"
    # Locally Snakemake gives no more than there are cores.
    threads: REQUESTS.configured("threads")
    resources:
        **REQUESTS.of_training(is_limited=internals.is_limited(workflow)),
    params:
        **INPUTS.train(),
    message:
        "train {wildcards.method} on {wildcards.dataset}"
        + (", repeat {wildcards.repeat}, fold {wildcards.fold}" if BY_FOLD else "")
    script:
        "../workflow/scripts/train.py"

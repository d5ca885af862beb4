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
        **needs(10),
    params:
        **INPUTS.compile(),
    message:
        "compile {wildcards.method}"
    script:
        "../workflow/scripts/compile.py"


# A job is a fold, or all folds of a method: Snakemake then knows of `done.json` alone, and leaves the results of the
# folds, which it would remove after a kill.
TRAINED = "{dataset}/{method}/" + ("all" if BY_METHOD else "repeat{repeat}-fold{fold}")


rule train:
    input:
        before_training,
        data=f"{OUT}/data/{{dataset}}/dataset.npz",
        folds=(
            (lambda w: PLAN.folds_paths(w.dataset))
            if BY_METHOD
            else f"{OUT}/data/{{dataset}}/folds/repeat{{repeat}}.npz"
        ),
    output:
        **(
            {"done": f"{OUT}/train/{{dataset}}/{{method}}/done.json"}
            if BY_METHOD
            else {
                "scores": f"{OUT}/train/{TRAINED}/scores.npz",
                "record": f"{OUT}/train/{TRAINED}/record.json",
            }
        ),
    log:
        f"{LOGS}/train/{TRAINED}.log",
    priority: priority_of
    conda:
        "../envs/train.yaml"
    # Locally Snakemake gives no more than there are cores.
    threads: asked_for("threads")
    resources:
        **requested(),
    params:
        **INPUTS.train(),
    message:
        "train {wildcards.method} on {wildcards.dataset}"
        + ("" if BY_METHOD else ", repeat {wildcards.repeat}, fold {wildcards.fold}")
    script:
        "../workflow/scripts/train.py"

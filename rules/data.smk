# Downloads need the network, which the nodes of a cluster often lack; a check takes seconds.
localrules:
    fetch,
    check,


# The files lie in the cache, which results of other runs share: the receipt stands for them here. That of a
# failure counts as done, so that the rest of the run goes on; the next run tries again.
rule fetch:
    output:
        f"{OUT}/data/{{dataset}}/fetch.json",
    log:
        f"{LOGS}/data/{{dataset}}/fetch.log",
    wildcard_constraints:
        dataset=any_of(PLAN.with_files()),
    priority: 3
    conda:
        "../envs/data.yaml"
    resources:
        mem_mb=memory,
        runtime=minutes(30),
    params:
        **INPUTS.fetch(),
        # A function of `resources` makes no finished job out of date: the same bytes from elsewhere are the same.
        sources=lambda w, resources: PLAN.sources(w.dataset),
    message:
        "files of {wildcards.dataset}"
    script:
        "../workflow/scripts/fetch.py"


rule prepare:
    input:
        stage_inputs,
    output:
        f"{OUT}/data/{{dataset}}/{{stage}}.npz",
    log:
        f"{LOGS}/data/{{dataset}}/{{stage}}.log",
    wildcard_constraints:
        stage=any_of(PLAN.all_stages()),
    priority: 3
    conda:
        "../envs/data.yaml"
    resources:
        mem_mb=memory,
        runtime=minutes(30),
    params:
        **INPUTS.prepare(),
    message:
        "prepare {wildcards.dataset}: {wildcards.stage}"
    script:
        "../workflow/scripts/prepare.py"


rule split:
    input:
        data=f"{OUT}/data/{{dataset}}/dataset.npz",
    output:
        f"{OUT}/data/{{dataset}}/folds/repeat{{repeat}}.npz",
    log:
        f"{LOGS}/data/{{dataset}}/folds/repeat{{repeat}}.log",
    priority: 3
    conda:
        "../envs/data.yaml"
    resources:
        mem_mb=memory,
        runtime=minutes(30),
    params:
        **INPUTS.split(),
    message:
        "folds of {wildcards.dataset}, repeat {wildcards.repeat}"
    script:
        "../workflow/scripts/split.py"


# Whatever can be checked in advance is checked here, so that errors show before the first training job.
rule check:
    input:
        data=[PLAN.stage_path(d.id) for d in CONFIG.datasets],
        folds=[path for d in CONFIG.datasets for path in PLAN.folds_paths(d.id)],
    output:
        CHECKED,
    log:
        f"{LOGS}/check.log",
    priority: 3
    conda:
        "../envs/data.yaml"
    resources:
        mem_mb=memory,
        runtime=minutes(30),
    params:
        **INPUTS.check(),
    message:
        "check of data and configuration"
    script:
        "../workflow/scripts/check.py"

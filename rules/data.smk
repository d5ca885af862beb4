# Downloads need the network, which the nodes of a cluster often lack.
localrules:
    fetch,


# The files lie in the cache, which results of other runs share: the receipt stands for them here. That of a
# failure counts as done, so that the rest of the run goes on; the next run tries again.
rule fetch:
    output:
        f"{OUT}/data/{{dataset}}/fetch.json",
    log:
        f"{LOGS}/data/{{dataset}}/fetch.log",
    wildcard_constraints:
        dataset=one_of(PLAN.with_files()),
    resources:
        mem_mb=memory,
        runtime=minutes(30),
    params:
        job=lambda w: PLAN.fetching(w.dataset),
    message:
        "files of {wildcards.dataset}"
    script:
        "../workflow/scripts/fetch.py"


rule source:
    input:
        before("source"),
    output:
        f"{OUT}/data/{{dataset}}/source.npz",
    log:
        f"{LOGS}/data/{{dataset}}/source.log",
    wildcard_constraints:
        dataset=one_of(PLAN.with_stage("source")),
    resources:
        mem_mb=memory,
        runtime=minutes(30),
    params:
        job=preparation("source"),
    message:
        "source of {wildcards.dataset}"
    script:
        "../workflow/scripts/prepare.py"


rule umap:
    input:
        before("umap"),
    output:
        f"{OUT}/data/{{dataset}}/umap.npz",
    log:
        f"{LOGS}/data/{{dataset}}/umap.log",
    wildcard_constraints:
        dataset=one_of(PLAN.with_stage("umap")),
    resources:
        mem_mb=memory,
        runtime=minutes(30),
    params:
        job=preparation("umap"),
    message:
        "UMAP of the items of {wildcards.dataset}"
    script:
        "../workflow/scripts/prepare.py"


rule factorise:
    input:
        before("factorise"),
    output:
        f"{OUT}/data/{{dataset}}/factorise.npz",
    log:
        f"{LOGS}/data/{{dataset}}/factorise.log",
    wildcard_constraints:
        dataset=one_of(PLAN.with_stage("factorise")),
    resources:
        mem_mb=memory,
        runtime=minutes(30),
    params:
        job=preparation("factorise"),
    message:
        "matrix factorisation of {wildcards.dataset}"
    script:
        "../workflow/scripts/prepare.py"


rule dataset:
    input:
        before("dataset"),
    output:
        f"{OUT}/data/{{dataset}}/dataset.npz",
    log:
        f"{LOGS}/data/{{dataset}}/dataset.log",
    resources:
        mem_mb=memory,
        runtime=minutes(30),
    params:
        job=preparation("dataset"),
    message:
        "data set {wildcards.dataset}"
    script:
        "../workflow/scripts/prepare.py"


# Everything that can be known to fail fails here, before the first training job.
rule check:
    input:
        [PLAN.stage_path(d.id) for d in CONFIG.datasets],
    output:
        CHECKED,
    log:
        f"{LOGS}/check.log",
    resources:
        mem_mb=memory,
        runtime=minutes(30),
    params:
        job=PLAN.checking(),
    message:
        "check of data and configuration"
    script:
        "../workflow/scripts/check.py"

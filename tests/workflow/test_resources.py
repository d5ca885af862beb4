"""What a method asks for, on its way to Snakemake and to a cluster."""

import os

import yaml

from attop_bench.run.config import load_config
from support import ROOT, forked
from support.small_run import SMALL


def plan(folder, given, channel):
    """Plan a run, as a dry run does, and send what each method's training gets."""
    from snakemake.api import ConfigSettings, OutputSettings, ResourceSettings, SnakemakeApi
    from snakemake.settings.types import Quietness

    os.chdir(folder)
    os.path.getsize = lambda path: 0  # of inputs yet to be made
    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
        workflow = api.workflow(
            resource_settings=ResourceSettings(**given),
            config_settings=ConfigSettings(configfiles=[folder / "config.yaml"]),
            snakefile=ROOT / "Snakefile",
            workdir=folder,
        )
        workflow.dag().summary()
        train = [job for job in workflow._workflow.dag.jobs if job.rule.name == "train"]
        names = "cpus_per_task", "gpu", "runtime"
        first = {j.wildcards.method: [j.threads, *map(j.resources.get, names)] for j in train}
        pairs = {(j.wildcards.dataset, j.wildcards.method): dict(j.resources.items()) for j in train}
        later = {}
        for job in train:
            asked = []
            for job.attempt in (1, 2, 3):
                job.reset_params_and_resources()
                asked.append((job.resources.get("mem_mb"), job.resources.get("runtime")))
            later[job.wildcards.method] = asked
        channel.put((first, later, pairs))


def planned(folder, given, **resources):
    """Return what a training job of each method asks for.

    These are threads, cpus_per_task, gpu and runtime, and for each attempt memory and runtime.
    """
    methods = [{"id": "sgd-avg", "resources": resources}, "logistic-regression"]
    (folder / "config.yaml").write_text(yaml.safe_dump({**SMALL, "methods": methods}))
    channel = forked.CONTEXT.SimpleQueue()
    process = forked.CONTEXT.Process(target=plan, args=(folder, given, channel))
    process.start()
    process.join(600)
    assert process.exitcode == 0
    return channel.get()


def test_a_method_gets_the_threads_and_gpus_it_asks_for(tmp_path):
    asked = {"threads": 4, "gpus": 1}
    expected = {"sgd-avg": [4, 4, 1, None], "logistic-regression": [1, 1, 0, None]}
    assert planned(tmp_path, {"cores": 8}, **asked)[0] == expected  # nothing reads how long they take
    # The SLURM profile counts one core, and asks for processors by cpus_per_task.
    expected = {"sgd-avg": [1, 4, 1, 10], "logistic-regression": [1, 1, 0, 10]}
    found, later, _ = planned(tmp_path, {"cores": 1, "nodes": 5}, **asked)
    assert found == expected
    # From the second attempt on more than the limits of the configuration.
    limits = load_config({**SMALL, "methods": ["sgd-avg"]}, ROOT).limits_of("sgd-avg")
    above, minutes = limits["memory_mb"] + 500, round(limits["seconds"] / 60) + 5
    asked = [(1000, 10), (above, max(20, minutes)), (round(above * 1.5), max(30, minutes))]
    assert later["sgd-avg"] == asked


def test_only_what_something_reads_is_asked_for(tmp_path):
    expected = [1, None, None, 10]
    found, *_ = planned(tmp_path, {"cores": 8, "resources": {"mem_mb": 3000}})
    assert found == {"sgd-avg": expected, "logistic-regression": expected}


def test_an_entry_says_what_is_asked_for_on_each_data_set(tmp_path):
    own = {"many-users": {"memory_mb": 16000, "partition": "long", "threads": 3}}
    asked = {"memory_mb": 3000, "minutes": 4.5, "gpus": 1, "gpu_model": "a100", "datasets": own}
    _, _, pairs = planned(tmp_path, {"cores": 1, "nodes": 5}, **asked)
    names = "mem_mb", "runtime", "gpu", "gpu_model", "slurm_partition", "cpus_per_task"
    found = {pair: [resources.get(name) for name in names] for pair, resources in pairs.items()}
    assert found == {
        ("wdbc", "sgd-avg"): [3000, 5, 1, "a100", None, 1],
        ("many-users", "sgd-avg"): [16000, 5, 1, "a100", "long", 3],
        ("wdbc", "logistic-regression"): [1000, 10, 0, None, None, 1],
        ("many-users", "logistic-regression"): [1000, 10, 0, None, None, 1],
    }

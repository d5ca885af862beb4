"""All that the benchmark uses of Snakemake beyond its documentation.

Any version may change it. Where an attribute is gone, its function says nothing or does nothing, and the
benchmark runs all the same; each docstring says what is lost then.
"""

from __future__ import annotations

import inspect
import logging
import os
import shlex
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from operator import attrgetter
from typing import Any

from attop_bench.jobs.client import COLD, HOME

#: Attribute of an event: what the scheduler said of a group that broke off.
WORDS = "attop_words"


def of(workflow: Any, path: str, default: Any = None) -> Any:
    """Look up an attribute of Snakemake by its dotted path, or `default` if it is gone."""
    try:
        return attrgetter(path)(workflow)
    except AttributeError:
        return default


def asked_often(function: Callable[..., Any]) -> Callable[..., Any]:
    """Keep the parameters of a rule's function, which Snakemake looks at three times a job.

    Lost without it: a tenth of the time of a dry run.
    """
    with suppress(ImportError):
        from snakemake.common import overwrite_function_params

        overwrite_function_params(function, inspect.signature(function).parameters)
    return function


def folder_of_file(workflow: Any) -> str:
    """Locate the folder of the Snakefile that calls it, or its address in a repository.

    Lost without it: the address, so that a module is to be a folder.
    """
    folder = of(workflow, "current_basedir.get_path_or_uri")
    return (
        folder(secret_free=True)
        if folder
        else os.path.dirname(inspect.stack()[1].filename)
    )


def is_main(workflow: Any) -> bool:
    """Tell whether this process plans the run, and was not started by a cluster for a job.

    Lost without it: a dry run on results of another folder is not refused; a run still is.
    """
    return of(workflow, "is_main_process", False)


def is_module(workflow: Any) -> bool:
    """Tell whether attop is a module of another workflow, where Snakemake does not call `onstart`.

    Lost without it: two runs of a module may write to one folder.
    """
    main = of(workflow, "modifier.is_main_snakefile")
    return main is not None and not main()


def on_cluster(workflow: Any) -> bool:
    """Tell whether a cluster started this process for a job, or for a group of them.

    Lost without it: each job of a group is a step with a Snakemake of its own, longer than most jobs.
    """
    return of(workflow, "remote_exec", False)


def is_limited(workflow: Any) -> bool:
    """Tell whether a scheduler or ``--resources`` reads what a job may take.

    Lost without it: two functions more are asked for every training job.
    """
    limits = of(workflow, "global_resources.keys", lambda: ["unknown"])()
    return bool(of(workflow, "resource_settings.nodes")) or any(
        not name.startswith("_") for name in limits
    )


def at_a_time(workflow: Any) -> int:
    """Count how many jobs run at the same time: nodes of a cluster, else cores.

    Lost without it: the time that is left is told too long.
    """
    return (
        of(workflow, "resource_settings.nodes")
        or of(workflow, "resource_settings.cores")
        or 1
    )


def attempts(workflow: Any) -> int | None:
    """Count how often a run tries a job, as is known from its start on; None if that is unknown.

    Lost without it: a job that is killed at every attempt has no row, and holds up the report.
    """
    retries = of(workflow, "execution_settings.retries")
    return None if retries is None else retries + 1


def configfiles(workflow: Any, *, named: bool = False) -> list[str]:
    """List the configuration files, or only those given on the command line.

    Lost without it: a key that is there twice is not refused; commands are shown without ``--configfile``.
    """
    files = (
        of(workflow, "overwrite_configfiles", ()),
        () if named else of(workflow, "configfiles", ()),
    )
    return list(dict.fromkeys(str(file) for some in files for file in some))


def start_without_limit(workflow: Any) -> None:
    """Take away Snakemake's limit of 100 starts a second, unless the user gave another.

    For it, Snakemake looks at all jobs once more a second after each look, and after that one too: 200 jobs
    into a run it looks 200 times a second, which is lost without this.
    """
    limiter = of(workflow, "scheduler.job_rate_limiter")
    if (of(limiter, "max_jobs"), of(limiter, "timespan")) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


def hand_to_servers(scripts: Iterable[str], preload: str) -> None:
    """Have the benchmark's `scripts` started by `attop_bench.jobs.client`; new servers import `preload`.

    Its other scripts are started so that Ctrl-C prints no traceback. Lost without it: each job imports for
    itself, about a second.
    """
    with suppress(ImportError, AttributeError):
        from snakemake.script import PythonScript, ScriptBase

        start = ScriptBase._execute_cmd
        names = {f"{name}.py" for name in scripts}
        installed = installed_packages()
        program = f"import sys; sys.path.append({HOME!r}); from attop_bench.jobs.client import main; "
        client = shlex.join(["-ISc", f"{program}main({preload!r}, {installed!r})"])
        cold = shlex.join(["-c", COLD])

        def execute(self: Any, command: str, **keywords: Any) -> Any:
            if (
                "attop_bench" in of(self, "source", "")
                and "py_exec" in keywords
                and not self.container_img
            ):
                served = of(self, "path.get_filename", str)() in names
                threads = _threads(self.resources) if served else ""
                keywords["py_exec"] = (
                    f"{threads}{keywords['py_exec']} {client if served else cold}"
                )
            return start(self, command, **keywords)

        PythonScript._execute_cmd = execute


def installed_packages() -> tuple[str, ...]:
    """List the folders of installed packages, which change when one is upgraded."""
    return tuple(
        path
        for path in sys.path
        if path.endswith(("site-packages", "dist-packages"))
    )


def _threads(resources: Any) -> str:
    """Set the threads that SLURM gives a job: within a group, Snakemake counts one core."""
    asked = str(resources.get("cpus_per_task", ""))
    names = (
        ("OMP", "OPENBLAS", "MKL")
        if os.environ.get("SLURM_CPUS_PER_TASK") == asked
        else ()
    )
    return "".join(f"{name}_NUM_THREADS={asked} " for name in names)


def compare_scripts_by_content(folder: str) -> None:
    """Have the time of a script in `folder` make no job out of date: its content is among the parameters.

    Lost without it: all runs again after a branch was changed and changed back, or an archive unpacked.
    """
    with suppress(ImportError, AttributeError):
        from snakemake.jobs import Job

        compare = Job.outputs_older_than_script_or_notebook

        async def compare_others(self: Any) -> Any:
            if not str(of(self, "rule.script", "")).startswith(folder):
                async for output in compare(self):
                    yield output

        Job.outputs_older_than_script_or_notebook = compare_others


def run_again(is_stale: Callable[[Any], bool]) -> None:
    """Have jobs run again whose results `is_stale` disowns, whatever Snakemake remembers of them.

    Lost without it: results of another working directory that do not agree are taken for those of this one.
    """
    with suppress(ImportError, AttributeError):
        from snakemake.jobs import Job

        compare = Job.outputs_older_than_script_or_notebook

        async def compare_all(self: Any) -> Any:
            async for output in compare(self):
                yield output
            if of(self, "rule.script") and is_stale(self):
                yield self.output[0]

        Job.outputs_older_than_script_or_notebook = compare_all


def keep_words_on_groups() -> None:
    """Have the event of a group that broke off carry what the scheduler said, such as why it refused it.

    Lost without it: these words, which Snakemake has for single jobs alone.
    """
    with suppress(ImportError, AttributeError):
        from snakemake.jobs import GroupJob

        log = GroupJob.log_error

        def log_error(self: Any, msg: str | None = None, **keywords: Any) -> Any:
            return log(self, msg, **keywords, **{WORDS: msg or ""})

        GroupJob.log_error = log_error


def jobs_to_do(workflow: Any) -> list[tuple[str, dict[str, str]]]:
    """List rule and wildcards of each job that is to be done: events tell of jobs one by one.

    Lost without it: the display has no bars, and shows failures alone.
    """
    jobs = of(workflow, "dag.needrun_jobs", tuple)()
    return [(job.rule.name, dict(of(job, "wildcards_dict", {}))) for job in jobs]


def plain_handler(settings: Any) -> logging.Handler:
    """Make the handler that prints as Snakemake does, by the settings of a logger plugin.

    Lost without it: colours, and what ``--quiet`` leaves out.
    """
    stream = sys.stdout if settings.stdout else sys.stderr
    try:
        from snakemake.logging import (
            ColorizingTextHandler,
            DefaultFilter,
            DefaultFormatter,
        )

        quiet = set(settings.quiet or ())
        which = (
            settings.debug_dag,
            settings.verbose,
            settings.dryrun,
            settings.printshellcmds,
        )
        return ColorizingTextHandler(
            nocolor=settings.nocolor,
            stream=stream,
            formatter=DefaultFormatter(quiet, settings.show_failed_logs),
            filter=DefaultFilter(quiet, *which),
        )
    except (ImportError, TypeError):
        return logging.StreamHandler(stream)

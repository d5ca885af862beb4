"""`attop doctor`: this machine, checked for a run.

Imports packages once they are known to be there.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from attop.extending import count_noun, join_first
from attop_bench.cli.options import add_configuration

if TYPE_CHECKING:
    from attop_bench.data.files.source import Source
    from attop_bench.run.config import Config

_LITTLE = 1e9  # bytes of free disk


class Finding(NamedTuple):
    """One line of `attop doctor`; ``warn``: a run goes on, but not with all; ``FAIL``: no run is possible."""

    state: str
    subject: str
    text: str
    fix: str = ""


def add_doctor(parser: ArgumentParser) -> None:
    """Add the options of ``attop doctor``."""
    add_configuration(parser, by_position=True)


def run_doctor(options: Namespace) -> int:
    """Look for what a run needs, and say what to do where it is missing. Changes nothing.

    Looks at packages, cores, the configuration, its folders, mirror and downloads, and SLURM.
    `ok`: fine; `warn`: a run goes on, but not with all; `FAIL`: no run is possible, and the exit status
    is 1.
    """
    states: Counter[str] = Counter()
    layout: dict[str, Any] = {
        "width": 110,
        "subsequent_indent": " " * 9,
        "break_on_hyphens": False,
    }
    for state, subject, text, fix in _look(options):
        states[state] += 1
        print(textwrap.fill(f"{state:5} {subject}: {text}", **layout))
        if fix:
            print(f"      -> {fix}")  # on one line: to be copied
    counts = f"{states['FAIL']} FAIL, {states['warn']} warn"
    print(
        f"\n{counts}: fix what is marked ->"
        if states["FAIL"]
        else f"\nReady for a run ({counts})."
    )
    return 1 if states["FAIL"] else 0


def _look(options: Namespace) -> Iterator[Finding]:
    packages = list(_check_packages())
    yield from packages
    if any(finding.state == "FAIL" for finding in packages):
        fix = "fix the packages, then call attop doctor again"
        yield Finding("warn", "configuration", "not looked at", fix)
    else:
        yield _check_cores()
        yield from _check_configuration(options)
    yield from _check_profiles()
    yield from _check_slurm()


def requirements(extra: str = "") -> dict[str, SpecifierSet]:
    """List the requirements of attop and one of its extras."""
    wanted: dict[str, SpecifierSet] = {}
    for requirement in map(Requirement, requires("attop") or []):
        if requirement.marker is None or requirement.marker.evaluate(
            {"extra": extra}
        ):
            if requirement.name == "attop":
                wanted |= {
                    name: r
                    for inner in requirement.extras
                    for name, r in requirements(inner).items()
                }
            else:
                wanted[requirement.name] = requirement.specifier
    return wanted


def _check_packages() -> Iterator[Finding]:
    """Check Python and the packages, the suitable ones in one line."""
    interpreter = f"{platform.python_version()} in {sys.prefix}"
    # Snakemake starts it by a shell, without quotes.
    if re.search(r"\s", sys.executable):
        fix = "make the environment again in a folder whose path has no blank"
        yield Finding(
            "FAIL",
            "Python",
            f"{interpreter}: no job runs, since the path has a blank",
            fix,
        )
    else:
        yield Finding("ok", "Python", interpreter)
    good = [f"attop {version('attop')} in {Path(__file__).parents[1]}"]
    for name, versions in requirements("workflow").items():
        try:
            good.append(f"{name} {version(name)}")
            if versions.contains(version(name), prereleases=True):
                continue
            text = f"{good.pop()} does not suit: {versions} is needed"
        except PackageNotFoundError:
            text = f"{name} is missing"
        yield Finding(
            "FAIL", "package", text, f'python -m pip install "{name}{versions}"'
        )
    yield Finding("ok", "packages", ", ".join(good))


def _check_cores() -> Finding:
    from joblib import cpu_count

    cores = cpu_count()
    all_cores = os.cpu_count() or 1
    fewer = (
        f" of {all_cores}: the others are not for this process"
        if cores < all_cores
        else ""
    )
    return Finding(
        "ok", "cores", f"{cores}{fewer}; snakemake --cores {cores} uses them all"
    )


def _check_configuration(options: Namespace) -> Iterator[Finding]:
    """Check folders, disk, memory, mirror and network for a run of the configuration."""
    from attop_bench.cli.configuration import read_config
    from attop_bench.cli.estimate import count_jobs, disk_to_come, read_states
    from attop_bench.run.config import ConfigError
    from attop_bench.run.plan import Plan

    try:
        config = read_config(options)
    except ConfigError as error:
        fix = "correct it; config/README.md explains every key"
        yield Finding("FAIL", "configuration", str(error).replace("\n", "; "), fix)
        return
    sets = count_noun(len(config.datasets), "data set")
    methods = count_noun(len(config.methods), "method")
    yield Finding("ok", "configuration", f"{config.title}: {sets}, {methods}")
    plan = Plan(config)
    needed = sum(
        amount.size
        for amount in disk_to_come(
            plan, count_jobs(plan, read_states(plan))
        ).values()
    )
    for key, folder in (("output", config.output), ("cache", config.cache)):
        yield _check_folder(key, Path(folder), needed)
    yield from _check_memory(config)
    yield from _check_files(config)


def _check_folder(key: str, folder: Path, needed: int) -> Finding:
    from attop_bench.cli.estimate import existing, size

    subject = f"{key} folder"
    other = f"give another one: --config {key}=FOLDER"
    if folder.exists() and not folder.is_dir():
        return Finding("FAIL", subject, f"{folder} is a file", other)
    parent = existing(folder)
    try:
        with tempfile.TemporaryFile(dir=parent):
            pass
    except OSError as error:
        return Finding(
            "FAIL",
            subject,
            f"{parent} cannot be written to: {error.strerror}",
            other,
        )
    free = shutil.disk_usage(parent).free
    state = "FAIL" if free < needed else "warn" if free < _LITTLE else "ok"
    text = f"{folder}, {size(free)} free, {size(needed)} or more will be written"
    return Finding(
        state, subject, text, "" if state == "ok" else f"make room, or {other}"
    )


def _check_memory(config: Config) -> Iterator[Finding]:
    """Compare the memory of the machine, or of its container, with a job's limit on every core."""
    import psutil
    from joblib import cpu_count

    from attop_bench.cli.estimate import size

    have = float(psutil.virtual_memory().total)
    cores = cpu_count()
    for file in ("memory.max", "memory/memory.limit_in_bytes"):  # versions 2 and 1
        path = Path("/sys/fs/cgroup") / file
        text = path.read_text().strip() if path.exists() else ""
        have = min(have, int(text)) if text.isdigit() else have
    limits = [
        limit
        for m in config.methods
        if (limit := config.limits_of(m.id)["memory_mb"]) is not None
    ]
    if not limits:
        return
    text = f"{size(have)} for {count_noun(cores, 'core')}; a job may take {size(1e6 * max(limits))}"
    each = have / cores // 1e6
    fix = f"if jobs are killed: fewer --cores, or --config 'limits={{memory_mb: {each:g}}}'"
    yield (
        Finding("warn", "memory", text, fix)
        if max(limits) > each
        else Finding("ok", "memory", text)
    )


def _check_files(config: Config) -> Iterator[Finding]:
    """Look for the files of the data sets in cache and mirror; the others need a network, or a hand."""
    from attop_bench.data.files.fetch import MIRROR

    mirror = config.mirror or os.environ.get(MIRROR) or ""
    is_server = mirror.lower().startswith(("http://", "https://"))
    folder = _folder_of(mirror) if mirror and not is_server else None
    if folder and not folder.is_dir():
        fix = f"correct `mirror` in the configuration or the variable {MIRROR}"
        yield Finding("warn", "mirror", f"there is no folder {folder}", fix)
    missing = _missing_files(config, folder)
    by_hand = {
        path: file
        for path, file in missing.items()
        if config.offline or not (file.urls or is_server)
    }
    wanted = [path for path in missing if path not in by_hand]
    if wanted:
        yield Finding(
            "ok",
            "network",
            f"needed for {count_noun(len(wanted), 'file')}: {join_first(wanted)}",
        )
    if by_hand:
        yield _left_to_the_user(config, by_hand)
    if not missing:
        yield Finding("ok", "network", "not needed: all files are on this machine")


def _folder_of(mirror: str) -> Path:
    """Locate the folder of a mirror, given by its path or its address."""
    return Path(unquote(urlsplit(mirror).path) if "://" in mirror else mirror)


def _missing_files(config: Config, mirror: Path | None) -> dict[str, Source]:
    """Find the files that neither the cache nor the folder of a mirror has."""
    files = {
        file.path: file for data in config.datasets for file in data.files.values()
    }
    return {
        path: file
        for path, file in files.items()
        if not _is_here(file, Path(config.cache), mirror)
    }


def _is_here(file: Source, cache: Path, mirror: Path | None) -> bool:
    if (cache / file.path).exists():
        return True
    return mirror is not None and (mirror / (file.mirror or file.path)).is_file()


def _left_to_the_user(config: Config, files: Mapping[str, Source]) -> Finding:
    """Say of files that cannot be downloaded where they are to be put."""
    why = "offline is set" if config.offline else "no address is known"
    text = f"{join_first(list(files))} cannot be downloaded ({why}); their data sets will be left out"
    place = f"put them below {config.cache}, or in a folder given by --config mirror=FOLDER"
    remedies = dict.fromkeys(file.remedy for file in files.values() if file.remedy)
    return Finding("warn", "network", text, "; ".join([place, *remedies]))


def _check_profiles() -> Iterator[Finding]:
    """Name the plugin that a profile for clusters lacks; a warning where there is such a cluster."""
    for profile, extra in (("slurm", "slurm"), ("profiles/cluster", "cluster")):
        for plugin in requirements(extra).keys() - requirements("workflow").keys():
            try:
                yield Finding(
                    "ok", f"--profile {profile}", f"{plugin} {version(plugin)}"
                )
            except PackageNotFoundError:
                state = (
                    "warn" if extra == "slurm" and shutil.which("sbatch") else "ok"
                )
                fix = f'for a cluster: python -m pip install -e ".[{extra}]"'
                yield Finding(
                    state, f"--profile {profile}", f"{plugin} is missing", fix
                )


def _check_slurm() -> Iterator[Finding]:
    """Look for SLURM and its controller."""
    if shutil.which("sbatch") is None:
        text = "not on this machine (no sbatch): jobs run here, or start on a login node"
        yield Finding("ok", "SLURM", text)
        return
    command = ["sinfo", "--noheader", "--format=%R %a %D"]
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, timeout=10, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        complaint = str(error)
        if (
            isinstance(error, subprocess.CalledProcessError)
            and error.stderr.strip()
        ):
            complaint = error.stderr.strip().splitlines()[-1]
        fix = "ask whoever runs the cluster; docs/cluster.md says what is needed"
        yield Finding("warn", "SLURM", f"sinfo does not answer: {complaint}", fix)
        return
    partitions = [line.split() for line in answer.splitlines() if line.strip()]
    names = ", ".join(
        f"{name} ({state}, {nodes} nodes)" for name, state, nodes in partitions
    )
    yield Finding("ok", "SLURM", f"partitions {names}: snakemake --profile slurm")

"""What a configuration needs around it: folders, disk, memory, the mirror and the network.

Without it, a full disk or a file that must be got by hand is found out in the middle of a run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from attop.core.wording import counted, few
from attop_bench.cli.configuration import read_config
from attop_bench.cli.estimate import count_jobs, disk_to_come
from attop_bench.cli.finding import Finding
from attop_bench.cli.machine import memory_mb, usable_cores
from attop_bench.cli.text import existing, size
from attop_bench.data.fetch.download import MIRROR
from attop_bench.run.config import Config, ConfigError
from attop_bench.run.plan import Plan

__all__ = ["check_configuration"]

_LITTLE = 1e9  # bytes of free disk


def check_configuration(options: argparse.Namespace) -> Iterator[Finding]:
    """Yield what a run of the configuration would meet."""
    try:
        config = read_config(options)
    except ConfigError as error:
        fix = "correct it; config/README.md explains every key"
        yield Finding("FAIL", "configuration", str(error).replace("\n", "; "), fix)
        return
    sets, methods = counted(len(config.datasets), "data set"), counted(len(config.methods), "method")
    yield Finding("ok", "configuration", f"{config.title}: {sets}, {methods}")
    plan = Plan(config)
    needed = disk_to_come(plan, count_jobs(plan)).total
    for key, folder in (("output", config.output), ("cache", config.cache)):
        yield _check_folder(key, Path(folder), needed)
    yield from _check_memory(config)
    yield from _check_files(config)


def _check_folder(key: str, folder: Path, needed: int) -> Finding:
    there = existing(folder)
    about = f"{key} folder"
    other = f"give another one: --config {key}=FOLDER"
    if folder.exists() and not folder.is_dir():
        return Finding("FAIL", about, f"{folder} is a file", other)
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        return Finding("FAIL", about, f"{there} cannot be written to: {error.strerror}", other)
    free = shutil.disk_usage(there).free
    text = f"{folder}, {size(free)} free"
    if free < needed:
        return Finding(
            "FAIL", about, f"{text}, the run writes {size(needed)} or more", f"make room, or {other}"
        )
    if free < _LITTLE:
        return Finding("warn", about, text, f"make room, or {other}")
    return Finding("ok", about, text)


def _check_memory(config: Config) -> Iterator[Finding]:
    have, cores = memory_mb(), usable_cores()
    limits = [limit for m in config.methods if (limit := config.limits_of(m.id)["memory_mb"]) is not None]
    if have is None or not limits:
        return
    text = f"{size(1e6 * have)} for {counted(cores, 'core')}; a job may take {size(1e6 * max(limits))}"
    if max(limits) * cores > have:
        fix = f"if jobs are killed: fewer --cores, or --config 'limits={{memory_mb: {have // cores:g}}}'"
        yield Finding("warn", "memory", text, fix)
    else:
        yield Finding("ok", "memory", text)


def _check_files(config: Config) -> Iterator[Finding]:
    """Look for the files of the data sets in the cache and the mirror: what is in neither needs a network."""
    files = {file.path: file for data in config.datasets for file in data.files.values()}
    missing = {path: file for path, file in files.items() if not (Path(config.cache) / path).exists()}
    mirror = config.mirror or os.environ.get(MIRROR) or ""
    folder = _folder(mirror)
    if folder is not None and not folder.is_dir():
        fix = f"correct `mirror` in the configuration or the variable {MIRROR}"
        yield Finding("warn", "mirror", f"there is no folder {folder}", fix)
    elif folder is not None:
        has = [path for path, file in files.items() if (folder / (file.mirror or path)).is_file()]
        yield Finding("ok", "mirror", f"{folder} has {len(has)} of the {counted(len(files), 'file')} needed")
        missing = {path: file for path, file in missing.items() if path not in has}
    elif mirror:
        yield Finding("ok", "mirror", f"{mirror} is asked first, then upstream; not tried now")
    if not missing:
        why = "all files are on this machine" if files else "no data set of the configuration is downloaded"
        yield Finding("ok", "network", f"not needed: {why}")
        return
    server = mirror and folder is None
    by_hand = [path for path, file in missing.items() if config.offline or not (file.urls or server)]
    remedies = dict.fromkeys(missing[path].remedy for path in by_hand if missing[path].remedy)
    yield from _check_network(config, [path for path in missing if path not in by_hand], by_hand, remedies)


def _check_network(
    config: Config, wanted: Sequence[str], by_hand: Sequence[str], remedies: Iterable[str]
) -> Iterator[Finding]:
    """Say what a network is needed for, and what it cannot bring."""
    if wanted:
        yield Finding("ok", "network", f"needed to download {counted(len(wanted), 'file')}: {few(wanted)}")
    if by_hand:
        why = "offline is set" if config.offline else "no address is known"
        text = f"{few(by_hand)} cannot be downloaded ({why}); their data sets will be left out"
        place = f"put them below {config.cache}, or in a folder given by --config mirror=FOLDER"
        yield Finding("warn", "network", text, "; ".join([place, *remedies]))


def _folder(mirror: str) -> Path | None:
    """Return the mirror as a folder; None if it is a server, or there is none."""
    if "://" not in mirror:
        return Path(mirror) if mirror else None
    return Path(unquote(urlsplit(mirror).path)) if mirror.lower().startswith("file://") else None

"""A block of folds as one job, which keeps those that it had finished when it was killed."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from attop_bench.archives import pack, unpacked
from attop_bench.files import StrPath, read_json, write_bytes, write_json
from attop_bench.run.blocks import KEYS, RECORD, SCORES, WORK
from attop_bench.run.job import Run, Unfinished
from attop_bench.run.parameters import plain
from attop_bench.run.record import digest_of


def train_folds(
    runs: Sequence[Run],
    train: Callable[[Run, Path], None],
    *,
    archive: Path,
    params: object,
    files: Callable[[Run], Iterable[str]],
    digest: str,
) -> None:
    """Call `train` for each of `runs` that is not done, with the folder for its files, then write `archive`.

    A fold that is done, in an archive from before or in the folder next to it, stays if it was made with the
    same `params` (the fingerprint of the code is among them) and the same content of its `files`.
    SystemExit: some runs have no results; the others were tried nevertheless.
    """
    folder = archive.with_suffix(WORK)
    digest_of_file = cache(_digest)
    keys = {
        _name(run): _key(params, [digest_of_file(file) for file in files(run)])
        for run in runs
    }
    _unpack(archive, folder)
    _keep_the_same(folder, keys)
    broken: dict[str, list[str]] = {}
    for run in runs:
        place = folder / _name(run)
        try:
            if digest_of(place / RECORD) != digest or not (place / SCORES).exists():
                train(run, place)
        except Unfinished as end:
            broken.setdefault(end.reason, []).append(
                f"repeat {run.repeat}, fold {run.fold}"
            )
    if broken:
        words = "; ".join(
            f"{'; '.join(folds)}: {reason}" for reason, folds in broken.items()
        )
        raise SystemExit(f"without results: {words} (see {folder})")
    names = [
        KEYS,
        *(f"{_name(run)}/{file}" for run in runs for file in (SCORES, RECORD)),
    ]
    pack(archive, {name: (folder / name).read_bytes() for name in names})
    shutil.rmtree(folder)


def _name(run: Run) -> str:
    return run.folder("").name


def _unpack(archive: Path, folder: Path) -> None:
    """Put the folds of an archive into the folder, but for those that were done again since."""
    content = unpacked(archive)
    keys = {
        **_keys(archive / KEYS, content.pop(KEYS, b"{}")),
        **_keys(folder / KEYS),
    }
    done = {path.name for path in folder.glob("*") if path.is_dir()}
    for name, data in content.items():
        if name.partition("/")[0] not in done:
            write_bytes(folder / name, data)
    write_json(folder / KEYS, keys)


def _keys(path: Path, content: bytes | None = None) -> dict[str, str]:
    """Read the digest of all that each fold depends on; nothing where that is unreadable."""
    with suppress(OSError, ValueError, TypeError):
        return dict(read_json(path) if content is None else json.loads(content))
    return {}


def _keep_the_same(folder: Path, keys: dict[str, str]) -> None:
    """Remove the files of each fold whose key is another; then write the keys."""
    before = _keys(folder / KEYS)
    for name, key in keys.items():
        if before.get(name) != key:
            shutil.rmtree(folder / name, ignore_errors=True)
    write_json(folder / KEYS, keys)


def _key(params: object, digests: Iterable[str]) -> str:
    """Digest the parameters and files of a run."""
    return hashlib.sha256(
        json.dumps([plain(params), *digests]).encode()
    ).hexdigest()


def _digest(file: StrPath) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()

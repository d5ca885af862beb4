"""Training jobs of more than one fold: what each is, and the archive that it leaves.

Snakemake removes the outputs of a job that was killed, and before it is tried again. A job of many folds is
to keep those it had finished. So these lie in a folder that Snakemake does not know of, and go into one
archive when all are done. One that is made again is an output to be updated: Snakemake leaves it there, and
folds that are still right are taken from it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from attop_bench.archives import SUFFIX, archive_of, members, opened, remove
from attop_bench.files import StrPath, write_bytes
from attop_bench.run.notes import note_of

#: The files of a fold.
SCORES, RECORD = "scores.npz", "record.json"

#: The file, in an archive or in the folder next to it, that says what each fold depends on.
KEYS = "keys.json"

#: The folder of the folds that are done, while others of their block are not.
WORK = ".folds"

#: Constraint of the wildcard `block`.
BLOCKS = r"all|block\d+-\d+"


def block_of(granularity: str | int, position: int) -> str:
    """Name the block that holds the fold at a position, counted over all repeats of a data set.

    A block is ``all`` folds of a method, or as many as `granularity` says. Its name has that number, so that
    blocks of another size are others.
    """
    return (
        "all"
        if isinstance(granularity, str)
        else f"block{granularity}-{position // granularity}"
    )


def in_block(block: str, n: int) -> range:
    """List the positions of the folds in a block, of `n` over all repeats of a data set."""
    if block == "all":
        return range(n)
    size, number = map(int, block.removeprefix("block").split("-"))
    return range(number * size, min((number + 1) * size, n))


def files_of(trained: Iterable[StrPath]) -> tuple[list[Path], list[Path]]:
    """Split the outputs of training jobs into files of scores and records, in the order of the folds.

    `trained` are outputs of rule train: the files themselves, or archives, which these are members of.
    """
    scores: list[Path] = []
    records: list[Path] = []
    for path in map(Path, trained):
        inside = (
            [path / member for member in members(path)]
            if path.suffix == SUFFIX
            else [path]
        )
        scores += [file for file in inside if file.name == SCORES]
        records += [file for file in inside if file.name == RECORD]
    return scores, records


def method_of(record: Path) -> str:
    """Read the method of a record from its path."""
    archive = archive_of(record)
    return (archive or record.parent).parent.name


def sizes_in(folder: Path) -> set[str]:
    """Find the granularities that the results of a method were trained with, as a configuration has them."""
    sizes = set()
    for path in folder.glob("*"):
        if path.suffix in (SUFFIX, WORK):
            size = path.stem.partition("-")[0].removeprefix("block")
            sizes.add("method" if size == "all" else size)
        elif (path / RECORD).exists():
            sizes.add("fold")
    return sizes


def clear(*files: Path) -> None:
    """Remove results of a fold; a block of which some are gone is one to be done."""
    for archive in {archive_of(file) for file in files} - {None}:
        note_of(archive or "").unlink(missing_ok=True)
    remove(*files)


def set_aside(record: Path) -> None:
    """Put a damaged record, or archive, aside as spoilt, so that its run is done again."""
    with suppress(OSError):
        archive = record if record.suffix == SUFFIX else archive_of(record)
        if archive is None:
            os.replace(record, record.with_name("spoilt.json"))
        elif members(archive):
            with opened(record) as file:
                write_bytes(
                    archive.with_name(
                        f"{archive.stem}-{record.parent.name}-spoilt.json"
                    ),
                    file.read(),
                )
            clear(record)
        else:
            note_of(archive).unlink(missing_ok=True)
            os.replace(archive, archive.with_name(f"{archive.stem}-spoilt"))

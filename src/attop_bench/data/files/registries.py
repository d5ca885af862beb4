"""Resolve OpenML and PMLB names to downloadable files.

OpenML describes each data set in JSON, with the address of its file and its MD5. PMLB keeps its files by Git
LFS: in their place the repository holds pointers, with SHA-256 and size.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Literal

from attop_bench.data.files.source import Source

_OPENML = "https://www.openml.org/api/v1/json/data"
#: A commit, so that a name always stands for the same file.
_COMMIT = "7c1f4bdc00136dc2e55c87fa6b8ba6e8af6d1a68"
_PMLB = f"https://raw.githubusercontent.com/EpistasisLab/pmlb/{_COMMIT}/datasets"

#: Address, digest and size of a file, as far as its record has them.
_Found = tuple[str, str, int | None]


def openml_file(
    id: int,
    version: int,
    md5: str | None = None,
    format: Literal["arff", "parquet"] = "arff",
    registry: str = _OPENML,
) -> Source:
    """Find the file of a data set of OpenML, checked by the MD5 of its description, or the one given."""
    name = f"openml/{id}-{version}.{format}"
    return Source(name, [f"{registry}/{id}"], md5, record="openml", version=version)


def pmlb_file(
    name: str,
    sha256: str | None = None,
    bytes: int | None = None,
    registry: str = _PMLB,
) -> Source:
    """Find the file of a data set of PMLB, checked by digest and size of its pointer, or those given."""
    file = f"{name}/{name}.tsv.gz"
    return Source(
        f"pmlb/{file}", [f"{registry}/{file}"], sha256, bytes, record="git-lfs"
    )


def _read_description(text: str, url: str, version: int | None) -> _Found:
    """Read a description of OpenML."""
    description = json.loads(text)["data_set_description"]
    if version not in (None, int(description["version"])):
        raise ValueError(
            f"version {description['version']}, expected {version}: each version has its own id"
        )
    if not re.fullmatch("[0-9a-f]{32}", str(description.get("md5_checksum"))):
        raise ValueError(
            f"md5_checksum is {description.get('md5_checksum')!r}, which is no digest"
        )
    return description["url"], description["md5_checksum"], None


def _read_pointer(text: str, url: str, version: int | None) -> _Found:
    """Read a pointer of Git LFS; GitHub serves the file at the same place of another host."""
    pointer = re.fullmatch(
        r"version https://git-lfs\.github\.com/spec/v1\noid sha256:([0-9a-f]{64})\nsize (\d+)\n",
        text,
    )
    if not pointer:
        raise ValueError(
            f"a pointer of Git LFS has version, oid and size, got {text[:80]!r}"
        )
    file = url.replace(
        "//raw.githubusercontent.com/", "//media.githubusercontent.com/media/"
    )
    return file, pointer[1], int(pointer[2])


#: Readers of records by `Source.record`.
RECORDS: Mapping[str, Callable[[str, str, int | None], _Found]] = {
    "openml": _read_description,
    "git-lfs": _read_pointer,
}

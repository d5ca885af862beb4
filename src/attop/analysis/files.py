"""Files written whole or not at all."""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["write_bytes", "write_csv", "write_parquet"]


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file through a temporary one beside it and an atomic rename; missing folders are made."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_csv(path: str | os.PathLike[str], frame: pd.DataFrame) -> None:
    """Write a table as CSV; an undefined number is an empty field."""
    write_bytes(path, frame.to_csv(index=False, lineterminator="\n").encode())


def write_parquet(path: str | os.PathLike[str], frame: pd.DataFrame) -> None:
    """Write a table as Parquet."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    write_bytes(path, buffer.getvalue())

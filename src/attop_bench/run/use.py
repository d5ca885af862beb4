"""Time and memory of a job, measured by its script.

Snakemake's ``benchmark:`` measures the process that it starts. Of a job on a warm server that is a client,
which waits. So each script measures itself, and leaves it in its note (`attop_bench.run.made`). Nothing else
stands here: what scripts import counts as code that results depend on.
"""

from __future__ import annotations

import platform
import re
import resource
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Use:
    """Time and memory that a job took; None where it is not known."""

    #: Wall time from the beginning of its process.
    seconds: float | None = None
    #: Processor time of its process and those below it.
    cpu_seconds: float | None = None
    #: Resident memory of the largest of these processes, at most.
    peak_memory_mb: float | None = None
    host: str = ""

    @classmethod
    def of_this_process(cls) -> Use:
        """Measure the use of this process and its children so far."""
        import psutil  # as slow as all else of a short job

        process, children = (
            resource.getrusage(who)
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        peak = _peak_kb()
        return cls(
            seconds=time.time() - psutil.Process().create_time(),
            cpu_seconds=sum(
                used.ru_utime + used.ru_stime for used in (process, children)
            ),
            peak_memory_mb=max(
                process.ru_maxrss if peak is None else peak, children.ru_maxrss
            )
            / 1e3,
            host=platform.node(),
        )

    def as_dict(self) -> dict[str, Any]:
        """Convert the use to JSON."""
        return asdict(self)


def _peak_kb() -> int | None:
    """Read the peak of this process since its program began; None where the system does not say it.

    `ru_maxrss` on Linux is at least that of the process which started it.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return None
    line = re.search(r"VmHWM:\s*(\d+) kB", status)
    return None if line is None else int(line[1])

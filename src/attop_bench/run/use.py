"""Time and memory of a job, measured by its script.

Snakemake's ``benchmark:`` measures the process that it starts. Of a job on a warm server that is a client,
which waits. So each script measures itself, and leaves it in its note (`attop_bench.run.made`). Nothing else
stands here: what scripts import counts as code that results depend on.
"""

from __future__ import annotations

import platform
import resource
import time
from dataclasses import asdict, dataclass
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
        """Return the use of this process and its children so far."""
        import psutil  # as slow as all else of a short job

        both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return cls(
            seconds=time.time() - psutil.Process().create_time(),
            cpu_seconds=sum(used.ru_utime + used.ru_stime for used in both),
            peak_memory_mb=max(used.ru_maxrss for used in both) / 1e3,
            host=platform.node(),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON value."""
        return asdict(self)

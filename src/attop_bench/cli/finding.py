"""One line of what `attop doctor` finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """Something looked at.

    Attributes
    ----------
    state : str
        ``ok``; ``warn``: a run goes on, but not with everything or not as well; ``FAIL``: no run is possible.
    about, text : str
    fix : str
        What to do, if not ``ok``.
    """

    state: Literal["ok", "warn", "FAIL"]
    about: str
    text: str
    fix: str = ""

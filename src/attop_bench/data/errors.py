"""Data that cannot be used, or are out of reach."""

from __future__ import annotations


class DatasetError(ValueError):
    """Data that cannot be used; the message says what, where and how to fix it."""

    for_the_user = True


class Unavailable(DatasetError):
    """Data that are out of reach here and now: the reason, and the remedy."""

    def __init__(self, reason: str, remedy: str):
        super().__init__(f"{reason}: {remedy}")
        self.reason, self.remedy = reason, remedy

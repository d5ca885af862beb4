"""Refusal of what a user asked for, before anything is trained with it."""

from __future__ import annotations

from collections.abc import Iterable


class ConfigError(ValueError):
    """A configuration that cannot be run; the message names entry, value and remedy."""

    for_the_user = True


def refuse(complaints: Iterable[str]) -> None:
    """Raise `ConfigError` with all complaints, if there are any."""
    if complaints := list(complaints):
        raise ConfigError("\n".join(complaints))

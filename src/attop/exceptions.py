"""Warnings of attop's own."""

from __future__ import annotations

__all__ = ["ConstantModelWarning"]


class ConstantModelWarning(UserWarning):
    """A fitted model gives all training items one score: it ranks nothing."""

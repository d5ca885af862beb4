"""A look at a table before anything is trained: what its columns are, what is wrong, and a configuration."""

from attop.datasets.look.table import Look, look

__all__ = ["Look", "look"]

"""A look at a table before anything is trained: what its columns are, what is wrong, and a configuration."""

from attop_bench.data.look.table import Look, look

__all__ = ["Look", "look"]

"""Compiled kernels of AATP's solvers; imported when one first runs."""

from pathlib import Path

from attop.core.compiled import discard_stale, kernel_sources

discard_stale(Path(__file__).parent, kernel_sources())

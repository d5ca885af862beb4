"""Compiled kernels of the surrogates; the only modules of this layer that import numba."""

from pathlib import Path

from attop._core.compiled import discard_stale

discard_stale(Path(__file__).parent)

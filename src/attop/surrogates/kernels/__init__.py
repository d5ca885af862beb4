"""Compiled kernels of the surrogates; the only modules of this layer that import numba."""

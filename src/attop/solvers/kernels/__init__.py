"""Compiled kernels of the solvers; imported when a solver first runs."""

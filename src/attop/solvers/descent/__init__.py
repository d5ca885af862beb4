"""Descent on the whole sample: subgradients and L-BFGS."""

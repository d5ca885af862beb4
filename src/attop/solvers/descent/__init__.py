"""Descent on the whole sample: subgradients, L-BFGS, Newton; and what is refined for the top by them."""

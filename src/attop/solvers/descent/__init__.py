"""Descent on the whole sample: subgradients, L-BFGS, Newton; and linear models refined for the top by it."""

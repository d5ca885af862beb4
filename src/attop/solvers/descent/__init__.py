"""Descent on the whole sample: subgradients, L-BFGS, and the dual of TopPush."""

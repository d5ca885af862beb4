"""Losses of scores: value and subgradient, grouped, batched over models."""

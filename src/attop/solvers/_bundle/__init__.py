"""Cutting planes for convex losses, with a certified gap."""

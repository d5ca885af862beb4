"""Brute-force definitions: the specification that fast code is held to. Slow on purpose, plain to read."""

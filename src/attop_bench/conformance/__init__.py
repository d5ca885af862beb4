"""What the benchmark asks of a method, as checks to run on any class with scikit-learn's interface."""

from attop_bench.conformance.checks import CHECKS, Check, Result, check_all

__all__ = ["CHECKS", "Check", "Result", "check_all"]

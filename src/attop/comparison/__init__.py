"""Models side by side at the top of one's own data."""

from attop.comparison.compare import compare_at_top
from attop.comparison.result import TopComparison

__all__ = ["TopComparison", "compare_at_top"]

"""Models side by side at the top of one's own data."""

from attop.comparison.compare import TopComparison, compare_at_top

__all__ = ["TopComparison", "compare_at_top"]

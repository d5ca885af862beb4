"""Models side by side at the top of one's own data."""

from attop.experiment.compare import compare_at_top
from attop.experiment.result import TopComparison

__all__ = ["TopComparison", "compare_at_top"]

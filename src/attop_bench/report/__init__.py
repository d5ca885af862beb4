"""Tables, figures and the report of a benchmark, from the tidy tables it writes."""

from attop_bench.report.compute.tables import summarise
from attop_bench.report.page.report import build_report, write_analysis

__all__ = ["build_report", "summarise", "write_analysis"]

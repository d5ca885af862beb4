"""Tables, figures and the report of a benchmark, from the tidy tables it writes."""

from attop.analysis.compute.tables import summarise, write_summary
from attop.analysis.page.report import build_report, write_analysis

__all__ = ["build_report", "summarise", "write_analysis", "write_summary"]

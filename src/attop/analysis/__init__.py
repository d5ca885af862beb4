"""Tables, figures and the report of a benchmark, from the tidy tables it writes."""

from attop.analysis.report import build_report, write_analysis
from attop.analysis.tables import summarise, write_summary

__all__ = ["build_report", "summarise", "write_analysis", "write_summary"]

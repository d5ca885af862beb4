"""Files of tables: one reader a format, each returns a data frame with named columns."""

from attop_bench.data.formats.readers import FORMATS, format_of, read_frame

__all__ = ["FORMATS", "format_of", "read_frame"]

"""Getting files: mirrors, downloads, archives and pickles, none of which is trusted.

Standard library and NumPy only. With pooch in its place a user would lose that a broken download goes on
where it stopped, and that endless answers, dripping servers, steps down to an insecure address and archives
made to fill a disk end in a message: pooch looks at a file once it is there.
"""

from attop_bench.data.fetch.archive import ArchiveError, Limits, extract
from attop_bench.data.fetch.download import obtain
from attop_bench.data.fetch.restricted_pickle import PickleRefused, load_pickle
from attop_bench.data.fetch.source import Source
from attop_bench.data.fetch.transfer import Patience

__all__ = [
    "ArchiveError",
    "Limits",
    "Patience",
    "PickleRefused",
    "Source",
    "extract",
    "load_pickle",
    "obtain",
]

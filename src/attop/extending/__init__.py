"""Names for packages that build upon attop: types, tops, checks, seeds, wording, and parts of learners.

attop's benchmark imports the library by this package and by the public names of the others, and by
nothing else. A study or a benchmark of your own may do the same.
"""

from attop._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

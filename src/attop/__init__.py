"""attop: learners, losses and metrics for the top of a ranked list.

``import attop`` is light: estimators and their dependencies load when first used.
"""

from attop._core.lazy import attach

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach(__name__, __file__)
__all__ += ["__version__"]

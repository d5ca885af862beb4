"""Lists with a guarantee, from rows that no model was trained on."""

from attop._core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

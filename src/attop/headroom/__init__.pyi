from ._headroom import Headroom as Headroom
from ._headroom import HeadroomModel as HeadroomModel
from ._headroom import headroom as headroom

__all__: list[str]

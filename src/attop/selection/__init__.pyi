from ._conformal import ConformalSelector as ConformalSelector
from ._conformal import SelectionPath as SelectionPath
from ._steady import SteadyTop as SteadyTop

__all__: list[str]

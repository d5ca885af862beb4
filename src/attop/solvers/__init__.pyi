from ._base import GridSolution as GridSolution
from ._base import History as History
from ._base import Solution as Solution
from ._base import relative_gap as relative_gap
from ._bundle.bundle import bundle as bundle
from ._gradient_descent import gradient_descent as gradient_descent
from ._lbfgs import lbfgs as lbfgs

__all__: list[str]

from ._compare import compare_at_top as compare_at_top
from ._forecast import HeldOut as HeldOut
from ._forecast import NextList as NextList
from ._forecast import next_list as next_list
from ._judge import judge as judge
from ._learner import fit_many as fit_many
from ._pairs import decide as decide
from ._result import TopComparison as TopComparison
from ._several import TopComparisons as TopComparisons

__all__: list[str]

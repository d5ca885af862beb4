from .candidate import fit_many as fit_many
from .compare import compare_at_top as compare_at_top
from .forecast import HeldOut as HeldOut
from .forecast import NextList as NextList
from .forecast import next_list as next_list
from .result import TopComparison as TopComparison

__all__: list[str]

from .candidate import fit_many as fit_many
from .compare import compare_at_top as compare_at_top
from .result import TopComparison as TopComparison

__all__: list[str]

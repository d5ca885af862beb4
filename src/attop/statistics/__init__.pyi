from ._ranks import Comparison as Comparison
from ._ranks import Friedman as Friedman
from ._ranks import Pair as Pair
from ._ranks import against_control as against_control
from ._ranks import all_pairs as all_pairs
from ._ranks import cliques as cliques
from ._ranks import critical_difference as critical_difference
from ._ranks import friedman as friedman
from ._ranks import holm as holm
from ._ranks import mean_ranks as mean_ranks
from ._ranks import rank_rows as rank_rows
from ._regrets import Bootstrap as Bootstrap
from ._regrets import bootstrap_means as bootstrap_means
from ._regrets import regret as regret
from ._two_methods import Effect as Effect
from ._two_methods import Posterior as Posterior
from ._two_methods import SignedRank as SignedRank
from ._two_methods import bayesian_signed_rank as bayesian_signed_rank
from ._two_methods import effect_sizes as effect_sizes
from ._two_methods import wilcoxon as wilcoxon
from ._watching import Watched as Watched
from ._watching import watch as watch

__all__: list[str]

from .ranks import Comparison as Comparison
from .ranks import Friedman as Friedman
from .ranks import Pair as Pair
from .ranks import against_control as against_control
from .ranks import all_pairs as all_pairs
from .ranks import cliques as cliques
from .ranks import critical_difference as critical_difference
from .ranks import friedman as friedman
from .ranks import holm as holm
from .ranks import mean_ranks as mean_ranks
from .ranks import rank_rows as rank_rows
from .regrets import Bootstrap as Bootstrap
from .regrets import Regret as Regret
from .regrets import bootstrap_means as bootstrap_means
from .regrets import regret as regret
from .two_methods import Effect as Effect
from .two_methods import Posterior as Posterior
from .two_methods import SignedRank as SignedRank
from .two_methods import bayesian_signed_rank as bayesian_signed_rank
from .two_methods import effect_sizes as effect_sizes
from .two_methods import wilcoxon as wilcoxon
from .watching import Watched as Watched
from .watching import watch as watch

__all__: list[str]

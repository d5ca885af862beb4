from ._core.top import Top as Top
from .experiment import TopComparison as TopComparison
from .experiment import compare_at_top as compare_at_top
from .experiment import fit_many as fit_many
from .from_papers import AATP as AATP
from .from_papers import ROCSVM as ROCSVM
from .from_papers import SVMPAUC as SVMPAUC
from .from_papers import GDPApK as GDPApK
from .from_papers import InfinitePush as InfinitePush
from .from_papers import OnePMB as OnePMB
from .from_papers import PatMat as PatMat
from .from_papers import PerceptronAtK as PerceptronAtK
from .from_papers import PNormPush as PNormPush
from .from_papers import SGDAtK as SGDAtK
from .from_papers import SVMPerf as SVMPerf
from .from_papers import TopPush as TopPush
from .learners import EASE as EASE
from .learners import BundleRanker as BundleRanker
from .learners import FactorRanker as FactorRanker
from .learners import GDRanker as GDRanker
from .learners import PopularityRanker as PopularityRanker
from .learners import SoftTop as SoftTop
from .learners import TopBooster as TopBooster
from .learners import TopStack as TopStack
from .learners import predict_top as predict_top
from .learners import top_threshold as top_threshold
from .metrics import UndefinedMetricError as UndefinedMetricError
from .metrics import get_metric as get_metric
from .metrics import make_top_scorer as make_top_scorer
from .surrogates._registry import get_surrogate as get_surrogate

__all__: list[str]
__version__: str

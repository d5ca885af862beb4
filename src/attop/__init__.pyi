from .core.top import Top as Top
from .estimators import AATP as AATP
from .estimators import ROCSVM as ROCSVM
from .estimators import SVMPAUC as SVMPAUC
from .estimators import BundleRanker as BundleRanker
from .estimators import FactorRanker as FactorRanker
from .estimators import GDPApK as GDPApK
from .estimators import GDRanker as GDRanker
from .estimators import GreedyPApK as GreedyPApK
from .estimators import InfinitePush as InfinitePush
from .estimators import OnePMB as OnePMB
from .estimators import PatMat as PatMat
from .estimators import PerceptronAtK as PerceptronAtK
from .estimators import PNormPush as PNormPush
from .estimators import SelectPApK as SelectPApK
from .estimators import SGDAtK as SGDAtK
from .estimators import SoftTop as SoftTop
from .estimators import SVMPerf as SVMPerf
from .estimators import TopBooster as TopBooster
from .estimators import TopPush as TopPush
from .estimators import TopStack as TopStack
from .estimators import predict_top as predict_top
from .estimators import top_threshold as top_threshold
from .experiment import TopComparison as TopComparison
from .experiment import compare_at_top as compare_at_top
from .experiment import fit_many as fit_many
from .metrics import UndefinedMetricError as UndefinedMetricError
from .metrics import get_metric as get_metric
from .metrics import make_top_scorer as make_top_scorer

__all__: list[str]
__version__: str

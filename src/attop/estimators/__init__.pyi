from .aatp import AATP as AATP
from .base import Ranker as Ranker
from .budget import TopThreshold as TopThreshold
from .budget import predict_top as predict_top
from .budget import top_threshold as top_threshold
from .bundle_ranker import BundleRanker as BundleRanker
from .bundle_ranker import PatMat as PatMat
from .factor_ranker import FactorRanker as FactorRanker
from .gd_ranker import GDPApK as GDPApK
from .gd_ranker import GDRanker as GDRanker
from .minibatch import OnePMB as OnePMB
from .minibatch import PerceptronAtK as PerceptronAtK
from .minibatch import SGDAtK as SGDAtK
from .papk_baselines import GreedyPApK as GreedyPApK
from .papk_baselines import SelectPApK as SelectPApK
from .pnorm_push import PNormPush as PNormPush
from .soft_top import SoftTop as SoftTop
from .structural import ROCSVM as ROCSVM
from .structural import SVMPAUC as SVMPAUC
from .structural import InfinitePush as InfinitePush
from .structural import SVMPerf as SVMPerf
from .structural import TopPush as TopPush
from .top_booster import TopBooster as TopBooster
from .top_stack import TopStack as TopStack

__all__: list[str]

from .aatp import AATP as AATP
from .base import LinearRanker as LinearRanker
from .budget import TopThreshold as TopThreshold
from .budget import predict_top as predict_top
from .budget import top_threshold as top_threshold
from .bundle_ranker import BundleRanker as BundleRanker
from .coordinate_ascent import CoordinateAscent as CoordinateAscent
from .gd_papk import GDPApK as GDPApK
from .gd_ranker import GDRanker as GDRanker
from .greedy_papk import GreedyPApK as GreedyPApK
from .infinite_push import InfinitePush as InfinitePush
from .kernel_aatp import KernelAATP as KernelAATP
from .one_pmb import OnePMB as OnePMB
from .pat_mat import PatMat as PatMat
from .perceptron_at_k import PerceptronAtK as PerceptronAtK
from .pnorm_push import PNormPush as PNormPush
from .rankboost import RankBoost as RankBoost
from .roc_svm import ROCSVM as ROCSVM
from .select_papk import SelectPApK as SelectPApK
from .sgd_at_k import SGDAtK as SGDAtK
from .soft_top import SoftTop as SoftTop
from .svm_pauc import SVMPAUC as SVMPAUC
from .svm_perf import SVMPerf as SVMPerf
from .top_booster import TopBooster as TopBooster
from .top_push import TopPush as TopPush
from .top_stack import TopStack as TopStack

__all__: list[str]

from attop._core.sample import PositiveClassWarning as PositiveClassWarning

from ._base import ConstantModelWarning as ConstantModelWarning
from ._base import Ranker as Ranker
from ._bundle_ranker import BundleRanker as BundleRanker
from ._ease import EASE as EASE
from ._gd_ranker import GDRanker as GDRanker
from ._popularity import PopularityRanker as PopularityRanker
from ._top_booster import TopBooster as TopBooster
from ._top_threshold import TopThreshold as TopThreshold
from ._top_threshold import predict_top as predict_top
from ._top_threshold import top_threshold as top_threshold
from .factor_ranker._factor_ranker import FactorRanker as FactorRanker
from .soft_top._soft_top import SoftTop as SoftTop
from .top_stack._top_stack import TopStack as TopStack

__all__: list[str]

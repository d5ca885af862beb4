from .accuracy_at_top import AccuracyAtTop as AccuracyAtTop
from .base import BoundSurrogate as BoundSurrogate
from .base import Surrogate as Surrogate
from .convex_push import HingePush as HingePush
from .convex_push import LogisticPush as LogisticPush
from .exp_push import ExpPushExp as ExpPushExp
from .pap_at_k import PApKAvg as PApKAvg
from .pap_at_k import PApKMax as PApKMax
from .pap_at_k import PApKRamp as PApKRamp
from .pap_at_k import PApKTS as PApKTS
from .pap_at_k import PApKTSConvex as PApKTSConvex
from .pauc import AUCStruct as AUCStruct
from .pauc import PAUCStruct as PAUCStruct
from .pnorm_push import PNormPushExp as PNormPushExp
from .pointwise import HingeLoss as HingeLoss
from .pointwise import LogisticLoss as LogisticLoss
from .prec_at_k import PrecAtKAvg as PrecAtKAvg
from .prec_at_k import PrecAtKMax as PrecAtKMax
from .prec_at_k import PrecAtKRamp as PrecAtKRamp
from .prec_at_k import PrecAtKStruct as PrecAtKStruct
from .soft_prec_at_k import SoftPrecAtK as SoftPrecAtK
from .top_push import InfinitePushHinge as InfinitePushHinge
from .top_push import TopPushLoss as TopPushLoss

__all__: list[str]

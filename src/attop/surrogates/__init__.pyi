from .accuracy_at_top import AccuracyAtTop as AccuracyAtTop
from .base import BoundSurrogate as BoundSurrogate
from .base import Surrogate as Surrogate
from .pap_at_k import AUCStruct as AUCStruct
from .pap_at_k import PApKAvg as PApKAvg
from .pap_at_k import PApKMax as PApKMax
from .pap_at_k import PApKRamp as PApKRamp
from .pap_at_k import PApKTS as PApKTS
from .pap_at_k import PApKTSConvex as PApKTSConvex
from .pap_at_k import PAUCStruct as PAUCStruct
from .pnorm_push import PNormPushExp as PNormPushExp
from .pointwise import HingeLoss as HingeLoss
from .pointwise import LogisticLoss as LogisticLoss
from .prec_at_k import PrecAtKAvg as PrecAtKAvg
from .prec_at_k import PrecAtKMax as PrecAtKMax
from .prec_at_k import PrecAtKRamp as PrecAtKRamp
from .prec_at_k import PrecAtKStruct as PrecAtKStruct
from .prec_at_k import SoftPrecAtK as SoftPrecAtK
from .push import ExpPushExp as ExpPushExp
from .push import HingePush as HingePush
from .push import LogisticPush as LogisticPush
from .threshold import InfinitePushHinge as InfinitePushHinge
from .threshold import PatMat as PatMat
from .threshold import PatMatNP as PatMatNP
from .threshold import TopPushK as TopPushK
from .threshold import TopPushLoss as TopPushLoss

__all__: list[str]

from ._gd_papk import GDPApK as GDPApK
from ._pat_mat import PatMat as PatMat
from ._structural import ROCSVM as ROCSVM
from ._structural import SVMPAUC as SVMPAUC
from ._structural import InfinitePush as InfinitePush
from ._structural import SVMPerf as SVMPerf
from .aatp._aatp import AATP as AATP
from .minibatch._rankers import OnePMB as OnePMB
from .minibatch._rankers import PerceptronAtK as PerceptronAtK
from .minibatch._rankers import SGDAtK as SGDAtK
from .push._pnorm_push import PNormPush as PNormPush
from .top_push._top_push import TopPush as TopPush

__all__: list[str]

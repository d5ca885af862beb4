from attop._core._sklearn import safe_indexing as safe_indexing
from attop._core.compiled import HELPER as HELPER
from attop._core.compiled import blas as blas
from attop._core.dotted import module_at as module_at
from attop._core.dotted import object_at as object_at
from attop._core.parameters import check_share as check_share
from attop._core.progress import show_progress as show_progress
from attop._core.sample import RankingSample as RankingSample
from attop._core.sample import as_floats as as_floats
from attop._core.sample import check_groups as check_groups
from attop._core.sample import check_labels as check_labels
from attop._core.seeds import derive_seed as derive_seed
from attop._core.top import Top as Top
from attop._core.top import main_top as main_top
from attop._core.top import sort_tops as sort_tops
from attop._core.typing import Features as Features
from attop._core.typing import Floats as Floats
from attop._core.typing import Ints as Ints
from attop._core.typing import TopLike as TopLike
from attop._core.wording import abridge as abridge
from attop._core.wording import capitalise as capitalise
from attop._core.wording import columns as columns
from attop._core.wording import count_noun as count_noun
from attop._core.wording import decimals_for as decimals_for
from attop._core.wording import did_you_mean as did_you_mean
from attop._core.wording import format_cell as format_cell
from attop._core.wording import format_duration as format_duration
from attop._core.wording import format_fixed as format_fixed
from attop._core.wording import format_hits as format_hits
from attop._core.wording import format_p as format_p
from attop._core.wording import format_small as format_small
from attop._core.wording import format_sum as format_sum
from attop._core.wording import join_first as join_first
from attop._core.wording import join_words as join_words
from attop._core.wording import nearest as nearest
from attop._core.wording import pitfall as pitfall
from attop.from_papers.aatp._search import Search as Search
from attop.from_papers.aatp._threshold_svm import ThresholdSVM as ThresholdSVM
from attop.from_papers.minibatch._batches import Batch as Batch
from attop.from_papers.minibatch._batches import Batches as Batches
from attop.from_papers.minibatch._batches import StreamedBatches as StreamedBatches
from attop.from_papers.minibatch._batches import batches_of as batches_of
from attop.from_papers.minibatch._perceptron import MistakeDriven as MistakeDriven
from attop.from_papers.minibatch._sgd_at_k import AveragedDescent as AveragedDescent
from attop.from_papers.minibatch._sgd_at_k import descend as descend
from attop.from_papers.push._coordinate_descent import (
    coordinate_descent as coordinate_descent,
)
from attop.from_papers.push._threshold_rankers import (
    ThresholdRankers as ThresholdRankers,
)
from attop.from_papers.top_push._dual_descent import dual_descent as dual_descent
from attop.headroom._headroom import NOTHING as NOTHING
from attop.headroom._headroom import RICHER as RICHER
from attop.headroom._headroom import TRAINING as TRAINING
from attop.learners._base import Training as Training
from attop.learners._base import all_alike as all_alike
from attop.learners._base import ranker as ranker
from attop.learners._validation import repeatable as repeatable
from attop.learners.factor_ranker._factor_descent import Lists as Lists
from attop.learners.factor_ranker._factor_descent import (
    SurrogateLists as SurrogateLists,
)
from attop.learners.factor_ranker._factor_descent import (
    room_for_scores as room_for_scores,
)
from attop.learners.soft_top._lbfgs_many import lbfgs_many as lbfgs_many
from attop.learners.top_stack._members import booster as booster
from attop.solvers._base import Deadline as Deadline
from attop.solvers._base import Status as Status
from attop.surrogates._accuracy_at_top import item_weights as item_weights
from attop.surrogates._base import eligible as eligible
from attop.surrogates._grouped import Amounts as Amounts
from attop.surrogates._grouped import GroupedSurrogate as GroupedSurrogate
from attop.surrogates._grouped import TopSurrogate as TopSurrogate
from attop.surrogates._grouped import against_negatives as against_negatives
from attop.surrogates._kernels.groups import over_groups as over_groups
from attop.surrogates._kernels.k_largest import kth_largest as kth_largest
from attop.surrogates._registry import SURROGATES as SURROGATES
from attop.surrogates._registry import get_surrogate as get_surrogate

__all__: list[str]

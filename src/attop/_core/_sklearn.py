"""Private names of scikit-learn that attop needs, in one place; a new version may move them."""

# Rows of whatever a pipeline takes: arrays, sparse matrices, frames, lists.
from sklearn.utils import _safe_indexing as safe_indexing

# Parameters of estimators in a list of pairs, as Pipeline and StackingClassifier have them.
from sklearn.utils.metaestimators import _BaseComposition as BaseComposition

# Weights as every estimator of scikit-learn's reads and refuses them.
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

# The number of rows, as `safe_indexing` counts them.
from sklearn.utils.validation import _num_samples as num_samples

__all__ = ["BaseComposition", "check_sample_weight", "num_samples", "safe_indexing"]

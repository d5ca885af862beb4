"""Products with rows of a matrix that lie anywhere in it, without copying them."""

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["add_rows", "score_rows"]

#: Rows between the one prefetched and the one read, to hide the latency of memory.
AHEAD = 8


@intrinsic
def _prefetch(typing_context, X, i, j):
    """Prefetch the cache line of ``X[i, j]``.

    Without it a fit of SGDAtK takes 4 to 6% longer and one of PerceptronAtK 5 to 9%, measured on samples of
    200,000 items with 44 features and 60,000 with 100; with 28 features or fewer it makes no difference.
    """

    def generate(context, builder, signature, arguments):
        kind = signature.args[0]
        array = context.make_array(kind)(context, builder, arguments[0])
        item = cgutils.get_item_pointer(context, builder, kind, array, arguments[1:], wraparound=False)
        pointer, flag = ir.PointerType(ir.IntType(8)), ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer], fnty=shape)
        read, keep, data = flag(0), flag(3), flag(1)
        builder.call(prefetch, [builder.bitcast(item, pointer), read, keep, data])
        return context.get_dummy_value()

    return types.void(X, i, j), generate


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def score_rows(X, rows, w, scores):
    """Write ``X[rows] @ w`` to `scores`."""
    n, d = len(rows), len(w)
    for i in range(n):
        if i + AHEAD < n:
            for j in range(0, d, 8):  # a cache line of float64
                _prefetch(X, rows[i + AHEAD], j)
        x, s = X[rows[i]], 0.0
        for j in range(d):
            s += x[j] * w[j]
        scores[i] = s


@njit(cache=True, nogil=True)
def add_rows(X, rows, coef, total):
    """Add ``X[rows].T @ coef`` to `total`; rows with coefficient 0 are not read."""
    for i in range(len(rows)):
        c = coef[i]
        if c != 0.0:
            x = X[rows[i]]
            for j in range(len(total)):
                total[j] += c * x[j]

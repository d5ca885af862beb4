"""Losses of one group about a threshold that is a function of the scores; see `groups.over_groups`."""

import numpy as np
from numba import njit

from attop.surrogates._kernels.groups import over_groups, total_of, weight_of
from attop.surrogates._kernels.k_largest import largest, ranked, within

# Newton's method takes about 6 steps; rounding must not make it go on for ever.
MOST_STEPS = 200


def _hinge(row, n_pos, w, k, constant, values, positions):
    return _against_highest(row, n_pos, square=False)


def _squared_hinge(row, n_pos, w, k, constant, values, positions):
    return _against_highest(row, n_pos, square=True)


@njit(inline="always")
def _against_highest(row, n_pos, square):
    where = n_pos
    for j in range(n_pos, len(row)):
        if row[j] > row[where]:
            where = j
    highest = row[where]
    row[n_pos:] = 0.0
    value = 0.0
    for i in range(n_pos):
        u = max(0.0, 1.0 + (highest - row[i]))
        if square:
            value += u * u
            slope = 2.0 * u
        else:
            value += u
            slope = 1.0 if u > 0.0 else 0.0
        row[i] = -slope / n_pos
        row[where] += slope / n_pos
    return value / n_pos


def _weighted_hinge(row, n_pos, w, k, constant, values, positions):
    return _against_highest_by_weight(row, n_pos, w, square=False)


def _weighted_squared_hinge(row, n_pos, w, k, constant, values, positions):
    return _against_highest_by_weight(row, n_pos, w, square=True)


@njit(inline="always")
def _against_highest_by_weight(row, n_pos, w, square):
    where = -1
    for j in range(n_pos, len(row)):
        if w[j] > 0.0 and (where < 0 or row[j] > row[where]):
            where = j
    highest = row[where]
    row[n_pos:] = 0.0
    value = 0.0
    total = total_of(w[:n_pos])
    for i in range(n_pos):
        share = w[i] / total
        u = max(0.0, 1.0 + (highest - row[i]))
        if square:
            value += share * u * u
            slope = 2.0 * u
        else:
            value += share * u
            slope = 1.0 if u > 0.0 else 0.0
        row[i] = -share * slope
        row[where] += share * slope
    return value


def _top_push_k(row, n_pos, w, k, constant, values, positions):
    share = values[1]
    where = positions[0]
    share[: len(row)] = 0.0
    largest(row[n_pos:], k, -np.inf, values[0], where)
    for i in range(k):
        share[n_pos + where[i]] = 1.0 / k
    return _about_mean(row, n_pos, w, share)


def _weighted_top_push_k(row, n_pos, w, k, constant, values, positions):
    share = values[1]
    share[: len(row)] = 0.0
    _, by_rank, where = ranked(row[n_pos:], w[n_pos:])
    part = within(by_rank, 0.0, k)
    for i in range(len(part)):
        share[n_pos + where[i]] = part[i] / k
    return _about_mean(row, n_pos, w, share)


@njit(inline="always")
def _about_mean(row, n_pos, w, share):
    t = 0.0
    for j in range(n_pos, len(row)):
        t += share[j] * row[j]
    return _about(row, n_pos, w, t, share)


def _pat_mat(row, n_pos, w, k, beta, values, positions):
    return _about(
        row, n_pos, w, _solution(row, 0, w, k, beta, values[0]), values[0]
    )


def _pat_mat_np(row, n_pos, w, k, beta, values, positions):
    share = values[0]
    share[:n_pos] = 0.0
    return _about(row, n_pos, w, _solution(row, n_pos, w, k, beta, share), share)


@njit(inline="always")
def _solution(x, low, w, k, beta, share):
    """Solve sum_i w_i (1 + beta (x_i - t))_+^2 = k over i >= low for t; `share` receives the gradient of t.

    Relative to the highest entry, in units of 1/beta, t is u. The square root of the left side is a norm
    of a convex function of u, hence convex and falling: Newton's method on it, from a point on the left,
    where the highest entry alone makes up k, never passes the solution.
    """
    top = -1
    for i in range(low, len(x)):
        if weight_of(w, i) > 0.0 and (top < 0 or x[i] > x[top]):
            top = i
    origin = x[top]
    target = np.sqrt(k)
    u = 1.0 - np.sqrt(k / weight_of(w, top))
    inner = 0.0
    for _ in range(MOST_STEPS):
        inner = 0.0
        square = 0.0
        for i in range(low, len(x)):
            share[i] = 0.0
            weight = weight_of(w, i)
            if weight > 0.0:
                h = max(0.0, 1.0 + beta * (x[i] - origin) - u)
                share[i] = weight * h
                inner += share[i]
                square += share[i] * h
        norm = np.sqrt(square)
        new = u + (norm - target) * (norm / inner)
        if not new > u:
            break
        u = new
    for i in range(low, len(x)):
        share[i] /= inner
    return origin + u / beta


@njit(inline="always")
def _about(row, n_pos, w, t, share):
    """Squared hinges of the positives about the threshold t of one group and model.

    Overwrites `row`, its scores, with the gradient; `share` is that of t.
    """
    value, rise, total = 0.0, 0.0, 0.0  # rise: derivative by t
    for i in range(n_pos):
        total += weight_of(w, i)
    for i in range(n_pos):
        u = max(0.0, 1.0 + (t - row[i]))
        value += weight_of(w, i) / total * u * u
        row[i] = -2.0 * weight_of(w, i) / total * u
        rise -= row[i]
    row[n_pos:] = 0.0
    for i in range(len(row)):
        if share[i] > 0.0:
            row[i] += rise * share[i]
    return value


hinge, squared_hinge, weighted_hinge, weighted_squared_hinge = map(
    over_groups, (_hinge, _squared_hinge, _weighted_hinge, _weighted_squared_hinge)
)
top_push_k, weighted_top_push_k = map(
    over_groups, (_top_push_k, _weighted_top_push_k)
)
pat_mat, pat_mat_np = map(over_groups, (_pat_mat, _pat_mat_np))
# Functions that weigh the items if there are weights.
weighted_pat_mat, weighted_pat_mat_np = pat_mat, pat_mat_np

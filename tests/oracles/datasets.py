"""Plain-loop definitions of what the data sets are prepared and split by."""

import numpy as np


def masked_nmf_step(V, observed, W, H):
    """One round of multiplicative updates, entry by entry: W first, then H with the new W."""
    m, n = V.shape
    rank = W.shape[1]
    new_w = W.copy()
    for i in range(m):
        for c in range(rank):
            numerator = sum(V[i, j] * H[j, c] for j in range(n) if observed[i, j])
            denominator = sum((W[i] @ H[j]) * H[j, c] for j in range(n) if observed[i, j])
            if denominator > 0:
                new_w[i, c] = W[i, c] * numerator / denominator
    new_h = H.copy()
    for j in range(n):
        for c in range(rank):
            numerator = sum(V[i, j] * new_w[i, c] for i in range(m) if observed[i, j])
            denominator = sum((new_w[i] @ H[j]) * new_w[i, c] for i in range(m) if observed[i, j])
            if denominator > 0:
                new_h[j, c] = H[j, c] * numerator / denominator
    return new_w, new_h


def squared_error(V, observed, W, H):
    """Half the squared error over the observed entries."""
    m, n = V.shape
    return sum(0.5 * (V[i, j] - W[i] @ H[j]) ** 2 for i in range(m) for j in range(n) if observed[i, j])


def movielens_rows(user, item, rating, time, n_first, positive, min_rows):
    """Rows and labels as the preparation is described: sort by time, cut, filter items, filter users."""
    order = sorted(range(len(user)), key=lambda r: time[r])  # stable
    seen = dict.fromkeys(user, 0)
    first, rest = set(), []
    for r in order:
        if seen[user[r]] < n_first:
            first.add(r)
        else:
            rest.append(r)
        seen[user[r]] += 1
    known = {item[r] for r in first}
    rest = [r for r in rest if item[r] in known]
    left = {u: sum(user[r] == u for r in rest) for u in set(user)}
    rows = sorted(r for r in rest if left[user[r]] >= min_rows)
    return first, rows, [int(rating[r] == positive) for r in rows]


def interaction(user, item):
    """Rows of <user, item, product>."""
    return np.array(
        [[*u, *v, *(a * b for a, b in zip(u, v, strict=True))] for u, v in zip(user, item, strict=True)]
    )


def check_fold(fold, n):
    """Assert what every fold promises: nothing of the test part anywhere else, pairs that fit `refit`."""
    train, test = set(fold.train.tolist()), set(fold.test.tolist())
    assert train
    assert test
    assert not train & test
    assert train | test <= set(range(n))
    for rows in (fold.train, fold.test, *(part for pair in fold.inner for part in pair)):
        assert rows.dtype == np.int64
        assert (np.diff(rows) > 0).all()
    for fit, validation in fold.inner:
        assert not set(fit.tolist()) & set(validation.tolist())
        if fold.refit:
            assert set(fit.tolist()) | set(validation.tolist()) == train
        else:
            assert set(fit.tolist()) == train
            assert not set(validation.tolist()) & (train | test)
    if fold.refit:
        validated = np.sort(np.concatenate([validation for _, validation in fold.inner]))
        np.testing.assert_array_equal(validated, fold.train)
    else:
        assert len(fold.inner) == 1


def prequential_window(y, day, entity, end, train, delay, test):
    """Rows of one window row by row: those that train, and those before the day `end` that test."""
    begin = end - test - delay - train
    fit = [i for i in range(len(y)) if begin <= day[i] < begin + train]
    held = []
    for i in range(len(y)):
        if not end - test <= day[i] < end:
            continue
        known = {entity[j] for j in range(len(y)) if y[j] == 1 and begin <= day[j] <= day[i] - delay - 1}
        if entity[i] not in known:
            held.append(i)
    return fit, held

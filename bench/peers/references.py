"""The result of each op of cases.py, in double, at sampled indices only: f(get, at, extents) returns the result's
elements at flat indices `at`, where `get(k, indices)` returns elements of operand k by flat index.
"""
from concurrent.futures import ThreadPoolExecutor
import math
import os

import numpy as np

erf = np.vectorize(math.erf, otypes=[float])


def elementwise(f, operands=1):
    return lambda get, at, extents: f(*(get(k, at) for k in range(operands)))


def black_scholes(price, strike, years):
    deviation = 0.3 * np.sqrt(years)
    d = (np.log(price / strike) + (0.02 + 0.5 * 0.3 * 0.3) * years) / deviation
    normal = lambda x: 0.5 * (1 + erf(x / math.sqrt(2)))
    return price * normal(d) - strike * np.exp(-0.02 * years) * normal(d - deviation)


def steps(n):
    """A recurrence of n steps, for any library's arrays."""
    def run(x):
        for _ in range(n):
            x = x * 0.875 + 0.125
        return x
    return run


def norm(axis):
    def run(get, at, extents):
        a, b, c = extents
        if axis == 0:
            where = at[:, None] + np.arange(a) * (b * c)
        elif axis == 1:
            where = (at // c * (b * c) + at % c)[:, None] + np.arange(b) * c
        else:
            where = at[:, None] * c + np.arange(c)
        return np.sqrt(np.sum(get(0, where) ** 2, axis=1))
    return run


def over_chunks(f, size, chunk=1 << 18):
    """f(first, last) of every chunk of [0, size), on all cores."""
    firsts = range(0, size, chunk)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda first: f(first, min(first + chunk, size)), firsts))


def dot(get, at, extents):
    def part(first, last):
        where = np.arange(first, last)
        return float(get(0, where) @ get(1, where))
    return np.full(at.shape, math.fsum(over_chunks(part, extents[0])))


def share_of_sum(get, at, extents):
    parts = over_chunks(lambda first, last: float(np.sum(get(0, np.arange(first, last)))), extents[0])
    return get(0, at) / math.fsum(parts)


def by_row(f):
    """f(row's elements, extents, get) returns a row of results; computes only the sampled rows."""
    def run(get, at, extents):
        n = extents[1]
        out = np.empty(len(at))
        for row in np.unique(at // n):
            here = at // n == row
            out[here] = f(get(0, row * n + np.arange(n)), get)[at[here] % n]
        return out
    return run


def running_down(get, at, extents):
    """The sums of a column's elements up to each sampled one."""
    n = extents[1]
    return np.array([np.sum(get(0, np.arange(i // n + 1) * n + i % n)) for i in at])


def of_row(f):
    """f(rows' elements) returns one result per row."""
    return lambda get, at, extents: f(get(0, at[:, None] * extents[1] + np.arange(extents[1])))


def softmax(x, get):
    e = np.exp(x - x.max())
    return e / e.sum()


def layernorm(x, get):
    every = np.arange(len(x))
    return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * get(1, every) + get(2, every)


def rmsnorm(x, get):
    return x / np.sqrt(np.mean(x * x) + 1e-5) * get(1, np.arange(len(x)))


def logsumexp(x):
    top = x.max(axis=1)
    return np.log(np.sum(np.exp(x - top[:, None]), axis=1)) + top


def column_moments(get, columns, extents):
    """Mean and variance of columns, in two passes."""
    rows, n = extents

    def fold(f):
        def part(first, last):
            return f(get(0, np.arange(first, last)[:, None] * n + columns)).sum(axis=0)
        return np.sum(over_chunks(part, rows, max(1, (1 << 18) // len(columns))), axis=0)

    mean = fold(lambda x: x) / rows
    return mean, fold(lambda x: (x - mean) ** 2) / rows


def standardise(get, at, extents):
    columns, place = np.unique(at % extents[1], return_inverse=True)
    mean, variance = column_moments(get, columns, extents)
    return (get(0, at) - mean[place]) / np.sqrt(variance[place])


def laplacian(get, at, extents):
    n, m = extents
    i, j = at // (m - 2) + 1, at % (m - 2) + 1
    u = lambda di, dj: get(0, (i + di) * m + j + dj)
    return u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0)


def add_transposed(get, at, extents):
    n, m = extents
    return get(0, at) + get(1, at % m * n + at // m)


def gaussian(get, at, extents):
    return np.exp(-((get(0, at // extents[1]) - get(1, at % extents[1])) ** 2))


def pairwise(get, at, extents):
    n, m, k = extents
    every = np.arange(k)
    return np.sum((get(0, (at // m)[:, None] * k + every) - get(1, (at % m)[:, None] * k + every)) ** 2, axis=1)


def kmeans(get, at, extents):
    n, m, k = extents
    points, centres = get(0, at[:, None] * k + np.arange(k)), get(1, np.arange(m * k)).reshape(m, k)
    return np.argmin(np.sum((points[:, None] - centres[None]) ** 2, axis=2), axis=1)


def matmul(get, at, extents):
    m, k, n = extents
    every = np.arange(k)
    return np.array([np.dot(get(0, i // n * k + every), get(1, every * n + i % n)) for i in at])


def gelu_bias(get, at, extents):
    v = get(0, at) + get(1, at % extents[1])
    return 0.5 * v * (1 + erf(v / math.sqrt(2)))


def mlp_step(get, at, extents):
    """A tenth of the gradient of the hidden layer's weights: Adam's mean of it after the first step."""
    inputs, hidden, classes, batch = extents
    matrix = lambda k, rows, columns: get(k, np.arange(rows * columns)).reshape(rows, columns)
    images, w1, w2 = matrix(0, batch, inputs), matrix(1, inputs + 1, hidden), matrix(2, hidden + 1, classes)
    h = images @ w1[:-1] + w1[-1]
    z = np.maximum(h, 0) @ w2[:-1] + w2[-1]
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(batch), np.arange(batch) * 7 % classes] -= 1
    dh = p / batch @ w2[:-1].T * (h > 0)
    return 0.1 * np.vstack([images.T @ dh, dh.sum(axis=0)]).reshape(-1)[at]

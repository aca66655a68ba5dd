"""The table of cases: what each computes, on which operands, what it must move, and the reference in double.

An op is a computation; a case is an op on given extents. The reference is computed at sampled places only, from the
operands' elements there: `get(k, indices)` gives elements of operand k by their flat indices, as double.
"""
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
import math
import os

import numpy as np

import data

BYTES = {"float16": 2, "float32": 4, "float64": 8, "int64": 8}
ROTATED_BYTES = 512 << 20  # what the sets of operands and results hold together, far above a last-level cache
MOST_SETS = 64

erf = np.vectorize(math.erf, otypes=[float])


# --- references: f(get, at, extents) -> the result's elements at flat indices `at`, in double -------------------------

def elementwise(f, operands=1):
    return lambda get, at, extents: f(*(get(k, at) for k in range(operands)))


def black_scholes(price, strike, years):
    deviation = 0.3 * np.sqrt(years)
    d = (np.log(price / strike) + (0.02 + 0.5 * 0.3 * 0.3) * years) / deviation
    normal = lambda x: 0.5 * (1 + erf(x / math.sqrt(2)))
    return price * normal(d) - strike * np.exp(-0.02 * years) * normal(d - deviation)


def steps(n):
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
    """f(first, last) of every chunk of [0, size), by all cores."""
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
    """f(row's elements, extents, get) gives a row of results; only the sampled rows are made."""
    def run(get, at, extents):
        n = extents[1]
        out = np.empty(len(at))
        for row in np.unique(at // n):
            here = at // n == row
            out[here] = f(get(0, row * n + np.arange(n)), get)[at[here] % n]
        return out
    return run


def running_down(get, at, extents):
    """The sums of a column's elements down to each sampled one."""
    n = extents[1]
    return np.array([np.sum(get(0, np.arange(i // n + 1) * n + i % n)) for i in at])


def of_row(f):
    """f(rows' elements) gives one result a row."""
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


def gelu_bias(get, at, extents):
    v = get(0, at) + get(1, at % extents[1])
    return 0.5 * v * (1 + erf(v / math.sqrt(2)))


# --- ops --------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Op:
    formula: str
    operands: callable           # extents -> the operands' shapes
    result: callable             # extents -> the result's shape
    reference: callable
    operations: callable = None  # extents -> arithmetic operations, where these rather than bytes bound the time
    tolerance: float = 1e-5      # of the largest |reference|: NaN and what was not written never pass
    result_dtype: str = None     # the operands' by default


def same(count=1):
    return lambda extents: [extents] * count


def whole(extents):
    return extents


def rows_of(extents):
    return extents[:1]


def without(axis):
    return lambda extents: extents[:axis] + extents[axis + 1:]


def points(extents):
    return [(extents[0], extents[2]), (extents[1], extents[2])]


def pairs(extents):
    return 3 * extents[0] * extents[1] * extents[2]


OPS = {
    "exp": Op("exp(x)", same(), whole, elementwise(np.exp)),
    "exp_shifted": Op("exp(x[1:])", lambda e: [(e[0] + 1,)], whole, lambda get, at, e: np.exp(get(0, at + 1))),
    "chain": Op("tanh(a*x + b) * exp(-c*x*x) + d", same(), whole,
                elementwise(lambda x: np.tanh(0.75 * x + 0.25) * np.exp(-0.5 * x * x) + 0.125)),
    "linear": Op("a*x + b*y + c*w", same(3), whole,
                 elementwise(lambda x, y, w: 1.5 * x + 2.5 * y + 3.5 * w, 3)),
    "multiply_add": Op("x*y + 1", same(2), whole, elementwise(lambda x, y: x * y + 1, 2)),
    "black_scholes": Op("Black-Scholes call", same(3), whole, elementwise(black_scholes, 3)),
    "norm_axis0": Op("sqrt(sum(x*x, axis=0))", same(), without(0), norm(0)),
    "norm_axis1": Op("sqrt(sum(x*x, axis=1))", same(), without(1), norm(1)),
    "norm_axis2": Op("sqrt(sum(x*x, axis=2))", same(), without(2), norm(2)),
    "dot": Op("sum(x*y)", same(2), lambda extents: (), dot),
    "share_of_sum": Op("x / sum(x)", same(), whole, share_of_sum),
    "softmax": Op("softmax of rows", same(), whole, by_row(softmax)),
    "layernorm": Op("layernorm", lambda e: [e, e[1:], e[1:]], whole, by_row(layernorm)),
    "rmsnorm": Op("rmsnorm", lambda e: [e, e[1:]], whole, by_row(rmsnorm)),
    "logsumexp": Op("logsumexp of rows", same(), rows_of, of_row(logsumexp)),
    "argmax": Op("argmax of rows", same(), rows_of, of_row(lambda x: np.argmax(x, axis=1)), tolerance=0,
                 result_dtype="int64"),
    "cumsum_axis0": Op("cumsum(x, axis=0)", same(), whole, running_down),
    "cumsum_axis1": Op("cumsum(x, axis=1)", same(), whole, by_row(lambda row, get: np.cumsum(row))),
    "var_axis0": Op("var(x, axis=0)", same(), without(0), lambda get, at, e: column_moments(get, at, e)[1]),
    "standardise_axis0": Op("(x - mean) / stddev, axis 0", same(), whole, standardise),
    "pairwise": Op("pairwise squared distances", points, lambda e: e[:2], pairwise, pairs),
    "kmeans": Op("k-means assignment", points, rows_of, kmeans, pairs, tolerance=0, result_dtype="int64"),
    "gelu_bias": Op("gelu(x + b)", lambda e: [e, e[1:]], whole, gelu_bias, tolerance=4e-3),
    "laplacian": Op("5-point Laplacian", same(), lambda e: (e[0] - 2, e[1] - 2), laplacian),
    "add_transposed": Op("x + transpose(y)", lambda e: [e, e[::-1]], whole, add_transposed),
    "gaussian": Op("exp(-(x_i - y_j)^2)", lambda e: [e[:1], e[1:]], whole, gaussian),
    **{f"steps_{n}": Op(f"{2 * n} operations", same(), whole, elementwise(steps(n))) for n in (1, 2, 4, 8, 16, 32)},
}


# --- cases ------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Case:
    op: str
    extents: tuple
    dtype: str = "float32"
    low: float = -2.0
    high: float = 2.0

    @property
    def definition(self):
        return OPS[self.op]

    @property
    def key(self):
        """As programs name what they know."""
        return f"{self.op}.{self.dtype}"

    @property
    def spec(self):
        """As the C++ programs take it, and the name of the case in results: bench/measure/trial.hpp."""
        return f"{self.key}:{'x'.join(map(str, self.extents))}:{self.low:g}:{self.high:g}:{self.sets}"

    @property
    def title(self):
        extents = "x".join(map(str, self.extents))
        kind = {"float32": "", "float64": " f64", "float16": " f16"}[self.dtype]
        return f"{self.definition.formula}{kind}, {extents}"

    @property
    def operand_shapes(self):
        return [tuple(s) for s in self.definition.operands(self.extents)]

    @property
    def result_shape(self):
        return tuple(self.definition.result(self.extents))

    @property
    def result_dtype(self):
        return self.definition.result_dtype or self.dtype

    @property
    def bytes(self):
        """The least it must move: each operand read once, the result written once."""
        read = sum(math.prod(s) for s in self.operand_shapes) * BYTES[self.dtype]
        return read + self.bytes_written

    @property
    def bytes_written(self):
        return math.prod(self.result_shape) * BYTES[self.result_dtype]

    @property
    def tolerance(self):
        return self.definition.tolerance * (1e-7 if self.dtype == "float64" else 1)

    @property
    def operations(self):
        return self.definition.operations(self.extents) if self.definition.operations else 0

    @property
    def sets(self):
        return max(1, min(MOST_SETS, math.ceil(ROTATED_BYTES / self.bytes)))

    def operands(self):
        return [data.operand(k, s, self.dtype, self.low, self.high) for k, s in enumerate(self.operand_shapes)]

    def reference(self):
        """The result at data.sampled_indices, in double."""
        def get(k, indices):
            return data.rounded(data.values_at(k, indices, self.low, self.high), self.dtype).astype(np.float64)
        at, place = np.unique(data.sampled_indices(math.prod(self.result_shape)), return_inverse=True)
        return np.asarray(self.definition.reference(get, at, self.extents), np.float64)[place]


POSITIVE = {"low": 0.5, "high": 1.5}
M = 1 << 20

# The cases of the comparison.
TABLE = [
    Case("exp", (10_000_000,)),
    Case("exp", (256 * M,)),
    Case("chain", (128 * M,)),
    Case("linear", (128 * M,)),
    Case("norm_axis2", (1000, 100, 1000), "float64"),
    Case("norm_axis2", (1000, 100, 1000)),
    Case("norm_axis0", (1000, 100, 1000)),
    Case("norm_axis1", (1000, 100, 1000)),
    Case("dot", (256 * M,), **POSITIVE),
    Case("dot", (10_000,), **POSITIVE),
    Case("softmax", (8192, 4096)),
    Case("softmax", (M, 128)),
    Case("softmax", (64, 262144)),
    Case("layernorm", (16384, 4096)),
    Case("rmsnorm", (16384, 4096)),
    Case("var_axis0", (131072, 512)),
    Case("standardise_axis0", (131072, 512)),
    Case("black_scholes", (64 * M,), **POSITIVE),
    Case("argmax", (16384, 4096)),
    Case("cumsum_axis1", (16384, 4096)),
    Case("cumsum_axis1", (1, 64 * M)),
    Case("cumsum_axis0", (4096, 16384)),
    Case("cumsum_axis0", (1048576, 64)),
    Case("pairwise", (4096, 4096, 64)),
    Case("kmeans", (262144, 64, 32)),
    Case("gelu_bias", (8192, 8192), "float16"),
    Case("laplacian", (8192, 8192)),
    Case("add_transposed", (8192, 8192)),
    Case("gaussian", (16384, 16384)),
    Case("logsumexp", (16384, 4096)),
    Case("multiply_add", (1000,)),
]

# Time against size, and against the number of operations that fuse: for plots.
SIZES = [Case("exp", (1 << k,)) for k in (10, 14, 18, 20, 22, 24, 26, 28)]
STEPS = [Case(f"steps_{n}", (64 * M,)) for n in (1, 2, 4, 8, 16, 32)]

# Further cases, run when they are asked for.
EXTRA = [Case("share_of_sum", (16 * M,), **POSITIVE), Case("share_of_sum", (256 * M,), **POSITIVE)]

# The same on the processor, where arrays are smaller.
HOST = [
    Case("exp", (10_000_000,)),
    Case("chain", (10_000_000,)),
    Case("linear", (10_000_000,)),
    Case("norm_axis2", (100, 100, 1000), "float64"),
    Case("norm_axis2", (100, 100, 1000)),
    Case("norm_axis0", (100, 100, 1000)),
    Case("norm_axis1", (100, 100, 1000)),
    Case("dot", (10_000_000,), **POSITIVE),
    Case("softmax", (2048, 4096)),
    Case("layernorm", (2048, 4096)),
    Case("logsumexp", (2048, 4096)),
    Case("var_axis0", (16384, 512)),
    Case("black_scholes", (4 * M,), **POSITIVE),
    Case("laplacian", (2048, 2048)),
    Case("add_transposed", (2048, 2048)),
    Case("pairwise", (512, 512, 64)),
    Case("multiply_add", (1000,), **POSITIVE),
]

HOST_FLOATS = 32 * M  # of each array that the host's bandwidth is measured with

GROUPS = {"table": TABLE, "sizes": SIZES, "steps": STEPS, "extra": EXTRA, "host": HOST}

# What the hand-written kernels measure of the machine.
COPY_FLOATS = 256 * M
CEILINGS = {
    "copy": (f"ceiling_copy.float32:{COPY_FLOATS}:0:1:1", 8 * COPY_FLOATS),
    "read": (f"ceiling_read.float32:{COPY_FLOATS}:0:1:1", 4 * COPY_FLOATS),
    "fill": (f"ceiling_fill.float32:{COPY_FLOATS}:0:1:1", 4 * COPY_FLOATS),
    "arithmetic": (f"ceiling_arithmetic.float32:{8 * M}:0:1:1", 8192 * 8 * M),
}

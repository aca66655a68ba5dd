"""The table of cases: each one's computation, operands, minimum traffic, and reference in double.

An op is a computation; a case is an op on given extents.
"""
from dataclasses import dataclass
import math

import numpy as np

import data
import references as ref

BYTES = {"float16": 2, "float32": 4, "float64": 8, "int64": 8}
ROTATED_BYTES = 512 << 20  # total size of the sets of operands and results, far above a last-level cache
MOST_SETS = 64


# --- ops --------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Op:
    formula: str
    operands: callable           # extents -> the operands' shapes
    result: callable             # extents -> the result's shape
    reference: callable
    operations: callable = None  # extents -> arithmetic operations, if they bound the time instead of bytes
    tolerance: float = 1e-5      # relative to the largest |reference|; NaN and unwritten elements always fail
    result_dtype: str = None     # by default that of the operands
    one_set: bool = False        # it continues from its last call's state, so its operands do not rotate


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
    "exp": Op("exp(x)", same(), whole, ref.elementwise(np.exp)),
    "exp_shifted": Op("exp(x[1:])", lambda e: [(e[0] + 1,)], whole, lambda get, at, e: np.exp(get(0, at + 1))),
    "chain": Op("tanh(a*x + b) * exp(-c*x*x) + d", same(), whole,
                ref.elementwise(lambda x: np.tanh(0.75 * x + 0.25) * np.exp(-0.5 * x * x) + 0.125)),
    "linear": Op("a*x + b*y + c*w", same(3), whole,
                 ref.elementwise(lambda x, y, w: 1.5 * x + 2.5 * y + 3.5 * w, 3)),
    "multiply_add": Op("x*y + 1", same(2), whole, ref.elementwise(lambda x, y: x * y + 1, 2)),
    "black_scholes": Op("Black-Scholes call", same(3), whole, ref.elementwise(ref.black_scholes, 3)),
    "norm_axis0": Op("sqrt(sum(x*x, axis=0))", same(), without(0), ref.norm(0)),
    "norm_axis1": Op("sqrt(sum(x*x, axis=1))", same(), without(1), ref.norm(1)),
    "norm_axis2": Op("sqrt(sum(x*x, axis=2))", same(), without(2), ref.norm(2)),
    "dot": Op("sum(x*y)", same(2), lambda extents: (), ref.dot),
    "share_of_sum": Op("x / sum(x)", same(), whole, ref.share_of_sum),
    "softmax": Op("softmax of rows", same(), whole, ref.by_row(ref.softmax)),
    "layernorm": Op("layernorm", lambda e: [e, e[1:], e[1:]], whole, ref.by_row(ref.layernorm)),
    "rmsnorm": Op("rmsnorm", lambda e: [e, e[1:]], whole, ref.by_row(ref.rmsnorm)),
    "logsumexp": Op("logsumexp of rows", same(), rows_of, ref.of_row(ref.logsumexp)),
    "argmax": Op("argmax of rows", same(), rows_of, ref.of_row(lambda x: np.argmax(x, axis=1)), tolerance=0,
                 result_dtype="int64"),
    "cumsum_axis0": Op("cumsum(x, axis=0)", same(), whole, ref.running_down),
    "cumsum_axis1": Op("cumsum(x, axis=1)", same(), whole, ref.by_row(lambda row, get: np.cumsum(row))),
    "var_axis0": Op("var(x, axis=0)", same(), without(0), lambda get, at, e: ref.column_moments(get, at, e)[1]),
    "standardise_axis0": Op("(x - mean) / stddev, axis 0", same(), whole, ref.standardise),
    "pairwise": Op("pairwise squared distances", points, lambda e: e[:2], ref.pairwise, pairs),
    "kmeans": Op("k-means assignment", points, rows_of, ref.kmeans, pairs, tolerance=0, result_dtype="int64"),
    "matmul": Op("matmul", lambda e: [e[:2], e[1:]], lambda e: (e[0], e[2]), ref.matmul, lambda e: 2 * math.prod(e)),
    "mlp_step": Op("training step", lambda e: [(e[3], e[0]), (e[0] + 1, e[1]), (e[1] + 1, e[2])],
                   lambda e: (e[0] + 1, e[1]), ref.mlp_step, tolerance=1e-4, one_set=True),
    "gelu_bias": Op("gelu(x + b)", lambda e: [e, e[1:]], whole, ref.gelu_bias, tolerance=4e-3),
    "laplacian": Op("5-point Laplacian", same(), lambda e: (e[0] - 2, e[1] - 2), ref.laplacian),
    "add_transposed": Op("x + transpose(y)", lambda e: [e, e[::-1]], whole, ref.add_transposed),
    "gaussian": Op("exp(-(x_i - y_j)^2)", lambda e: [e[:1], e[1:]], whole, ref.gaussian),
    **{f"steps_{n}": Op(f"{2 * n} operations", same(), whole, ref.elementwise(ref.steps(n)))
       for n in (1, 2, 4, 8, 16, 32)},
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
        """The key by which programs know the op."""
        return f"{self.op}.{self.dtype}"

    @property
    def spec(self):
        """The argument for the C++ programs and the case's name in results: bench/measure/trial.hpp."""
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
        """Minimum traffic: each operand read once, the result written once."""
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
        if self.definition.one_set:
            return 1
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

# Further cases, run on request.
EXTRA = [Case("share_of_sum", (16 * M,), **POSITIVE), Case("share_of_sum", (256 * M,), **POSITIVE),
         Case("matmul", (10_000,) * 3)]

# Products of small matrices, on both kinds of device: the host time per call also counts.
PRODUCTS = [Case("matmul", (n,) * 3) for n in (50, 100, 150, 200, 1000)]

# Linear, relu, linear, softmax cross-entropy and Adam: inputs, hidden units, classes, images of a batch.
TRAINING = [Case("mlp_step", e, low=-0.125, high=0.125)
            for e in ((20, 64, 10, 32), (784, 128, 10, 32), (20, 64, 10, 1024), (784, 128, 10, 1024))]

# The same cases on the processor, with smaller arrays.
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

HOST_FLOATS = 32 * M  # per array, to measure the host's bandwidth

GROUPS = {"table": TABLE, "sizes": SIZES, "steps": STEPS, "extra": EXTRA, "products": PRODUCTS, "training": TRAINING,
          "host": HOST}

# The machine's ceilings, which the hand-written kernels measure.
COPY_FLOATS = 256 * M
CEILINGS = {
    "copy": (f"ceiling_copy.float32:{COPY_FLOATS}:0:1:1", 8 * COPY_FLOATS),
    "read": (f"ceiling_read.float32:{COPY_FLOATS}:0:1:1", 4 * COPY_FLOATS),
    "fill": (f"ceiling_fill.float32:{COPY_FLOATS}:0:1:1", 4 * COPY_FLOATS),
    "arithmetic": (f"ceiling_arithmetic.float32:{8 * M}:0:1:1", 8192 * 8 * M),
}

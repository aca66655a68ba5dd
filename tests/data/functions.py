"""What the rows of the op table that are no reductions give, row by row and dtype by dtype, for make.py.

Exact rows come from NumPy, which decides their special cases, too; rows that round come from mpmath with 50 digits, as
the nearest double and what it lacks. Where NumPy gives NaN, an infinity or a zero, that is the result.
"""
import itertools
import math
import pathlib
import re

import mpmath
import numpy as np
import scipy.special as sc
from mpmath import mpf

mpmath.mp.dps = 50
ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPLEX = ["complex64", "complex128"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]


def rows():
    """(name, operands, rule) of each row that is no reduction, in the table's order."""
    counts = {"UNARY": 1, "PREFIX": 1, "BINARY": 2, "INFIX": 2, "TERNARY": 3, "CHOICE": 3}
    for line in (ROOT / "include/sinter/op/table.def").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"SINTER_ROW_([A-Z]+)\s*\((\w+),\s*(.*)", line):
            if match[1] in counts:
                rule = match[3].split(",")[1 if match[1] in ("PREFIX", "INFIX") else 0].strip()
                yield match[2], counts[match[1]], rule


def computes(rule, dtype):
    kinds = {"floating": FLOATS, "analytic": FLOATS, "complex_": [], "part": [], "to_bits": FLOATS,
             "of_bits": ["int32", "int64"], "logical": ["bool"], "integral": ["bool"] + INTEGERS,
             "integer": INTEGERS, "numeric": INTEGERS + FLOATS, "ring": INTEGERS + FLOATS}
    return dtype in kinds.get(rule, ["bool"] + INTEGERS + FLOATS)


def inputs(dtype):
    """Edge cases first, then values of every magnitude, for floats then all pairs of special ones: three operands."""
    random = np.random.default_rng(7)
    if dtype == "bool":
        return [np.array([bool(i >> k & 1) for i in range(8)]) for k in range(3)]
    if dtype in INTEGERS:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        edges = [0, 1, 2, 3, 5, 7, 8, 15, 31, 63, 64, 100, low, high, high // 2]
        edges += [-1, -2, -3, -8] if low < 0 else [high - 1, 4, 6, 9]
        return [np.array([*random.permutation(edges * 2), *random.integers(max(low, -12), 13, 64 - 2 * len(edges))],
                         dtype=dtype) for _ in range(3)]
    tiny, large = (1e-40, 1e30) if dtype == "float32" else (1e-310, 1e250)
    edges = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 1.5, 2.5, -2.5, tiny, -tiny, large,
             -large, 1e-7, 87.5, -87.5, 1e5, 3.0, -3.0, 10.0, 0.25]
    plain = [random.uniform(-1, 1, 32), random.uniform(-10, 10, 32), random.uniform(0, 2, 22),
             10.0 ** random.uniform(-6, 4, 16)]
    first = np.concatenate([edges, *plain])
    others = [np.concatenate([random.permutation(edges), *[random.permutation(p) for p in plain]]) for _ in range(2)]
    special = [np.nan, np.inf, -np.inf, 0.0, 1.0]
    pairs = np.array(list(itertools.product(special, special))).T
    pairs = [*pairs, pairs[1][::-1]]
    return [np.concatenate([values, p]).astype(dtype) for values, p in zip((first, *others), pairs)]


def erfcinv(q):
    guess = mpf(float(sc.erfcinv(float(q))))
    if 0.1 < q < 1.9:
        return mpmath.erfinv(1 - q)
    mirrored, guess = (2 - q, -guess) if q > 1 else (q, guess)
    root = mpmath.findroot(lambda y: mpmath.log(mpmath.erfc(y)) - mpmath.log(mirrored), guess)
    return -root if q > 1 else root


def erfcx(x):
    if x > 1e6:
        return (1 - 1 / (2 * x * x)) / (x * mpmath.sqrt(mpmath.pi))
    return mpmath.exp(x * x) * mpmath.erfc(x)


def gamma(x):
    """SciPy's has infinities at the negative whole numbers, C's has NaN."""
    poles = np.where(x == 0, np.copysign(np.inf, x), np.nan)
    return np.where((np.floor(x) == x) & (x <= 0), poles, sc.gamma(x))


def at_infinity(function, positive, negative):
    """SciPy's Bessel functions give NaN at the infinities."""
    return lambda x: np.where(np.isposinf(x), positive, np.where(np.isneginf(x), negative, function(x)))


def odd(function):
    """SciPy's odd functions lose the sign of zero."""
    return lambda x: np.where(x == 0, x, function(x))


def ldexp(x, y):
    """NumPy's takes integers for y; of a NaN the result is NaN."""
    return np.where(np.isnan(y), y, np.ldexp(x, np.clip(np.nan_to_num(y), -9999, 9999).astype(int)))


def logaddexp(x, y, base):
    high, low = max(x, y), min(x, y)
    return high + (mpmath.log1p(base ** (low - high)) / mpmath.log(base) if high - low < 1000 else 0)


mp = mpmath
# name: NumPy's (or SciPy's) function, and mpmath's
ROUNDED = {
    "add": (np.add, lambda x, y: x + y), "subtract": (np.subtract, lambda x, y: x - y),
    "multiply": (np.multiply, lambda x, y: x * y), "divide": (np.divide, lambda x, y: x / y),
    "square": (np.square, lambda x: x * x), "reciprocal": (lambda x: 1 / x, lambda x: 1 / x),
    "fma": (lambda x, y, z: x * y + z, lambda x, y, z: x * y + z),
    "fdim": (lambda x, y: np.where(x > y, x - y, np.where(np.isnan(x) | np.isnan(y), np.nan, 0)), lambda x, y: x - y),
    "exp": (np.exp, mp.exp), "exp2": (np.exp2, lambda x: mpf(2) ** x), "exp10": (sc.exp10, lambda x: mpf(10) ** x),
    "expm1": (np.expm1, mp.expm1), "log": (np.log, mp.log), "log2": (np.log2, lambda x: mp.log(x) / mp.log(2)),
    "log10": (np.log10, mp.log10), "log1p": (np.log1p, mp.log1p),
    "logaddexp": (np.logaddexp, lambda x, y: logaddexp(x, y, mp.e)),
    "logaddexp2": (np.logaddexp2, lambda x, y: logaddexp(x, y, mpf(2))),
    "pow": (np.power, lambda x, y: mp.power(x, y)), "sqrt": (np.sqrt, mp.sqrt),
    "rsqrt": (lambda x: 1 / np.sqrt(x), lambda x: 1 / mp.sqrt(x)),
    "cbrt": (np.cbrt, lambda x: mp.sign(x) * mp.cbrt(abs(x))), "hypot": (np.hypot, mp.hypot),
    "sin": (np.sin, mp.sin), "cos": (np.cos, mp.cos), "tan": (np.tan, mp.tan), "asin": (np.arcsin, mp.asin),
    "acos": (np.arccos, mp.acos), "atan": (np.arctan, mp.atan), "atan2": (np.arctan2, mp.atan2),
    "sinpi": (sc.sinpi if hasattr(sc, "sinpi") else lambda x: np.sin(np.pi * np.fmod(x, 2)), mp.sinpi),
    "cospi": (sc.cospi if hasattr(sc, "cospi") else lambda x: np.cos(np.pi * np.fmod(x, 2)), mp.cospi),
    "sinh": (np.sinh, mp.sinh), "cosh": (np.cosh, mp.cosh), "tanh": (np.tanh, mp.tanh),
    "asinh": (np.arcsinh, mp.asinh), "acosh": (np.arccosh, mp.acosh), "atanh": (np.arctanh, mp.atanh),
    "erf": (sc.erf, mp.erf), "erfc": (sc.erfc, mp.erfc), "erfinv": (odd(sc.erfinv), mp.erfinv),
    "erfcinv": (sc.erfcinv, erfcinv),
    "erfcx": (sc.erfcx, erfcx),
    "normcdf": (sc.ndtr, mp.ncdf), "normcdfinv": (sc.ndtri, lambda p: -mp.sqrt(2) * erfcinv(2 * p)),
    "tgamma": (gamma, mp.gamma),
    "lgamma": (sc.gammaln, lambda x: mp.log(abs(mp.gamma(x))) if x < 1e3 else mp.loggamma(x)),
    "j0": (at_infinity(sc.j0, 0.0, 0.0), lambda x: mp.besselj(0, x)),
    "j1": (at_infinity(sc.j1, 0.0, -0.0), lambda x: mp.besselj(1, x)),
    "y0": (at_infinity(sc.y0, 0.0, np.nan), lambda x: mp.bessely(0, x)),
    "y1": (at_infinity(sc.y1, 0.0, np.nan), lambda x: mp.bessely(1, x)),
    "i0": (at_infinity(sc.i0, np.inf, np.inf), lambda x: mp.besseli(0, x)),
    "i1": (odd(at_infinity(sc.i1, np.inf, -np.inf)), lambda x: mp.besseli(1, x)),
}


def frexp(x):
    m, e = np.frexp(x)
    return m, np.where(np.isfinite(x), e, 0).astype(x.dtype)


def bits(x):
    return x.view({4: np.int32, 8: np.int64}[x.dtype.itemsize])


def numbers(x):
    return x.view({4: np.float32, 8: np.float64}[x.dtype.itemsize])


def set_bits(x):
    mask = (1 << 8 * x.dtype.itemsize) - 1
    return np.array([bin(int(v) & mask).count("1") for v in x], dtype=x.dtype)


def leading_zeros(x):
    width = 8 * x.dtype.itemsize
    return np.array([width - (int(v) & ((1 << width) - 1)).bit_length() for v in x], dtype=x.dtype)


def ieee_remainder(x, y):
    return math.remainder(x, y) if np.isfinite(x) and y == y and y != 0 else np.nan


EXACT = {
    "negative": np.negative, "remainder": np.remainder, "floor_divide": np.floor_divide, "fmod": np.fmod,
    "ieee_remainder": np.vectorize(ieee_remainder),
    "abs": np.abs, "sign": np.sign, "maximum": np.maximum, "minimum": np.minimum, "fmax": np.fmax, "fmin": np.fmin,
    "clip": np.clip, "heaviside": np.heaviside, "gcd": np.gcd, "lcm": np.lcm, "copysign": np.copysign,
    "nextafter": np.nextafter, "ldexp": ldexp,
    "significand": lambda x: frexp(x)[0], "exponent": lambda x: frexp(x)[1], "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "rint": np.rint, "round": np.rint, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal, "equal": np.equal, "not_equal": np.not_equal,
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "logical_not": np.logical_not, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor, "invert": np.invert, "left_shift": np.left_shift, "right_shift": np.right_shift,
    "popcount": set_bits, "clz": leading_zeros, "to_bits": bits, "of_bits": numbers,
    "where": lambda x, y, z: np.where(x, y, z),
}
# Those of the rounded ones that integers have as well.
OF_INTEGERS = {name: ROUNDED[name][0] for name in ("add", "subtract", "multiply", "square")}


def precise(function, approximate, operands):
    """The nearest double and what it lacks, for one element."""
    if not np.isfinite(approximate) or approximate == 0 or not all(np.isfinite(operands)):
        return float(approximate), 0.0
    value = function(*(mpf(float(o)) for o in operands))
    value = value.real if isinstance(value, mpmath.mpc) else value
    high = float(value)
    return high, float(value - mpf(high)) if np.isfinite(high) else 0.0


def result(name, dtype, operands):
    """(values, rests) of a row: a row of doubles where the result is floating, else of 64-bit integers and no rests."""
    if dtype in FLOATS and name in ROUNDED:
        approximate, function = ROUNDED[name]
        wide = [o.astype(np.float64) for o in operands]
        pairs = [precise(function, a, e) for a, e in zip(np.asarray(approximate(*wide), np.float64), zip(*wide))]
        return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    function = EXACT[name] if name in EXACT else OF_INTEGERS[name]
    if dtype == "bool" and name not in ("where", "invert", "logical_not", "bitwise_and", "bitwise_or", "bitwise_xor"):
        values = np.asarray(function(*(o.astype(np.int32) for o in operands))).astype(bool)  # as C++ promotes
    else:
        values = np.asarray(function(*operands))
    if values.dtype.kind == "f":
        return values.astype(np.float64), np.zeros(values.shape)
    return (values.view(np.int64) if values.dtype == np.uint64 else values.astype(np.int64)), None


def computes_complex(rule):
    return rule in ("field", "ring", "analytic", "equality", "select", "complex_", "part")


def complex_inputs(dtype):
    """Special values first, then numbers of moderate size: three operands of 64 elements."""
    random = np.random.default_rng(10)
    special = [complex(a, b) for a in (0.0, -0.0, np.nan, np.inf) for b in (1.0, -np.inf)]
    plain = [random.uniform(-3, 3, 56) + 1j * random.uniform(-3, 3, 56) for _ in range(3)]
    operands = [np.array([*random.permutation(special), *p]).astype(dtype) for p in plain]
    operands[1][20:30] = operands[0][20:30]  # for comparisons
    return operands


# What is exact for every operand, and what rounds: computed in extended precision.
COMPLEX_EXACT = {"negative": np.negative, "real": np.real, "imag": np.imag, "conj": np.conj,
                 "where": lambda x, y, z: np.where(x, y, z)}
COMPLEX_ROUNDED = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "square": np.square,
    "reciprocal": np.reciprocal, "exp": np.exp, "log": np.log, "log2": lambda x: np.log(x) / np.log(np.longdouble(2)),
    "log10": lambda x: np.log(x) / np.log(np.longdouble(10)), "pow": np.power, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh}


def make_complex(folder):
    """As make(), for complex operands: the exact rows, those that round, and those that give bools."""
    listing = []
    for dtype in COMPLEX:
        x, y, z = complex_inputs(dtype)
        np.save(folder / f"inputs_{dtype}.npy", np.stack([x, y, z]).astype(complex))
        results = {"exact": [], "rounded": [], "whole": []}
        for name, operands, rule in rows():
            if not computes_complex(rule):
                continue
            given = [x, y, z][:operands] if rule != "select" else [np.arange(x.size) % 2 == 1, y, z]
            kind = "rounded" if name in COMPLEX_ROUNDED else "exact" if name in COMPLEX_EXACT else "whole"
            if kind == "rounded":
                values = COMPLEX_ROUNDED[name](*(g.astype(np.clongdouble) for g in given))
            else:
                values = (COMPLEX_EXACT.get(name) or EXACT[name])(*given)
            results[kind].append(np.asarray(values).astype(np.int64 if kind == "whole" else complex))
            listing.append(f"{dtype} {name} {kind}")
        for kind, values in results.items():
            np.save(folder / f"{kind}_{dtype}.npy", np.stack(values))
    return listing


def make(folder):
    listing = []
    for dtype in ["bool"] + INTEGERS + FLOATS:
        x, y, z = inputs(dtype)
        np.save(folder / f"inputs_{dtype}.npy", np.stack([x, y, z]))
        floating, rests, whole = [], [], []
        for name, operands, rule in rows():
            if not computes(rule, dtype):
                continue
            given = [x, y, z][:operands] if rule != "select" else [inputs("bool")[0][np.arange(x.size) % 8], y, z]
            values, rest = result(name, dtype, given)
            (whole if rest is None else floating).append(values)
            if rest is not None:
                rests.append(rest)
            listing.append(f"{dtype} {name} {'whole' if rest is None else 'floating'}")
        if floating:
            np.save(folder / f"floating_{dtype}.npy", np.stack(floating))
            if dtype == "float64":
                np.save(folder / f"rests_{dtype}.npy", np.stack(rests))
        np.save(folder / f"whole_{dtype}.npy", np.stack(whole))
    listing += make_complex(folder)
    (folder / "rows.txt").write_text("\n".join(listing) + "\n", encoding="utf-8")

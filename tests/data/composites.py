"""What the functions composed of rows give, for every dtype that they take, for make.py: of plain operands, of special
values, of such as are broadcast along the first axis, of empty ones and of rank 0.

Each case is an expression as sinter-explain reads it, and what NumPy makes of the same operand in double precision.
Writes cases.txt, `dtype layout elements expression` a line, or `error` in place of the number where NumPy has no value,
and the elements of all of them one after the other.
"""
import numpy as np
import scipy.special as sc

import reductions

FLOATS, COMPLEX = reductions.FLOATS, reductions.COMPLEX
INTEGERS = [*reductions.SIGNED, *reductions.UNSIGNED]
SHAPE = (3, 4)


def largest(dtype):
    return {"bfloat16": 3.3895313892515355e38}.get(dtype) or float(np.finfo(dtype).max)


def norm(order=None):
    return lambda x, axis=None: np.linalg.norm(x if x.ndim else x.reshape(1), order, axis)


def logsumexp(x, axis=None):
    np.max(x, axis=axis)  # of no elements: raises
    return np.logaddexp.reduce(x, axis=axis) if axis is not None else np.logaddexp.reduce(x.ravel())


def scaled(x, axis=None, keepdims=True):
    return np.exp(x - np.max(x, axis=axis, keepdims=keepdims))


def centred(x, axis):
    return x - np.mean(x, axis=axis, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(x))


SELU = 1.6732632423543772
# f(x): in an operand's elements
OF_REALS = {
    "relu(x)": lambda x: np.maximum(x, 0), "leaky_relu(x)": lambda x: np.where(x > 0, x, 0.01 * x), "elu(x)": elu,
    "selu(x)": lambda x: 1.0507009873554805 * elu(x, SELU), "gelu(x)": lambda x: x * sc.ndtr(x), "sigmoid(x)": sigmoid,
    "silu(x)": lambda x: x * sigmoid(x), "softplus(x)": lambda x: np.logaddexp(0, x),
    "mish(x)": lambda x: x * np.tanh(np.logaddexp(0, x)), "hardswish(x)": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "deg2rad(x)": np.deg2rad, "rad2deg(x)": np.rad2deg, "sinc(x)": np.sinc, "round(x, 1)": lambda x: np.round(x, 1),
    "isclose(x, 1)": lambda x: np.isclose(x, 1), "nan_to_num(x)": np.nan_to_num,
}
OF_COMPLEX = {"abs(x)": np.abs, "arg(x)": np.angle, "abs2(x)": lambda x: abs(x) ** 2, "real(x)": np.real,
              "imag(x)": np.imag, "conj(x)": np.conj, "sigmoid(x)": sigmoid, "silu(x)": lambda x: x * sigmoid(x),
              "nan_to_num(x)": np.nan_to_num, "nan_to_num(x, 7, 8, 9)": lambda x: np.nan_to_num(x, True, 7, 8, 9)}
# f(x) and f(x, axis=1), with further options
REDUCTIONS_OF_REALS = {"ptp": np.ptp, "logsumexp": logsumexp, "argmax": np.argmax, "argmin": np.argmin}
REDUCTIONS = {
    "mean": np.mean, "average": np.mean, "var": np.var, "stddev": np.std, "count_nonzero": np.count_nonzero,
    "nansum": np.nansum, "nanprod": np.nanprod, "nanmean": np.nanmean, "nanvar": np.nanvar, "nanstd": np.nanstd,
    "norm": norm(), "norm ord=0_c": norm(0), "norm ord=1_c": norm(1), "norm ord=-1_c": norm(-1), "norm ord=3": norm(3),
    "norm ord=inf": norm(np.inf), "norm ord=-inf": norm(-np.inf), "norm ord=fro": norm("fro"),
    "var ddof=1": lambda x, **axis: np.var(x, ddof=1, **axis),
}
# f(x) along two axes, in that order
OF_MATRICES = {
    f"norm(x, axis={{{rows}, {columns}}}, ord={spelled})": lambda x, o=order, p=(rows, columns): np.linalg.norm(x, o, p)
    for spelled, order in {"1_c": 1, "-1_c": -1, "inf": np.inf, "-inf": -np.inf, "fro": "fro"}.items()
    for rows, columns in [(0, 1), (1, 0), (-1, 0)]}
PRODUCTS = {"vecdot(x, x)": lambda x: np.vecdot(x, x), "vecdot(x, x, axis=0)": lambda x: np.vecdot(x, x, axis=0)}
# of the second row and the first one
OF_VECTORS = {"dot": np.dot, "inner": np.inner, "vecdot": np.vecdot, "matmul": np.matmul}
SCALINGS = {
    "softmax": lambda x, axis: scaled(x, axis) / np.sum(scaled(x, axis), axis=axis, keepdims=True),
    "log_softmax": lambda x, axis: np.log(scaled(x, axis)) - np.log(np.sum(scaled(x, axis), axis=axis, keepdims=True)),
    "standardise": lambda x, axis: centred(x, axis) / np.std(x, axis=axis, keepdims=True),
    "layer_norm": lambda x, axis: centred(x, axis) / np.sqrt(np.var(x, axis=axis, keepdims=True) + 1e-5),
    "rms_norm": lambda x, axis: x / np.sqrt(np.mean(x * x, axis=axis, keepdims=True) + 1e-5),
}


# f(x, axis=1), of the operand's shape
SCANS = {"cumsum": np.cumsum, "cumprod": np.cumprod}
SCANS_OF_REALS = {"cummax": np.maximum.accumulate, "cummin": np.minimum.accumulate}


def plain(dtype):
    """Numbers that every dtype holds as they are."""
    random = np.random.default_rng(11)
    if dtype == "bool":
        return random.random(SHAPE) < 0.6
    if dtype in INTEGERS:
        return random.integers(0 if dtype in reductions.UNSIGNED else -9, 10, SHAPE)
    eighths = [random.integers(-32, 33, SHAPE) / 8 for _ in range(2)]
    return eighths[0] + 1j * eighths[1] if dtype in COMPLEX else eighths[0]


def operands(dtype):
    x = plain(dtype)
    special = np.array([[np.nan, 1, -2, 0.5], [np.inf, 0.25, -1, 3], [-np.inf, -0.0, 0, 1]])
    if dtype in COMPLEX:
        parts = np.empty(special.shape, np.complex128)  # a sum with 1j * inf would make NaN of the real parts
        parts.real, parts.imag = special, np.roll(special, 5)
        special = parts
    return {"plain": x, **({"special": special} if dtype in FLOATS + COMPLEX else {}),
            "broadcast": np.broadcast_to(x[:1], SHAPE),
            "no_columns": x[:, :0], "no_rows": x[:0], "rank_0": x[0, 1]}


def cases(dtype, layout):
    """(expression, NumPy's function of the operand)"""
    is_complex = dtype in COMPLEX
    found = dict(OF_COMPLEX if is_complex else OF_REALS)
    if dtype in FLOATS + COMPLEX:
        found["nan_to_num(x)"] = lambda x: np.nan_to_num(x, posinf=largest(dtype), neginf=-largest(dtype))
    folds = REDUCTIONS if is_complex else REDUCTIONS | REDUCTIONS_OF_REALS
    for spelled, function in folds.items():
        name, _, option = spelled.partition(" ")
        option = option and ", " + option
        found[f"{name}(x{option})"] = function
        if layout != "rank_0":
            found[f"{name}(x, axis=1{option})"] = lambda x, f=function: f(x, axis=1)
    along = SCANS if is_complex else SCANS | SCANS_OF_REALS | SCALINGS
    if layout != "rank_0":
        found |= {f"{name}(x, axis=1)": lambda x, f=f: f(x, axis=1) for name, f in along.items()}
        found |= OF_MATRICES | PRODUCTS
        found["norm(x, axis=1, ord=2_c)"] = lambda x: norm(2)(x, 1)
    if layout not in ("rank_0", "no_rows"):
        found |= {f"{name}(x(1), x(0))": lambda x, f=f: f(x[1], x[0]) for name, f in OF_VECTORS.items()}
    if dtype == "bool":  # NumPy subtracts no bools
        found = {text: f for text, f in found.items() if not text.startswith("ptp")}
    if is_complex and layout == "special":  # what infinite parts become of other functions is C's, not NumPy's
        found = {text: f for text, f in found.items() if text.startswith("nan_to_num")}
    return found


def in_dtype(text, dtype, values):
    """What is computed in integers, and was here in double precision, as NumPy gives it."""
    if not text.startswith(("dot", "inner", "vecdot", "matmul")) or dtype not in ["bool", *INTEGERS]:
        return values
    return values != 0 if dtype == "bool" else values.astype(np.int64).astype(dtype)


def make(folder):
    listing, elements = [], []
    for dtype in ["bool", *INTEGERS, *FLOATS, *COMPLEX]:
        wide = np.complex128 if dtype in COMPLEX else np.float64
        np.save(folder / f"inputs_{dtype}.npy", plain(dtype).astype(wide))
        for layout, operand in operands(dtype).items():
            for text, function in cases(dtype, layout).items():
                try:
                    values = in_dtype(text, dtype, np.ravel(function(np.asarray(operand, wide))))
                except ValueError:
                    listing.append(f"{dtype} {layout} error {text}")
                    continue
                listing.append(f"{dtype} {layout} {values.size} {text}")
                elements.append(values.astype(np.complex128))
    everything = np.concatenate(elements)
    np.savez_compressed(folder / "values.npz", re=everything.real, im=everything.imag)
    (folder / "cases.txt").write_text("\n".join(listing) + "\n", encoding="utf-8")

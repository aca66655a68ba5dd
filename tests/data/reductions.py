"""What the reductions of the op table give, row by row and dtype by dtype, over every set of axes, for make.py: of
plain operands, of such as are broadcast along the middle axis, of empty ones and of rank 0.

The values are such that sums, and the products that are kept, are exact whatever the order: results must agree to the
bit. Half types add up in float32 and round once; integers and bool add up in 64 bits and wrap around.
"""
import itertools
import pathlib
import re

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIGNED, UNSIGNED = ["int8", "int16", "int32", "int64"], ["uint8", "uint16", "uint32", "uint64"]
FLOATS, COMPLEX = ["float16", "bfloat16", "float32", "float64"], ["complex64", "complex128"]
SHAPE = (7, 5, 11)
AXES = [axes for count in (1, 2, 3) for axes in itertools.combinations(range(3), count)]
FUNCTIONS = {"sum": np.add, "prod": np.multiply, "any": np.logical_or, "all": np.logical_and, "max": np.maximum,
             "min": np.minimum, "nanmax": np.fmax, "nanmin": np.fmin}


def rows():
    """(name, rule) of each reduction, in the table's order."""
    text = (ROOT / "include/sinter/op/table.def").read_text(encoding="utf-8")
    return re.findall(r"^SINTER_ROW_REDUCTION\s*\((\w+),\s*(\w+)", text, re.M)


def operands(values):
    """(operand, sets of axes), in the order of the data."""
    some = [axes for axes in AXES if len(axes) > 1]
    return [(values, AXES), (np.broadcast_to(values[:, :1], SHAPE), some), (values[:, :0], some),
            (values[1, 2, 3], [()])]


def has_identity(name):
    try:
        FUNCTIONS[name].reduce(np.zeros(0))
        return True
    except ValueError:
        return False


def computed_in(dtype):
    return "float32" if dtype in ("float16", "bfloat16") else dtype


def rounded(values, dtype):
    """float32 values as a half type holds them."""
    if dtype == "float16":
        return values.astype("float16")
    if dtype != "bfloat16":
        return values
    bits = values.astype("float32").view("uint32")
    nearest = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000
    return np.where(np.isnan(values), np.float32(np.nan), nearest.astype("uint32").view("float32"))


def inputs(dtype):
    """Plain values; with NaN and infinities, or to the ends of the range; and few that are not 1, for products."""
    random = np.random.default_rng(8)
    if dtype == "bool":
        return [random.random(SHAPE) < p for p in (0.5, 0.98, 0.02)]
    if dtype in SIGNED + UNSIGNED:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        plain = random.integers(max(low, -12), 13, SHAPE)
        return [plain.astype(dtype), random.integers(low, high, SHAPE, dtype=dtype, endpoint=True),
                random.choice([1, 2, 3, max(low, -1), max(low, -2)], SHAPE, p=[.4, .1, .1, .2, .2]).astype(dtype)]
    finite = random.integers(-512, 513, SHAPE) / 64
    special = finite.copy()
    special[1, 2, 3], special[4, 0, 10], special[5, 4, 0], special[5, 4, 7] = np.nan, np.inf, -np.inf, np.inf
    special[2, :, 4] = special[:, 1, 6] = special[6, 3, :] = np.nan
    powers = random.choice([0.5, 1.0, 2.0, -1.0, -2.0], SHAPE, p=[0.2, 0.4, 0.1, 0.2, 0.1])
    if dtype in COMPLEX:
        # real and imaginary numbers that are no others: their products round nowhere
        turned = powers * random.choice([1, 1j], SHAPE)
        return [(v + 1j * w).astype(dtype) for v, w in [(finite, finite[::-1]), (special, special[:, ::-1])]] + [
            turned.astype(dtype)]
    return [rounded(v.astype(computed_in(dtype)), dtype).astype(computed_in(dtype)) for v in (finite, special, powers)]


def result(name, rule, dtype, values, axes):
    if rule == "sum" and dtype in ["bool", *SIGNED]:
        values = values.astype("int64")
    elif rule == "sum" and dtype in UNSIGNED:
        values = values.astype("uint64")
    elif rule == "logical":
        values = values.astype(bool)
    return rounded(FUNCTIONS[name].reduce(values, axis=axes), dtype)


def is_kept(name, dtype, case):
    """A product of floating numbers depends on its order, but for the last case's."""
    return name != "prod" or case == 2 or dtype not in FLOATS + COMPLEX


def make(folder):
    listing = []
    for dtype in ["bool", *SIGNED, *UNSIGNED, *FLOATS, *COMPLEX]:
        kind = complex if dtype in COMPLEX else float if dtype in FLOATS else np.int64
        cases = inputs(dtype)
        known = [(name, rule) for name, rule in rows() if rule != "same" or dtype not in COMPLEX]
        numbers, whole = [], []
        for layout, case in itertools.product(range(4), range(len(cases))):
            operand, sets = operands(cases[case])[layout]
            for axes, (name, rule) in itertools.product(sets, known):
                folds_none = operand.size == 0 and 1 in axes
                if not is_kept(name, dtype, case) or folds_none and not has_identity(name):
                    continue
                got = np.ravel(result(name, rule, dtype, operand, axes))
                is_whole = kind is np.int64 or rule == "logical"
                (whole if is_whole else numbers).append(got.astype(np.int64 if is_whole else kind))
        listing += [f"{dtype} {name} {'identity' if has_identity(name) else 'error'}" for name, _ in known]
        np.save(folder / f"inputs_{dtype}.npy", np.stack(cases).astype(kind))
        np.save(folder / f"whole_{dtype}.npy", np.concatenate(whole))
        if numbers:
            np.save(folder / f"numbers_{dtype}.npy", np.concatenate(numbers))
    (folder / "rows.txt").write_text("\n".join(listing) + "\n", encoding="utf-8")

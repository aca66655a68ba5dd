"""The operands and references of a case in NumPy: the values of bench/measure/data.hpp, by bench/peers/data.py."""
from concurrent.futures import ThreadPoolExecutor
import os
import pathlib
import sys

import numpy as np

import table

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
import data

CHUNK = 1 << 18  # elements per task: its temporaries fit in the cache


def made(seed, operand, dims, file=None):
    """Operand `seed` in NumPy; bfloat16 as a float32 rounded to it. With `file` it is created in that file."""
    shape = operand.shape(dims)
    low, high = (float(eval(v, {}, dims)) for v in (operand.low, operand.high))
    dtype = np.dtype({"bf16": "float32"}.get(operand.dtype, table.DTYPES[operand.dtype][1]))
    out = np.lib.format.open_memmap(file, "w+", dtype, shape) if file else np.empty(shape, dtype)
    flat = out.reshape(-1).view(np.float32) if dtype.kind == "c" else out.reshape(-1)

    def fill(first):
        last = min(first + CHUNK, flat.size)
        values = data.values_at(seed, np.arange(first, last), low, high + 1 if operand.dtype == "b" else high)
        if operand.dtype == "b":
            flat[first:last] = values >= 1
        elif dtype.kind in "iu":
            flat[first:last] = np.floor(values)
        else:
            rounded = values.astype(np.float32) if operand.dtype in ("f16", "bf16") else values
            flat[first:last] = rounded_to_bfloat16(rounded) if operand.dtype == "bf16" else rounded

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(fill, range(0, flat.size, CHUNK)))
    return out


def rounded_to_bfloat16(x):
    """Rounds to nearest, ties to even; returns float32."""
    bits = x.view(np.uint32)
    return ((bits + (((bits >> 16) & 1) + np.uint32(0x7FFF))) & np.uint32(0xFFFF0000)).view(np.float32)


def in_double(x):
    """The operand for the reference: floating numbers in double, integers and bools unchanged."""
    if x.dtype.kind == "f":
        return x.astype(np.float64)
    return x.astype(np.complex128) if x.dtype.kind == "c" else x


def reference(case, dims, operands):
    """The results in double, as arrays."""
    with np.errstate(all="ignore"):
        results = table.bound(case.like, np, dims)(*(in_double(x) for x in operands))
    return [np.asarray(r) for r in (results if isinstance(results, tuple) else (results,))]


def samples(result):
    """The samples of a result that are compared: at data.sampled_indices, both parts of complex elements."""
    flat = np.asarray(result).reshape(-1)
    at = flat[data.sampled_indices(flat.size)]
    if at.dtype.kind == "c":
        at = np.stack([at.real, at.imag], axis=1).reshape(-1)
    return at.astype(np.float64)


def off(found, expected):
    """The largest difference of samples relative to the largest |reference|; infinite if there is a NaN."""
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    if found.shape != expected.shape:
        return float("inf")
    error = np.abs(found - expected).max(initial=0) / (np.abs(expected).max(initial=0) or 1.0)
    return float(error) if error == error else float("inf")

"""The benchmarks' operand values: a hash of the index, the same as bench/measure/data.hpp's in C++."""
from concurrent.futures import ThreadPoolExecutor
import os

import numpy as np

CHUNK = 1 << 20


def hash32(x):
    """The hash "lowbias32": Christopher Wellons, Prospecting for Hash Functions, 2018. In place."""
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x7FEB352D)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x846CA68B)
    x ^= x >> np.uint32(16)
    return x


def values_at(seed, indices, low, high):
    """Elements `indices` of operand `seed`, in double: uniform in [low, high)."""
    start = np.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF)
    with np.errstate(over="ignore"):
        h = hash32(np.asarray(indices).astype(np.uint32) + start)
    return low + (high - low) * ((h >> np.uint32(8)) * 2.0**-24)


def rounded(values, dtype):
    """Rounds to the operand's dtype; float16 by way of float32, as in every language."""
    return values.astype(np.float32).astype(dtype) if dtype == "float16" else values.astype(dtype)


def operand(seed, shape, dtype, low, high):
    """The whole operand as an array, computed on all cores."""
    size = int(np.prod(shape))
    out = np.empty(size, dtype)

    def fill(first):
        last = min(first + CHUNK, size)
        out[first:last] = rounded(values_at(seed, np.arange(first, last), low, high), dtype)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(fill, range(0, size, CHUNK)))
    return out.reshape(shape)


def sampled_indices(size):
    """The indices at which a result of `size` elements is compared with the reference."""
    j = np.arange(256, dtype=np.uint64) * np.uint64(2654435761) % np.uint64(size)
    return np.append(j.astype(np.int64), size - 1)

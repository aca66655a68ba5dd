#!/usr/bin/env python3
"""Makes counting.npz beside it: what NumPy counts, and what its masks choose. `python3 counting.py`; tests only read
the file.
"""
import pathlib

import numpy as np

draw = np.random.default_rng(11)

integers = draw.integers(0, 300, 2477)
x = draw.standard_normal(3001)
x[::97] = np.nan
x[5::211] = np.inf
x[6::223] = -np.inf
uneven = np.sort(draw.standard_normal(40))
uneven[7] = uneven[8]  # an empty bin
even = np.linspace(-2, 2, 257)
x[1000:1257] = even
x[2000:2040] = uneven
endless = np.array([-np.inf, -1, 0, 2, np.inf])
many = np.linspace(-3, 3, 5001)
matrix = draw.integers(-1, 2, (57, 83))
made = {
    "integers": integers, "bincount": np.bincount(integers, minlength=320),
    "x": x, "uneven": uneven, "even": even, "endless": endless, "many": many, "matrix": matrix,
    "argwhere": np.argwhere(matrix), "flatnonzero": np.flatnonzero(matrix > 0), "extract": x[x > 0.5],
    "compress": np.compress(matrix[:, 3] > 0, matrix, axis=0),
}
for name in ("uneven", "even", "endless", "many"):
    made["of_" + name] = np.histogram(x, made[name])[0]

np.savez_compressed(pathlib.Path(__file__).with_name("counting.npz"), **made)

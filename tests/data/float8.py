#!/usr/bin/env python3
"""Makes float8.npz beside it, with the package ml_dtypes: for both formats of 8 bits, what all their numbers are as
float32, and to which of them floats and doubles are rounded, without saturation. `python3 float8.py`; tests only read
the file.
"""
import pathlib

import ml_dtypes
import numpy as np

draw = np.random.default_rng(5)
made = {}
for name, dtype in (("e4m3", ml_dtypes.float8_e4m3fn), ("e5m2", ml_dtypes.float8_e5m2)):
    every = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float32)
    made[name + "_values"] = every
    known = np.unique(every[np.isfinite(every)])
    greatest = known[-1]
    ties = np.concatenate([(known[1:] + known[:-1]) / 2, [greatest * 29 / 28, greatest * 15 / 14]])
    beside = np.concatenate([np.nextafter(ties, np.float32(side), dtype=np.float32) for side in (-1e30, 1e30)])
    special = [0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-30, -1e-30, 2.0 ** -149, 464, 464.00003, 480,
               61440, 61439]
    spread = draw.standard_normal(1000) * 2.0 ** draw.integers(-20, 18, 1000)
    x = np.concatenate([ties, beside, special, spread]).astype(np.float32)
    made[name + "_floats"] = x
    made[name + "_of_floats"] = x.astype(dtype).view(np.uint8)
    # a double beside a tie, which is a tie as a float
    doubles = np.concatenate([ties.astype(np.float64) * (1 + side * 2.0 ** -50) for side in (-1, 0, 1)])
    nearest = np.empty(doubles.shape, np.uint8)
    for i, d in enumerate(doubles):
        off = np.abs(known.astype(np.float64) - d)
        best = np.copysign(known[off == off.min()], np.float32(d))
        bits = best.astype(dtype).view(np.uint8)
        nearest[i] = bits[bits % 2 == 0][0] if len(bits) > 1 else bits[0]
    inside = np.abs(doubles) <= greatest
    made[name + "_doubles"], made[name + "_of_doubles"] = doubles[inside], nearest[inside]

np.savez_compressed(pathlib.Path(__file__).with_name("float8.npz"), **made)

#!/usr/bin/env python3
"""Makes the .npy files below this folder, with NumPy, SciPy and mpmath: `python3 make.py`. They are
checked in; tests only read them.

    format/      one small array in every dtype, order and format version, and arrays that Sinter refuses
    reference/   inputs and NumPy's results for the reductions of the op table, and for scans
    rows/        inputs and results for its other rows: functions.py
    reductions/  inputs and results for its reductions in every dtype: reductions.py
    composites/  inputs and results for the functions composed of rows: composites.py
    print/       arrays, and what NumPy's str() makes of them
"""
import itertools
import pathlib

import numpy as np

import composites
import functions
import reductions

here = pathlib.Path(__file__).parent
formats, references, rows = here / "format", here / "reference", here / "rows"
reduced, composed = here / "reductions", here / "composites"
prints = here / "print"
INPUT_DTYPES = ["float32", "float64", "int32"]
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]


# --- the file format ------------------------------------------------------------------------------------------------

def known_values(shape, dtype):
    """What npy_test.cpp expects: the i-th element, in row-major order, is a function of i."""
    i = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    if dtype == "bool":
        return i % 3 == 0
    if dtype.startswith("complex"):
        return i * 0.75 - 11.25 + 1j * i
    return i * 0.75 - 11.25 if dtype.startswith("float") else (i * 7 - 50).astype(dtype)


def make_formats():
    shape = (3, 5, 2)
    for dtype, order, endian in itertools.product(DTYPES, "CF", "<>"):
        if np.dtype(dtype).itemsize == 1 and endian == ">":
            continue
        side = "little" if endian == "<" else "big"
        values = np.array(known_values(shape, dtype), dtype=np.dtype(dtype).newbyteorder(endian), order=order)
        np.save(formats / f"{dtype}_{order}_{side}.npy", values)
    for version in [(1, 0), (2, 0), (3, 0)]:
        with open(formats / f"version_{version[0]}.npy", "wb") as file:
            np.lib.format.write_array(file, known_values(shape, "float64"), version=version)
    for rank, shape in enumerate([(), (7,), (3, 4), (2, 3, 4), (2, 1, 3, 2), (2, 1, 2, 3, 1), (1, 2, 1, 2, 1, 3),
                                  (1, 2, 1, 2, 1, 3, 2), (2, 1, 2, 1, 2, 1, 2, 2)]):
        np.save(formats / f"rank_{rank}_C.npy", np.ascontiguousarray(known_values(shape, "int32")).reshape(shape))
        column_major = np.asfortranarray(known_values(shape, "int32")).reshape(shape, order="A")
        np.save(formats / f"rank_{rank}_F.npy", column_major)
    np.save(formats / "rank_9.npy", np.zeros((1,) * 9))
    np.save(formats / "empty.npy", np.zeros((3, 0, 2), order="C"))
    np.save(formats / "large_F.npy", np.asfortranarray(known_values((37, 2, 41), "int16")))
    refused = {"longdouble": np.zeros(2, "<f16"), "text": np.array(["one", "two"]),
               "date": np.zeros(2, "<M8[s]"), "structure": np.zeros(2, [("a", "<i4"), ("b", "<f8")]),
               "bytes": np.zeros(2, "S3")}
    for name, values in refused.items():
        np.save(formats / f"refused_{name}.npy", values)
    np.savez(formats / "archive.npz", a=np.zeros(1))
    members = {"matrix": known_values((3, 5), "float32").astype("float32"), "folder/flags": known_values((7,), "bool"),
               "column_major": np.asfortranarray(known_values((3, 5, 2), "int64")), "empty": np.zeros((0, 3)),
               "scalar": np.int8(-50), "big": known_values((2, 3), "float64").astype(">f8"),
               "long": known_values((3000,), "int16"), "größe": np.zeros(1)}
    np.savez(formats / "stored.npz", **members)
    np.savez_compressed(formats / "deflated.npz", **members)


# --- complex functions ----------------------------------------------------------------------------------------------

COMPLEX = ["exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "arcsinh",
           "arccosh", "arctanh"]


def make_complex_functions():
    """Every pair of special parts, with both sides of every cut; then numbers about the unit circle and beyond."""
    random = np.random.default_rng(9)
    parts = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 1e-5, 30.0, -1e30, np.inf, -np.inf, np.nan])
    special = np.empty((len(parts), len(parts)), complex)
    special.real, special.imag = parts[:, None], parts
    circle = np.exp(1j * random.uniform(-np.pi, np.pi, 24)) * (1 + random.uniform(-1e-6, 1e-6, 24))
    z = np.concatenate([special.ravel(), circle, random.uniform(-5, 5, 32) + 1j * random.uniform(-5, 5, 32)])
    inputs = {dtype: z.astype(dtype) for dtype in ("complex64", "complex128")}
    for dtype, values in inputs.items():
        np.save(references / f"z_{dtype}.npy", values)
    for name in COMPLEX:
        # in extended precision, rounded to what the function gives for operands of that dtype
        results = [getattr(np, name)(v.astype(np.clongdouble)).astype(d).astype(complex) for d, v in inputs.items()]
        np.save(references / f"complex_{name.replace('arc', 'a')}.npy", np.stack(results))


# --- reductions -----------------------------------------------------------------------------------------------------

def make_reductions():
    """Sums and products of these values are exact in float32, whatever the order: results must agree to the bit."""
    random = np.random.default_rng(8)
    finite = random.integers(-512, 513, (7, 5, 11)) / 64
    special = finite.copy()
    special[1, 2, 3], special[4, 0, 10], special[5, 4, 0], special[5, 4, 7] = np.nan, np.inf, -np.inf, np.inf
    powers = random.choice([0.5, 1.0, 2.0, -1.0, -2.0], (7, 5, 11), p=[0.2, 0.4, 0.1, 0.2, 0.1])
    cases = {"finite": finite, "special": special, "powers": powers}
    for name, values in cases.items():
        np.save(references / f"reduce_{name}.npy", values)
        for count in (1, 2, 3):
            for axes in itertools.combinations(range(3), count):
                results = []
                for dtype in INPUT_DTYPES:
                    x = np.where(np.isfinite(values), values, 0) if dtype == "int32" else values
                    x = x.astype(dtype)
                    product = np.prod(x, axis=axes) if name == "powers" else np.zeros_like(np.sum(x, axis=axes))
                    mean = np.sum(x, axis=axes) / np.prod([x.shape[a] for a in axes]).astype(
                        "float32" if dtype == "float32" else "float64")
                    results.append(np.stack([np.sum(x, axis=axes).astype(np.float64), product.astype(np.float64),
                                             np.max(x, axis=axes).astype(np.float64),
                                             np.min(x, axis=axes).astype(np.float64), mean.astype(np.float64)]))
                file = references / f"reduce_{name}_{''.join(map(str, axes))}.npy"
                np.save(file, np.stack(results).reshape(3, 5, -1))


def make_scans():
    """Of the same values: by axis, dtype and function. Running sums and products are exact in any order, too."""
    for name in ("special", "powers"):
        values = np.load(references / f"reduce_{name}.npy")
        results = np.empty((3, 3, 4, *values.shape), "float32")
        for axis, (d, dtype) in itertools.product(range(3), enumerate(INPUT_DTYPES)):
            x = np.where(np.isfinite(values), values, 0) if dtype == "int32" else values
            x = x.astype(dtype)
            product = np.cumprod(x, axis=axis) if name == "powers" else np.zeros(x.shape)
            with np.errstate(invalid="ignore"):
                results[axis, d] = np.stack([np.cumsum(x, axis=axis), product, np.maximum.accumulate(x, axis=axis),
                                             np.minimum.accumulate(x, axis=axis)])
        np.save(references / f"scan_{name}.npy", results)


# --- text -----------------------------------------------------------------------------------------------------------

def floating_prints(dtype):
    """Arrays of every kind of layout that FloatingFormat knows."""
    random = np.random.default_rng(9)
    tiny, largest = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    lists = [[1, 2.5], [0], [-0.0], [0, 0, -1], [1 / 3, 2 / 3], [1e-4, 1], [9e-5], [1e-4, 0.1], [999, 1], [1001, 1],
             [1000.5, 1.001], [99999], [100000.5, 250], [999999, 123456], [1e6, 1e5], [99999999, 1e7], [1e8],
             [123456789], [1e10], [1e100 if dtype == "float64" else 1e30, 1e-5, -1], [tiny, largest], [tiny],
             [-largest], [np.nan], [np.inf, 1], [-np.inf, np.nan, 0.25], [np.nan, 1e10], [-np.inf, 1e-10],
             [np.inf, -1234.5], [0.1, 0.25, 0.123456789123], [0.5000000050, 0.25], [0.00012345678949, 0.00012],
             [2.5, 0.000125],
             [1.99999999999], [0.999999999, 1], [1.5, np.nan, -1000], [16777216, 3], [5e-5, -5e-5], [1e22, 1],
             [0.1 + 0.2, 0.3], [7.0064923216240854e-46]]
    arrays = [np.array(values, dtype) for values in lists]
    for scale in (1e-7, 1e-3, 1, 30, 1e5, 1e9):
        arrays.append((random.standard_normal(13) * scale).astype(dtype))
    arrays.append((10 ** random.uniform(-3, 3, (4, 3))).astype(dtype))
    arrays.append((10 ** random.uniform(-30, 30, (3, 9))).astype(dtype))
    arrays.append(random.integers(-500, 500, (2, 3, 4)).astype(dtype) / 8)
    arrays.append(random.standard_normal((40, 40)).astype(dtype))
    scalars = [0, -0.0, 1, 0.1, 1 / 3, 123456.789, 999999, 1e6, 1e15, 9.99e15, 1e16, 1e22, 1e-4, 2e-4, 9.9e-5, -1.5e-7,
               tiny, largest, np.nan, np.inf, -np.inf, 2 ** 24 + 2]
    return arrays + [np.array(value, dtype) for value in scalars]


def make_prints():
    i = np.arange
    arrays = [a for dtype in ("float16", "float32", "float64") for a in floating_prints(dtype)]
    for dtype in ("complex64", "complex128"):
        real = floating_prints("float32" if dtype == "complex64" else "float64")
        arrays += [np.array(a + 1j * np.roll(np.where(np.isfinite(a), a, 2), 1), dtype) for a in real]
        arrays += [np.array(v, dtype) for v in (0, 1, 2j, complex(-0.0, 2), complex(0, -np.inf), complex(1, np.nan),
                                                1.5 - 0.25j, 123456789 + 1e-5j)]
    for dtype in ("int8", "int16", "int32", "int64"):
        arrays += [np.array([np.iinfo(dtype).min, 0, np.iinfo(dtype).max], dtype), np.array([-1, 10], dtype),
                   np.array(-7, dtype)]
    for dtype in ("uint8", "uint16", "uint32", "uint64"):
        arrays += [np.array([[0], [np.iinfo(dtype).max]], dtype), np.array(7, dtype)]
    arrays += [np.array([True, False]), np.array([[True], [True]]), np.array(True), np.array(False), np.zeros(0),
               np.zeros((3, 0, 2)), np.zeros((0, 5), "int8"), i(24).reshape(2, 3, 4), i(24).reshape(1, 2, 1, 3, 4),
               i(256).reshape((2,) * 8), i(30), i(200) * 37, i(100, 180).reshape(2, 40), i(1000), i(1001),
               i(2000) - 1000, i(1500).reshape(3, 500), i(1500).reshape(500, 3), i(1001).reshape(7, 11, 13),
               i(1296).reshape(6, 6, 6, 6),
               i(7200).reshape(2, 2, 30, 60), i(10000).reshape(10, 10, 100), i(1010).reshape(1, 1, 1010),
               i(3000).reshape(3, 1000) % 3 == 0, (i(2100).reshape(7, 300) * 1.25e5), i(40).reshape(2, 20) * 10 ** 9]
    np.savez_compressed(prints / "arrays.npz", **{f"{i:03}": a for i, a in enumerate(arrays)})
    texts = "".join(f"=== {i:03} {a.dtype} {a.shape}\n{str(a)}\n" for i, a in enumerate(arrays))
    (prints / "texts.txt").write_text(texts, encoding="utf-8")


if __name__ == "__main__":
    for folder in (formats, references, rows, reduced, composed, prints):
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
    with np.errstate(all="ignore"):
        make_formats()
        functions.make(rows)
        make_complex_functions()
        make_reductions()
        reductions.make(reduced)
        composites.make(composed)
        make_scans()
        make_prints()
    files = [f for folder in (formats, references, rows, reduced, composed, prints) for f in folder.iterdir()]
    print(f"{len(files)} files, {sum(f.stat().st_size for f in files)} bytes")

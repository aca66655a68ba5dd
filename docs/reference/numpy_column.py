#!/usr/bin/env python3
"""Runs NumPy's columns of docs/from_numpy.md and docs/array_api.md: what is the same prints what Sinter's does, what is
different prints what is said there of NumPy. Exits with 77 without NumPy 2."""
import pathlib
import re
import sys
import warnings

try:
    import numpy as np
except ImportError:
    sys.exit(77)
if int(np.__version__.split(".")[0]) < 2:
    sys.exit(77)


ARRAYS = {
    "x": np.array([[1.0, 2, 3], [4, 5, 7]]), "v": np.array([3.0, 1, 2]), "i": np.array([7, -7, 2], np.int32),
    "f": np.array([1.5, -0.5, 2], np.float32),
    "h": np.array([300, 1, 2], np.float16),
    "p": np.array([True, True, False]), "infinite": np.array([-np.inf]), "w": np.array([1.0, -1]),
    "t": np.arange(8.0).reshape(2, 2, 2), "z": np.array([3 + 4j, complex(0, -1)])}


def examples(text):
    """(section, NumPy's code, the line below it, what Sinter gives) of each."""
    for body in re.finditer(r"^== (\w+)\n(.*?)(?=^== |\Z)", text, re.S | re.M):
        for example in re.findall(r"^> (.*)\n> (.*)\n> .*\n((?:(?!> ).*\n)+)", body[2], re.M):
            yield body[1], example[0], example[1], example[2].rstrip("\n")


def given(code):
    """What NumPy's code gives, and its dtype; or what it raises."""
    try:
        value = eval(code, {"np": np, **ARRAYS})
    except (ValueError, ZeroDivisionError) as raised:
        return f"raises {type(raised).__name__}", ""
    return str(value), getattr(value, "dtype", "")


def main():
    warnings.simplefilter("ignore", RuntimeWarning)
    output = pathlib.Path(__file__).resolve().parent / "output"
    compared = failures = 0
    standard = list(examples((output / "array_api.txt").read_text(encoding="utf-8")))
    for section, code, said, shown in [*examples((output / "from_numpy.txt").read_text(encoding="utf-8")), *standard]:
        value, dtype = given(code)
        compared += 1
        differs = section.startswith("different")
        if differs:
            value = f"{value} {dtype}".strip()
        if value != (said if differs else shown) or (differs and value == shown):
            failures += 1
            print(f"{code} is\n{value}\nin NumPy, not\n{said if differs else shown}\nand in Sinter\n{shown}")
    print(f"{compared} compared")
    sys.exit(1 if failures or not compared else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs NumPy's column of docs/from_numpy.md, which prints what Sinter's does. Exits with 77 without NumPy 2."""
import pathlib
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)
if int(np.__version__.split(".")[0]) < 2:
    sys.exit(77)


def main():
    names = {"np": np, "x": np.array([[1.0, 2, 3], [4, 5, 7]]), "v": np.array([3.0, 1, 2]),
             "i": np.array([7, -7, 2], np.int32)}
    path = pathlib.Path(__file__).resolve().parent / "output/from_numpy.txt"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("== ")]
    compared = failures = at = 0
    while at < len(lines):
        code = lines[at][2:]
        end = next((j for j in range(at + 3, len(lines)) if lines[j].startswith("> ")), len(lines))
        shown, at = "\n".join(lines[at + 3:end]), end
        compared += 1
        if str(eval(code, names)) != shown:
            failures += 1
            print(f"{code} is\n{eval(code, names)}\nin NumPy, and in Sinter\n{shown}")
    print(f"{compared} compared")
    sys.exit(1 if failures or not compared else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes expected/, the references in double with which the test compares every case. Run it with NumPy 2 after adding
a case."""
import sys

import numpy as np

import operands
import table


def main():
    folder = table.HERE / "expected"
    folder.mkdir(exist_ok=True)
    for domain in table.DOMAINS:
        arrays = {}
        for case in (c for c in table.load() if c.domain == domain):
            dims = case.extents("small")
            inputs = [operands.made(k, o, dims) for k, o in enumerate(case.operands.values())]
            results = operands.reference(case, dims, inputs)
            for k, (result, declared) in enumerate(zip(results, case.results, strict=True)):
                if result.shape != declared.shape(dims):
                    sys.exit(f"{case.name}, result {k}: the reference has shape {result.shape}, the row says "
                             f"{declared.shape(dims)}")
                if not np.isfinite(result).all():
                    sys.exit(f"{case.name}, result {k}: the reference is not finite")
                arrays[f"{case.name}.{k}"] = operands.samples(result)
        np.savez_compressed(folder / f"{domain}.npz", **arrays)


if __name__ == "__main__":
    main()

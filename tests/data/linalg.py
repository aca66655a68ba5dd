#!/usr/bin/env python3
"""Makes linalg.npz beside it: matrices, and what NumPy says of them. `python3 linalg.py`; tests only read the file.

Batches of three: of `square` the second is badly conditioned, a Hilbert matrix; `tall` has one of rank 2.
"""
import pathlib

import numpy as np

draw = np.random.default_rng(7)


def members(kind, turn):
    n = 6
    square = draw.standard_normal((3, n, n)) + turn * draw.standard_normal((3, n, n))
    square[1] = 1 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
    tall = draw.standard_normal((3, 7, 4)) + turn * draw.standard_normal((3, 7, 4))
    tall[2] = tall[2, :, :2] @ (draw.standard_normal((2, 4)) + turn * draw.standard_normal((2, 4)))
    sides = draw.standard_normal((3, n, 2)) + turn * draw.standard_normal((3, n, 2))
    long = draw.standard_normal((3, 7, 2)) + turn * draw.standard_normal((3, 7, 2))
    hermitian = square + np.conj(square.swapaxes(1, 2))
    definite = square @ np.conj(square.swapaxes(1, 2)) + np.eye(n)
    sign, log = np.linalg.slogdet(square)
    made = {
        "square": square, "tall": tall, "sides": sides, "hermitian": hermitian, "definite": definite,
        "solve": np.linalg.solve(square, sides), "inv": np.linalg.inv(square), "det": np.linalg.det(square),
        "sign": sign, "log": log, "cholesky": np.linalg.cholesky(definite), "r": np.abs(np.linalg.qr(tall)[1]),
        "svdvals": np.linalg.svdvals(tall), "eigvalsh": np.linalg.eigvalsh(hermitian), "pinv": np.linalg.pinv(tall),
        "long": long, "lstsq": np.array([np.linalg.lstsq(a, b)[0] for a, b in zip(tall, long)]),
        "rank": np.linalg.matrix_rank(tall), "cond": np.linalg.cond(square),
        "spectral": np.linalg.norm(tall, 2, axis=(1, 2)), "nuclear": np.linalg.norm(tall, "nuc", axis=(1, 2)),
        "power": np.linalg.matrix_power(square, 5),
    }
    return {f"{kind}_{name}": value for name, value in made.items()}


def main():
    np.savez_compressed(pathlib.Path(__file__).parent / "linalg.npz", **members("real", 0), **members("complex", 1j))


if __name__ == "__main__":
    main()

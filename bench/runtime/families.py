#!/usr/bin/env python3
"""The cases of families.cpp in CuPy or PyTorch, on one GPU: families.py cupy|torch [PART OF A NAME]. Without arguments
it prints a table of all three in milliseconds; it runs the program in the folder that FAMILIES names, or in
build/release/bench."""
import os
import pathlib
import subprocess
import sys
import time

N = 1 << 26
ROOT = pathlib.Path(__file__).resolve().parents[2]

CUPY = {
    "sort_2e26": "xp.sort(x)", "argsort_2e26": "xp.argsort(x)",
    "sort_2e26_i32": "xp.sort(numbers)", "sort_2e26_i32_below_65536": "xp.sort(small)",
    "sort_rows_16384x4096": "xp.sort(rows, axis=1)",
    "searchsorted_2e26_in_1024": "xp.searchsorted(edges, x)", "interp_2e26_in_1024": "xp.interp(x, edges, edges)",
    "compress_half_of_2e26": "x[x > .5]", "nonzero_half_of_2e26": "xp.nonzero(x > .5)",
    "histogram_256_of_2e26": "xp.histogram(x, 256, range=(0, 1))",
    "fft_rows_4096x4096_c64": "xp.fft.fft(z)", "abs2_fft_rows_4096x4096_c64": "xp.abs(xp.fft.fft(z * w)) ** 2",
    "rfft_rows_4096x4096_f32": "xp.fft.rfft(square)", "fft2_4096x4096_c64": "xp.fft.fft2(z)",
    "solve_4096": "xp.linalg.solve(large, side)", "inv_4096": "xp.linalg.inv(large)", "qr_1024": "xp.linalg.qr(m)",
    "eigh_1024": "xp.linalg.eigh(m + m.T)", "svd_1024": "xp.linalg.svd(m)",
}
TORCH = {
    "sort_2e26": "xp.sort(x)", "sort_2e26_i32": "xp.sort(numbers)", "sort_2e26_i32_below_65536": "xp.sort(small)",
    "sort_rows_16384x4096": "xp.sort(rows, dim=1)",
    "sort_rows_1048576x32": "xp.sort(short, dim=1)", "top16_rows_16384x4096": "xp.topk(rows, 16, dim=1)",
    "median_rows_16384x4096": "xp.median(rows, dim=1)", "searchsorted_2e26_in_1024": "xp.searchsorted(edges, x)",
    "compress_half_of_2e26": "x[x > .5]", "nonzero_half_of_2e26": "xp.nonzero(x > .5)",
    "sum_where_2e26": "(x * (x > .5)).sum()", "histogram_256_of_2e26": "xp.histc(x, 256)",
    "bincount_100000_of_2e26": "xp.bincount(groups, minlength=100000)",
    "scatter_add_100000_of_2e26_f32": "sums.index_add_(0, groups, x)",
    "scatter_add_100000_of_2e26_i32": "totals.index_add_(0, groups, groups)",
    "scatter_add_1000_of_2e26_f32": "few_sums.index_add_(0, few, x)",
    "scatter_add_10000000_of_2e26_f32": "long_sums.index_add_(0, many, x)",
    "scatter_add_30000x256_of_65536_f32": "table.index_add_(0, words, vectors)",
    "max_pool_2x2_of_64x64x256x256": "xp.nn.functional.max_pool2d(planes, 2)",
    "average_3x3_of_64x64x256x256": "xp.nn.functional.avg_pool2d(planes, 3, 1)",
    "fft_rows_4096x4096_c64": "xp.fft.fft(z)", "abs2_fft_rows_4096x4096_c64": "xp.fft.fft(z * w).abs() ** 2",
    "rfft_rows_4096x4096_f32": "xp.fft.rfft(square)", "fft2_4096x4096_c64": "xp.fft.fft2(z)",
    "fft_columns_4096x4096_c64": "xp.fft.fft(z, dim=0)", "fft_2e24_c64": "xp.fft.fft(z.view(-1))",
    "solve_16384x16": "xp.linalg.solve(a, b)", "cholesky_16384x16": "xp.linalg.cholesky(a @ a.mT)",
    "solve_4096": "xp.linalg.solve(large, side)", "inv_4096": "xp.linalg.inv(large)",
    "cholesky_4096": "xp.linalg.cholesky(definite)", "qr_1024": "xp.linalg.qr(m)",
    "eigh_1024": "xp.linalg.eigh(m + m.T)", "svd_1024": "xp.linalg.svd(m)",
    "attention_4x8x2048x64": "xp.nn.functional.scaled_dot_product_attention(q, q, q)",
    "causal_attention_4x8x2048x64": "xp.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)",
}


def operands(kind):
    """The module, a function that synchronizes the device, and the cases' operands."""
    if kind == "cupy":
        import cupy as xp
        def draw(*shape):
            return xp.random.random(shape, dtype=xp.float32)
        have = {"edges": xp.linspace(0, 1, 1024, dtype=xp.float32),
                "numbers": xp.random.randint(-2000000000, 2000000000, N, dtype=xp.int32),
                "small": xp.random.randint(0, 65536, N, dtype=xp.int32)}
        eye, wait = (lambda n: xp.eye(n, dtype=xp.float32)), xp.cuda.Device().synchronize
    else:
        import torch as xp
        def draw(*shape):
            return xp.rand(shape, device="cuda")
        have = {"edges": xp.linspace(0, 1, 1024, device="cuda"), "b": draw(16384, 16, 1),
                "a": draw(16384, 16, 16) + 16 * xp.eye(16, device="cuda"),
                "groups": xp.randint(0, 100000, (N,), device="cuda", dtype=xp.int32)}
        have["numbers"] = xp.randint(-2000000000, 2000000000, (N,), device="cuda", dtype=xp.int32)
        have["small"] = xp.randint(0, 65536, (N,), device="cuda", dtype=xp.int32)
        have["sums"] = xp.zeros(100000, device="cuda")
        have["totals"] = xp.zeros(100000, device="cuda", dtype=xp.int32)
        have |= {"few": have["groups"] % 1000, "few_sums": xp.zeros(1000, device="cuda"),
                 "many": xp.randint(0, 10000000, (N,), device="cuda"), "long_sums": xp.zeros(10000000, device="cuda"),
                 "words": xp.randint(0, 30000, (1 << 16,), device="cuda"), "vectors": draw(1 << 16, 256),
                 "table": xp.zeros(30000, 256, device="cuda")}
        have["planes"] = draw(64, 64, 256, 256)
        have["q"] = draw(4, 8, 2048, 64).half()
        eye, wait = (lambda n: xp.eye(n, device="cuda")), xp.cuda.synchronize
    x = draw(N)
    have |= {"x": x, "rows": x.reshape(16384, 4096), "short": x[:N // 2].reshape(-1, 32), "w": draw(4096),
             "square": draw(4096, 4096), "large": draw(4096, 4096) + 64 * eye(4096), "side": draw(4096, 16),
             "m": draw(1024, 1024)}
    have["z"] = have["square"] + 1j * draw(4096, 4096)
    have["definite"] = have["large"] @ have["large"].T
    return xp, wait, have


def measure(kind, wanted):
    """Prints one line per case: the median over batches, each synchronized once, in milliseconds."""
    xp, wait, have = operands(kind)
    for name, code in (CUPY if kind == "cupy" else TORCH).items():
        if wanted not in name:
            continue
        call = eval(f"lambda: {code}", {"xp": xp, **have})
        call()
        wait()
        start = time.perf_counter()
        call()
        wait()
        batch = max(1, int(0.004 / max(time.perf_counter() - start, 1e-5)))
        times = []
        for _ in range(9):
            start = time.perf_counter()
            for _ in range(batch):
                call()
            wait()
            times.append((time.perf_counter() - start) / batch)
        print(f"{name} {1e3 * sorted(times)[4]:.4f}", flush=True)


def table():
    """Prints a table of all three."""
    program = pathlib.Path(os.environ.get("FAMILIES", ROOT / "build/release/bench")) / "families"
    found = {}
    for peer, command in {"Sinter": [program], "CuPy": [sys.executable, __file__, "cupy"],
                          "PyTorch": [sys.executable, __file__, "torch"]}.items():
        lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines()
        for name, took in (line.split(" ", 1) for line in lines):
            found.setdefault(name, {})[peer] = took
    print("| case | Sinter | CuPy | PyTorch |\n| --- | --- | --- | --- |")
    for name, by in found.items():
        print(f"| {name} | " + " | ".join(by.get(peer, "") for peer in ("Sinter", "CuPy", "PyTorch")) + " |")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
    else:
        table()

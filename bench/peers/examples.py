#!/usr/bin/env python3
"""Runs the examples and their Python counterparts on the same device in the same run. Prints a table and writes it as
Markdown and JSON.

    examples.py [--build FOLDER] [--out FOLDER] [--name NAME] [ROW...]

Needs a CUDA device. A row whose Python library is missing names that library.
"""
import argparse
from dataclasses import dataclass
import importlib
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


# --- the Python counterparts: f() gives microseconds; they import what they need
# --------------------------------------------

def timed(cp, call, batches=11):
    """Microseconds per call, measured as in the examples: the median of batches between two events."""
    def run(calls):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        return 1e3 * cp.cuda.get_elapsed_time(begin, end) / calls

    run(3)
    calls = int(min(max(2000 / run(1), 1), 100))
    return sorted(run(calls) for _ in range(batches))[batches // 2]


def cupy():
    return importlib.import_module("cupy")


def uniform(cp, *shape, dtype=np.float32):
    return cp.asarray(np.random.default_rng(1).uniform(-1, 1, shape).astype(dtype))


def vector_exp():
    cp = cupy()
    x = uniform(cp, 10_000_000)
    return timed(cp, lambda: cp.exp(x))


def vector_exp_pycuda():
    importlib.import_module("pycuda.autoinit")
    cumath, driver, gpuarray = map(importlib.import_module, ("pycuda.cumath", "pycuda.driver", "pycuda.gpuarray"))
    x = gpuarray.to_gpu(np.random.default_rng(1).uniform(-1, 1, 10_000_000).astype(np.float32))

    def run(calls):
        begin, end = driver.Event(), driver.Event()
        begin.record()
        for _ in range(calls):
            cumath.exp(x)
        end.record().synchronize()
        return 1e3 * begin.time_till(end) / calls
    run(3)
    return sorted(run(20) for _ in range(11))[5]


def raw_kernel():
    cp = cupy()
    add = cp.RawKernel(r"""
extern "C" __global__ void add(float* sum, const float* x, const float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = x[i] + y[i];
}""", "add")
    x, y = uniform(cp, 1000), uniform(cp, 1000)
    total = cp.empty_like(x)
    return timed(cp, lambda: add((4,), (256,), (total, x, y, np.int32(1000))))


def expression():
    cp = cupy()
    x, y = uniform(cp, 1000), uniform(cp, 1000)
    return timed(cp, lambda: x + y)


def dot():
    cp = cupy()
    x, y = uniform(cp, 10_000), uniform(cp, 10_000)
    return timed(cp, lambda: cp.dot(x, y))


def norm():
    cp = cupy()
    x = uniform(cp, 1000, 100, 1000, dtype=np.float64)
    return timed(cp, lambda: cp.sqrt(cp.sum(x**2, axis=-1)))


def normalised():
    cp = cupy()
    x = uniform(cp, 1000, 300, dtype=np.float64)
    return timed(cp, lambda: x / cp.linalg.norm(x, axis=1, keepdims=True))


def streams():
    """Six chunks of 2^23 floats, 10000 steps of work on each, on three streams to and from pinned memory."""
    cp = cupy()
    settle = cp.ElementwiseKernel("T x", "T y", "y = x; for (int i = 0; i < 10000; ++i) y = y * T(0.999) + T(0.001)",
                                  "settle")
    chunks, n = 6, 1 << 23
    values = np.random.default_rng(1).uniform(-1, 1, (chunks, n)).astype(np.float32)

    def pinned():
        return np.frombuffer(cp.cuda.alloc_pinned_memory(4 * n * chunks), np.float32, n * chunks).reshape(chunks, n)
    source, results = pinned(), pinned()
    copy_in, work, copy_out = (cp.cuda.Stream(non_blocking=True) for _ in range(3))

    def run():
        begin = copy_in.record()
        for i in range(chunks):
            source[i] = values[i]  # the example's data is pageable memory, too
            with copy_in:
                x = cp.empty(n, np.float32)
                x.set(source[i], stream=copy_in)
            work.wait_event(copy_in.record())
            with work:
                y = settle(x)
            copy_out.wait_event(work.record())
            y.get(stream=copy_out, out=results[i], blocking=False)
        end = copy_out.record()
        end.synchronize()
        return 1e3 * cp.cuda.get_elapsed_time(begin, end)
    run()
    return sorted(run() for _ in range(3))[1]


def guvectorize():
    numba, cuda = importlib.import_module("numba"), importlib.import_module("numba.cuda")

    @numba.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,n),(n,p)->(m,p)", target="cuda")
    def multiply(a, b, c):
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                total = 0.0
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                c[i, j] = total

    random = np.random.default_rng(1)
    a, b = cuda.to_device(random.uniform(-1, 1, (6, 40, 17))), cuda.to_device(random.uniform(-1, 1, (17, 9)))
    out = cuda.device_array((6, 40, 9))

    def run(calls):
        begin, end = cuda.event(), cuda.event()
        begin.record()
        for _ in range(calls):
            multiply(a, b, out=out)
        end.record()
        end.synchronize()
        return 1e3 * cuda.event_elapsed_time(begin, end) / calls
    run(3)
    return sorted(run(20) for _ in range(11))[5]


def training(inputs, hidden, classes, batch):
    def run():
        torch, table, steps = map(importlib.import_module, ("torch", "cases", "torch_training"))
        case = table.Case("mlp_step", (inputs, hidden, classes, batch), low=-0.125, high=0.125)
        step = steps.Step(case)
        operands = [torch.from_numpy(x).cuda() for x in case.operands()]
        step(*operands)

        def batch_of(calls):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(calls):
                step(*operands)
            end.record()
            end.synchronize()
            return 1e3 * begin.elapsed_time(end) / calls
        batch_of(10)
        return sorted(batch_of(50) for _ in range(11))[5]
    return run


# --- the table -------------------------------------------------------------------------------------------------------

TIME, MILLISECONDS = r"time +([0-9.]+) us", r"  time +([0-9.]+) ms"


@dataclass(frozen=True)
class Row:
    name: str
    task: str
    command: str    # example and options
    pattern: str    # matches its figure
    peer: str
    counterpart: callable  # microseconds
    unit: float = 1.0


ROWS = [
    Row("vector_exp", "exp of 10^7 floats", "vector_exp", TIME, "CuPy", vector_exp),
    Row("vector_exp_pycuda", "the same", "vector_exp", TIME, "PyCUDA cumath", vector_exp_pycuda),
    Row("raw_kernel", "1000 floats added by a kernel of one's own", "raw_kernel", TIME + ": the raw kernel",
        "CuPy RawKernel", raw_kernel),
    Row("expression", "1000 floats added by an expression", "raw_kernel", TIME + r": x \+ y", "CuPy", expression),
    Row("dot", "sum of products of 10,000 floats", "dot", TIME, "CuPy", dot),
    Row("norm", "sqrt(sum(x**2, axis=-1)), (1000, 100, 1000) float64", "quickstart", MILLISECONDS, "CuPy", norm, 1e3),
    Row("normalised", "rows of (1000, 300) float64 divided by their norms", "norms", TIME, "CuPy", normalised),
    Row("streams", "6 chunks of 32 MB in, 10,000 steps on each element, out", "streams",
        r"three streams: ([0-9.e+]+) ms", "CuPy streams", streams, 1e3),
    Row("guvectorize", "(m,n),(n,p)->(m,p) over 6 slices, float64", "guvectorize", TIME, "Numba guvectorize",
        guvectorize),
    Row("train_20", "a training step, 20-64-10, batch 32", "train_mlp --sizes 20,64,10", r"time +([0-9.]+) us per step",
        "PyTorch CUDA graph", training(20, 64, 10, 32)),
    Row("train_784", "a training step, 784-128-10, batch 32", "train_mlp --sizes 784,128,10",
        r"time +([0-9.]+) us per step", "PyTorch CUDA graph", training(784, 128, 10, 32)),
    Row("train_1024", "a training step, 784-128-10, batch 1024", "train_mlp --sizes 784,128,10 --batch 1024",
        r"time +([0-9.]+) us per step", "PyTorch CUDA graph", training(784, 128, 10, 1024)),
]


def run_example(row, build):
    """(device, microseconds), or one line with the error."""
    name, *options = row.command.split()
    done = subprocess.run([build / "examples" / name, *options], capture_output=True, text=True, timeout=300)
    found = re.search(row.pattern, done.stdout)
    if done.returncode != 0 or not found:
        sys.exit(f"{row.command}: exit status {done.returncode}: {done.stderr.strip() or done.stdout[-300:]}")
    device = re.search(r"device +(.*)", done.stdout)[1]
    return device, float(found[1]) * row.unit


def run_twin(row):
    """Microseconds, or the reason for their absence. In a separate process, because libraries cache memory."""
    done = subprocess.run([sys.executable, __file__, "--counterpart", row.name], capture_output=True, text=True,
    timeout=300) try:
        return float(done.stdout.split()[-1])
    except (IndexError, ValueError):
        return (done.stderr.strip().splitlines() or ["no figure"])[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="of " + ", ".join(r.name for r in ROWS))
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench/results")
    parser.add_argument("--name", default="examples", help="of the two files in --out")
    parser.add_argument("--counterpart", help=argparse.SUPPRESS)
    options = parser.parse_args()
    by_name = {r.name: r for r in ROWS}
    if options.counterpart:
        print(by_name[options.counterpart].counterpart())
        return
    unknown = set(options.rows) - set(by_name)
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}")

    found = []
    for row in (by_name[n] for n in options.rows or by_name):
        device, ours = run_example(row, options.build.resolve())
        theirs = run_twin(row)
        found.append({"row": row.name, "task": row.task, "example": row.command, "device": device, "us": ours,
                      "peer": row.peer, "peer_us": theirs if isinstance(theirs, float) else None,
                      "why": None if isinstance(theirs, float) else theirs})
        beside = f"{theirs:.2f} us" if isinstance(theirs, float) else f"skipped: {theirs}"
        print(f"{row.task}: {ours:.2f} us, {row.peer} {beside}", flush=True)

    lines = [f"Examples beside Python's tools on {found[0]['device']}, one run of `bench/peers/examples.py`.", "",
             "| task | example | time | Python | time | times ours |", "| --- | --- | --- | --- | --- | --- |"]
    for f in found:
        theirs = (f"{f['peer_us']:.1f} us", f"{f['peer_us'] / f['us']:.1f}") if f["peer_us"] else ("not here", "")
        lines.append(f"| {f['task']} | `{f['example']}` | {f['us']:.1f} us | {f['peer']} | {' | '.join(theirs)} |")
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / f"{options.name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (options.out / f"{options.name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

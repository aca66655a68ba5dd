#!/usr/bin/env python3
"""Runs one peer in its own process: worker.py PEER --device cuda|host. Reads commands, one line of JSON each,
from standard input and answers each with one line:

    {"load": NAME, "size": SIZE, "sets": N, "folder": FOLDER}   loads the operands from the .npy files in FOLDER,
                                                                computes once, and returns samples of the results
    {"time": SECONDS}                                           computes repeatedly: ms per call
    {"reference": true}                                         samples of the loaded case, computed in double
    {"ceilings": true}                                          the device's memory bandwidth
    {"drop": true}

    worker.py PEER --device DEVICE --warm NAME...               compiles only, to fill a disk cache for later runs

With --rows FILE the cases are that file's instead of the corpus's.
"""
import argparse
import json
import os
import statistics
import sys
import time

import numpy as np

import operands
import table

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
REDIRECTED = os.dup(1)  # libraries' output goes to standard error
os.dup2(2, 1)


def say(**line):
    os.write(REDIRECTED, (json.dumps(line) + "\n").encode())


class Numpy:
    """NumPy without a compiler."""

    def __init__(self, device):
        if device != "host":
            raise RuntimeError("computes on the host alone")
        self.description = f"NumPy {np.__version__}"

    def upload(self, operand, x, copies):
        return [x.copy() for _ in range(copies)]

    def function(self, case, dims):
        return table.bound(case.like, np, dims)

    def download(self, result):
        return np.asarray(result)

    def wait(self, result):
        pass

    def seconds(self, run, calls):
        start = time.perf_counter()
        self.wait(run(calls))
        return (time.perf_counter() - start) / calls

    def forget(self):
        pass


class Jax(Numpy):
    """jax.jit. It has no events: timed by the wall clock from the submission of a batch to its last result."""

    def __init__(self, device):
        import jax
        jax.config.update("jax_enable_x64", True)
        folder = os.environ.get("CORPUS_CACHE")
        if folder:
            jax.config.update("jax_compilation_cache_dir", folder + "/jax")
            jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
            jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        self.jax = jax
        self.device = jax.devices({"cuda": "gpu", "host": "cpu"}[device])[0]
        self.description = f"JAX {jax.__version__}, jax.jit"

    def upload(self, operand, x, copies):
        if operand.dtype == "bf16":
            x = x.astype(self.jax.numpy.bfloat16)
        first = self.jax.device_put(np.array(x), self.device)
        return [first] + [self.jax.numpy.copy(first) for _ in range(copies - 1)]

    def function(self, case, dims):
        if not case.jax:
            raise RuntimeError("has no counterpart in JAX")
        kinds = tuple({"b": "bool"}.get(r.dtype, table.DTYPES[r.dtype][1]) for r in case.results)
        plain = table.bound(case.like, self.jax.numpy, dims)

        def typed(*x):
            results = plain(*x)
            results = results if isinstance(results, tuple) else (results,)
            return tuple(r.astype(k) for r, k in zip(results, kinds))
        return self.jax.jit(typed)

    def download(self, result):
        return np.asarray(result.astype("float32") if result.dtype == "bfloat16" else result)

    def wait(self, result):
        self.jax.block_until_ready(result)

    def forget(self):
        self.jax.clear_caches()


class Torch(Numpy):
    """PyTorch: torch.compile of the counterpart. On a GPU it is timed between events, after a kernel that keeps the
    device busy while the host enqueues: gaps between launches do not count."""
    compiled = True

    def __init__(self, device):
        import torch
        self.torch = torch
        self.device = {"cuda": "cuda", "host": "cpu"}[device]
        torch.set_grad_enabled(False)
        torch.ones(8, device=self.device).sum().item()
        self.description = f"PyTorch {torch.__version__}, {'torch.compile' if self.compiled else 'eager'}"

    def upload(self, operand, x, copies):
        first = self.torch.from_numpy(np.array(x)).to(self.device)
        if operand.dtype == "bf16":
            first = first.bfloat16()
        return [first] + [first.clone() for _ in range(copies - 1)]

    def function(self, case, dims):
        plain = table.bound(case.torch, self.torch, dims)
        return self.torch.compile(plain, dynamic=False) if self.compiled else plain

    def in_double(self, x):
        if x.dtype.is_complex:
            return x.to(self.torch.complex128)
        return x.double() if x.dtype.is_floating_point else x

    def download(self, result):
        if result.dtype == self.torch.bfloat16:
            result = result.float()
        return result.cpu().numpy()

    def wait(self, result):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def seconds(self, run, calls):
        if self.device == "cpu":
            return super().seconds(run, calls)
        event = self.torch.cuda.Event
        start, stop = event(enable_timing=True), event(enable_timing=True)
        self.torch.cuda._sleep(int(1.5 * self.host * calls * 2e9) + 40000)
        start.record()
        run(calls)
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3 / calls

    def forget(self):
        self.torch._dynamo.reset()
        if self.device == "cuda":
            self.torch.cuda.empty_cache()

    def ceilings(self):
        """Bytes per second of a copy, a sum and a fill of 1 GiB."""
        x = self.torch.ones(1 << 28, device=self.device)
        y = self.torch.empty_like(x)
        self.host = 1e-5

        def best(call):
            return min(self.seconds(lambda n: [call() for _ in range(n)], 5) for _ in range(7))
        return {"copy": (2 << 30) / best(lambda: y.copy_(x)), "read": (1 << 30) / best(lambda: x.sum()),
                "fill": (1 << 30) / best(lambda: y.zero_())}


class EagerTorch(Torch):
    compiled = False


PEERS = {"numpy": Numpy, "jax": Jax, "torch.compile": Torch, "torch": EagerTorch}


class Loaded:
    """A case and its operands."""

    def __init__(self, peer, case, size, sets, arrays):
        self.peer, self.case, self.dims = peer, case, case.extents(size)
        columns = [peer.upload(o, x, sets) for o, x in zip(case.operands.values(), arrays)]
        self.sets = list(zip(*columns))
        self.call = peer.function(case, self.dims)
        self.results, self.next = [None] * sets, 0

    def run(self, calls):
        for _ in range(calls):
            at = self.next % len(self.sets)
            self.results[at] = None
            self.results[at] = self.call(*self.sets[at])
            self.next += 1
        return self.results[at]

    def samples(self, results):
        results = results if isinstance(results, (tuple, list)) else (results,)
        return [operands.samples(self.peer.download(r)).tolist() for r in results]

    def first(self):
        start = time.perf_counter()
        self.peer.wait(self.run(1))
        first = time.perf_counter() - start
        return {"first_ms": first * 1e3, "results": self.samples(self.results[0])}

    def reference(self):
        plain = table.bound(self.case.torch, self.peer.torch, self.dims)
        return {"results": self.samples(plain(*(self.peer.in_double(x) for x in self.sets[0])))}

    def time(self, budget):
        peer = self.peer
        start = time.perf_counter()
        last = self.run(1)
        peer.host = time.perf_counter() - start
        peer.wait(last)
        once = time.perf_counter() - start
        calls = int(min(max(2e-3 / once, 1), 100))
        seconds, start, processor = [], time.perf_counter(), time.process_time()
        while not seconds or (time.perf_counter() - start < budget and len(seconds) < 50):
            seconds.append(peer.seconds(self.run, calls))
        processor = (time.process_time() - processor) / (calls * len(seconds))
        return {"ms": statistics.median(seconds) * 1e3, "processor_ms": processor * 1e3, "host_us": peer.host * 1e6}


def answer(peer, loaded, cases, command):
    if "load" in command:
        case = cases[command["load"]]
        arrays = [np.load(f"{command['folder']}/{name}.npy", mmap_mode="r") for name in case.operands]
        loaded.append(Loaded(peer, case, command["size"], command["sets"], arrays))
        return loaded[-1].first()
    if "time" in command:
        return loaded[-1].time(command["time"])
    if "reference" in command:
        return loaded[-1].reference()
    if "ceilings" in command:
        return peer.ceilings()
    loaded.clear()
    peer.forget()
    return {}


def warm(peer, cases, names):
    """Compiles cases of full size with operands of zeros."""
    for name in names:
        try:
            case = cases[name]
            dims = case.extents("1/1")
            arrays = [np.zeros(o.shape(dims), {"bf16": "float32"}.get(o.dtype, table.DTYPES[o.dtype][1]))
                      for o in case.operands.values()]
            Loaded(peer, case, "1/1", 1, arrays).run(1)
        except Exception as problem:
            print(f"{name}: {type(problem).__name__}: {problem}".splitlines()[0], file=sys.stderr)
        peer.forget()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("--device", default="cuda", choices=["cuda", "host"])
    parser.add_argument("--warm", nargs="+", metavar="NAME")
    parser.add_argument("--rows", metavar="FILE")
    options = parser.parse_args()
    cases = {c.name: c for c in table.load(rows=options.rows)}
    try:
        peer = PEERS[options.peer](options.device)
    except Exception as problem:  # report an unavailable peer, whatever the reason
        say(unavailable=f"{type(problem).__name__}: {problem}".splitlines()[0])
        return
    if options.warm:
        warm(peer, cases, options.warm)
        return
    say(device=peer.description)
    loaded = []
    for line in sys.stdin:
        try:
            say(**answer(peer, loaded, cases, json.loads(line)))
        except Exception as problem:
            loaded.clear()
            say(error=f"{type(problem).__name__}: {problem}".splitlines()[0][:300])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs cases with one peer in its own process, and prints one line of JSON per case.

    worker.py PEER [--device cuda|cpu] [--kernels] SPEC...     SPEC: see bench/measure/trial.hpp
"""
import argparse
import importlib
import json
import os
import sys
import tempfile
import time

import cases as table
import data

PEERS = {
    "numpy": ("numpy_", "Peer"),
    "cupy": ("cupy_", "Peer"),
    "cupy.fuse": ("cupy_", "FusedPeer"),
    "torch": ("torch_", "Peer"),
    "torch.compile": ("torch_", "CompiledPeer"),
    "jax": ("jax_", "Peer"),
}


def say(**line):
    print(json.dumps(line), flush=True)


def clamp(x, low, high):
    return max(low, min(high, x))


def time_calls(peer, sets, call):
    """Times call(i), i < sets, like bench/measure/timing.hpp: medians of batches of about 2 ms."""
    peer.synchronize()
    start = time.perf_counter()
    call(0)
    peer.synchronize()
    first = time.perf_counter() - start
    turn = 0

    def run(calls):
        nonlocal turn
        begin = peer.mark()
        for _ in range(calls):
            call(turn % sets)
            turn += 1
        return peer.seconds(begin, peer.mark()) / calls

    warm = 1 if run(1) > 0.05 else clamp(sets, 2, 8)
    run(warm)
    once = run(warm)
    batch = int(clamp(2e-3 / once, 1, 200))
    times, spent = [], 0.0
    while len(times) < 5 or (len(times) < 60 and spent < 0.25):
        times.append(run(batch))
        spent += times[-1] * batch
        if spent > 2:
            break
    times.sort()

    calls, bursts, spent = 2 if once > 0.01 else 100, [], 0.0
    while not bursts or (len(bursts) < 15 and spent < 0.25):
        peer.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call(turn % sets)
            turn += 1
        bursts.append((time.perf_counter() - start) / calls)
        peer.synchronize()
        spent += time.perf_counter() - start
    bursts.sort()
    return {"ms": times[len(times) // 2] * 1e3, "fastest_ms": times[0] * 1e3, "slowest_ms": times[-1] * 1e3,
            "host_us": bursts[len(bursts) // 2] * 1e6, "first_ms": first * 1e3, "runs": len(times), "batch": batch}


def upload(peer, case):
    operands = case.operands()
    # Each set is a copy on the device: peers that use host memory in place get a copy here.
    return [[peer.upload(x.copy() if case.sets > 1 else x) for x in operands] for _ in range(case.sets)]


def measure(peer, case, function):
    if function is None:
        return {"missing": True}
    sets = upload(peer, case)
    results = [None] * case.sets  # keeps all results alive, so that results rotate, too

    def call(i):
        results[i] = function(*sets[i])

    line = time_calls(peer, case.sets, call)
    if hasattr(function, "again"):  # each call continues from the last one's state
        results[0] = function.again(*sets[0])
    flat = peer.to_numpy(results[0]).reshape(-1)
    line["unwritten"] = int((flat != flat).sum())
    line["samples"] = [float(v) for v in flat[data.sampled_indices(flat.size)]]
    return line


def count_kernels(peer, case, function):
    """The number of kernel launches per call, by PyTorch's profiler, for any library."""
    from torch.profiler import ProfilerActivity, profile
    if function is None:
        return None
    operands = [peer.upload(x) for x in case.operands()]
    function(*operands)
    peer.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        function(*operands)
        peer.synchronize()
    names = [e.name for e in seen.events() if "DeviceType.CUDA" in str(e.device_type)]
    return len([n for n in names if not n.startswith(("Memcpy", "Memset"))])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("spec", nargs="+")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--kernels", action="store_true", help="count kernels, too, when all has been timed")
    options = parser.parse_args()
    known = {c.spec: c for group in table.GROUPS.values() for c in group}

    # The first call must compile: an empty cache folder hides kernels of earlier processes.
    with tempfile.TemporaryDirectory() as folder:
        for variable in ("CUPY_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"):
            os.environ[variable] = folder
        module, name = PEERS[options.peer]
        try:
            peer = getattr(importlib.import_module(module), name)(options.device)
        except Exception as problem:  # report an unavailable peer, whatever the reason
            say(unavailable=f"{type(problem).__name__}: {problem}".splitlines()[0])
            return 0
        say(device=peer.description())
        selected = [known[spec] for spec in options.spec]
        functions = {case: peer.function(case) for case in selected}  # nothing is compiled yet
        for case in selected:
            try:
                say(case=case.spec, **measure(peer, case, functions[case]))
            except Exception as problem:
                say(case=case.spec, error=f"{type(problem).__name__}: {problem}".splitlines()[0])
            getattr(peer, "release", lambda: None)()
        for case in selected if options.kernels else []:
            try:
                say(case=case.spec, kernels=count_kernels(peer, case, functions[case]))
            except Exception as problem:
                say(case=case.spec, kernels=None, why=f"{type(problem).__name__}: {problem}".splitlines()[0])
            getattr(peer, "release", lambda: None)()
    return 0


if __name__ == "__main__":
    sys.exit(main())

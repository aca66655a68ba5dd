#!/usr/bin/env python3
"""Measures the corpus with Sinter and its peers, checks every result against a reference in double, and
writes a table, JSON and a plot.

    measure.py [--device cuda|host] [--filter WORD...] [--only PEER...] [--out FOLDER] [--name NAME] [--draw FILE.json]

All peers load a case and are then timed alternately in short rounds, so that disturbances affect all of them; the
result is the median of the rounds. Several sets of operands are used in turn; large ones together exceed the caches.
On the host the reference is NumPy in double. On a GPU it is the PyTorch counterpart in double, after every counterpart
was compared with NumPy on the test's extents. Nothing may be fitted to a held-out case (a third, by a hash of the
name); their figures are reported separately. """
import argparse
from concurrent.futures import ThreadPoolExecutor
import hashlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

import operands  # makes bench/peers importable
from present import has_cuda, say
from processes import Program, start_peers, worker
import report
import table

ROOT = table.HERE.parents[1]
ROTATED_BYTES = {"cuda": 256 << 20, "host": 192 << 20}
MOST_SETS = 16
ROUNDS = 3
SECONDS = {"cuda": 0.012, "host": 0.06}  # per round


def write_operands(case, size, folder):
    """Writes the operands as .npy files, which the peers map."""
    dims = case.extents(size)
    for k, (name, operand) in enumerate(case.operands.items()):
        operands.made(k, operand, dims, folder / f"{name}.npy")


def sets_of(case, dims, device):
    return max(1, min(MOST_SETS, -(-ROTATED_BYTES[device] // case.footprint(dims))))


def judge(case, answer, expected):
    """The difference of the results from the reference, and whether they are right."""
    found = [r["values"] if isinstance(r, dict) else r for r in answer.pop("results")]
    errors = [operands.off(f, e) for f, e in zip(found, expected, strict=True)]
    return {**answer, "error_of_result": max(errors), "right": max(errors) <= case.tolerance}


def check_twins(cases, peers, folder):
    """Compares every counterpart with NumPy on the test's extents; returns the names of the wrong ones, by peer."""
    wrong = {p.name: {} for p in peers}
    for case in cases:
        write_operands(case, "small", folder)
        dims = case.extents("small")
        inputs = [operands.made(k, o, dims) for k, o in enumerate(case.operands.values())]
        expected = [operands.samples(r) for r in operands.reference(case, dims, inputs)]
        for peer in peers:
            answer = peer.ask({"load": case.name, "size": "small", "sets": 1, "folder": str(folder)})
            if "results" in answer:
                judged = judge(case, answer, expected)
                if not judged["right"]:
                    wrong[peer.name][case.name] = f"off by {judged['error_of_result']:.1e}"
            else:
                wrong[peer.name][case.name] = answer["error"]
            peer.ask({"drop": True})
        for file in folder.glob("*.npy"):
            file.unlink()
    for peer, names in wrong.items():
        for name, why in names.items():
            say(f"{peer}: {name} on the test's extents: {why}")
    return wrong


def measure_case(case, peers, options, folder, expected):
    """One case by all peers: {peer: figures}."""
    dims = case.extents(options.size)
    sets = sets_of(case, dims, options.device)
    command = {"load": case.name, "size": options.size, "sets": sets, "folder": str(folder),
               "extents": ",".join(f"{k}={v}" for k, v in dims.items())}
    with ThreadPoolExecutor(len(peers)) as pool:
        answers = dict(zip((p.name for p in peers), pool.map(lambda p: p.ask(command), peers)))
    loaded = [p for p in peers if "results" in answers[p.name]]
    if expected is None:
        double = next((p for p in peers if p.name == options.reference and p in loaded), None)
        told = double.ask({"reference": True}) if double else {"error": "no peer computes it"}
        expected = told.get("results")
        if expected is None:
            say(f"{case.name}: no reference: {told['error']}")
    rounds = {p.name: [] for p in loaded}
    for _ in range(ROUNDS):
        for peer in loaded:
            rounds[peer.name].append(peer.ask({"time": options.seconds}))
    found = {}
    for peer in peers:
        answer = answers[peer.name]
        timed = [r for r in rounds.get(peer.name, []) if "ms" in r]
        if peer in loaded and timed:
            if expected is not None:
                answer = judge(case, answer, expected)
            answer.pop("results", None)
            times = [r["ms"] for r in timed]
            answer |= {"ms": statistics.median(times), "fastest_ms": min(times), "slowest_ms": max(times),
                       "processor_ms": statistics.median(r["processor_ms"] for r in timed),
                       "host_us": statistics.median(r["host_us"] for r in timed)}
            if not answer.get("right", True):
                say(f"{peer.name}: {case.name}: WRONG: off by {answer['error_of_result']:.1e}")
        else:
            answer = {"error": (answer.get("error") or "was not timed")[:300]}
            say(f"{peer.name}: {case.name}: {answer['error']}")
        found[peer.name] = answer
    with ThreadPoolExecutor(len(peers)) as pool:
        list(pool.map(lambda p: p.ask({"drop": True}), peers))
    return found


def host_ceilings():
    """Bytes per second of a copy and of a sum on all cores of this process."""
    workers = len(os.sched_getaffinity(0))
    floats = (32 << 20) // workers
    pairs = [(np.ones(floats, np.float32), np.ones(floats, np.float32)) for _ in range(workers)]

    def best(call):
        times = []
        with ThreadPoolExecutor(workers) as pool:
            for _ in range(7):
                start = time.perf_counter()
                list(pool.map(lambda pair: call(*pair), pairs))
                times.append(time.perf_counter() - start)
        return 8 * floats * workers / min(times)
    return {"copy": best(np.copyto), "read": best(np.dot)}


def warm(names, cases, options, environment):
    """Compiles the counterparts in separate processes into a disk cache, one process per core."""
    jobs, cores = [], len(os.sched_getaffinity(0))
    environment = dict(environment, TORCHINDUCTOR_COMPILE_THREADS="1", OMP_NUM_THREADS="1")
    left = [c.name for c in cases]
    for peer, workers in (("torch.compile", max(1, cores * 3 // 4)), ("jax", max(1, cores // 4))):
        for k in range(workers if peer in names else 0):
            if left[k::workers]:
                jobs.append([*worker(peer, options), "--warm", *left[k::workers]])
    start = time.monotonic()
    running = [subprocess.Popen(j, cwd=table.HERE, env=environment, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) for j in jobs]
    for process in running:
        try:
            process.wait(timeout=max(1, options.warm - (time.monotonic() - start)))
        except subprocess.TimeoutExpired:
            process.kill()
    say(f"compiled the counterparts: {time.monotonic() - start:.0f} s")


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cuda", "host"], default="cuda" if has_cuda() else "host")
    parser.add_argument("--filter", nargs="+", default=[], help="words of names or domains")
    parser.add_argument("--only", nargs="+", metavar="PEER", help="of sinter, torch.compile, jax, torch, numpy")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "bench")
    parser.add_argument("--name", default=None, help="of the files written; by default corpus-DEVICE")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds, after which no further case is begun")
    parser.add_argument("--warm", type=float, default=0,
                        help="seconds for compiling the counterparts on all cores beforehand")
    parser.add_argument("--gpus", type=int, default=1, help="that share the cases; all of one kind")
    parser.add_argument("--seconds", type=float, help="of one round")
    parser.add_argument("--no-check", action="store_true", help="do not compare the counterparts with NumPy beforehand")
    parser.add_argument("--append", action="store_true", help="keep the cases of an earlier run and measure the others")
    parser.add_argument("--part", type=int, help="by what the first extent is divided: 16 on the host, 1 on a GPU")
    parser.add_argument("--rows", type=pathlib.Path, help="a file of rows to measure instead of the corpus")
    parser.add_argument("--draw", type=pathlib.Path, help="only draws and prints the results in this file")
    options = parser.parse_args(arguments)
    options.name = options.name or f"corpus-{options.device}"
    options.size = f"1/{options.part or (1 if options.device == 'cuda' else 16)}"
    options.seconds = options.seconds or SECONDS[options.device]
    options.reference = "torch.compile" if options.device == "cuda" else None
    return options


def prepare(case, options, folder):
    """Writes a case's operands and, on the host, computes its reference."""
    write_operands(case, options.size, folder)
    if options.device == "cuda":
        return None
    inputs = [np.load(folder / f"{name}.npy") for name in case.operands]
    return [operands.samples(r) for r in operands.reference(case, case.extents(options.size), inputs)]


def measure_cases(cases, peers, options, folder, begin, keep):
    """Cases, one after the other; prepares the next case's operands in parallel if there are enough cores."""
    here, there = folder / "now", folder / "next"
    here.mkdir(parents=True, exist_ok=True)
    there.mkdir()
    meanwhile = options.device == "cuda"
    with ThreadPoolExecutor(1) as ahead:
        coming = ahead.submit(prepare, cases[0], options, here) if cases else None
        for k, case in enumerate(cases):
            if time.monotonic() - begin > options.budget:
                say(f"the time of this run is over: {len(cases) - k} cases were not measured; --append measures them")
                break
            expected = coming.result()
            following = cases[k + 1] if k + 1 < len(cases) else None
            if following and meanwhile:
                coming = ahead.submit(prepare, following, options, there)
            results = measure_case(case, peers, options, here, expected)
            dims = case.extents(options.size)
            keep({"name": case.name, "domain": case.domain, "held_out": case.held_out, "extents": dims,
                  "read": case.read(dims), "written": case.written(dims), "operations": case.operations(dims),
                  "tolerance": case.tolerance, "results": results})
            for file in here.glob("*.npy"):
                file.unlink()
            if following and not meanwhile:
                coming = ahead.submit(prepare, following, options, there)
            here, there = there, here


class Record:
    """What was measured so far: several threads add cases, and the file is written now and then."""

    def __init__(self, whole, path):
        self.whole, self.path, self.lock, self.written = whole, path, threading.Lock(), 0.0

    def keep(self, case):
        with self.lock:
            self.whole["cases"].append(case)
            if time.monotonic() - self.written > 5:
                self.save()

    def save(self):
        self.path.write_text(json.dumps(self.whole, indent=1), encoding="utf-8")
        self.written = time.monotonic()


def measure_on_each_gpu(cases, peers, names, options, environment, folder, record):
    """Each GPU takes an equal share of the cases, with peers of its own; the first GPU's are given."""
    begin = time.monotonic()

    def share(gpu, own):
        measure_cases(cases[gpu::options.gpus], own, options, folder / f"gpu{gpu}", begin, record.keep)

    def share_of_further(gpu):
        own = start_peers(names, options, on_gpu(environment, gpu))
        try:
            share(gpu, own)
        finally:
            for peer in own:
                peer.stop()
    with ThreadPoolExecutor(options.gpus) as pool:
        further = [pool.submit(share_of_further, gpu) for gpu in range(1, options.gpus)]
        share(0, peers)
        for done in further:
            done.result()


def on_gpu(environment, gpu):
    return dict(environment, CUDA_VISIBLE_DEVICES=str(gpu))


def check_counterparts(cases, peers, options, environment, folder, whole):
    counterparts = [p for p in peers if p.name != "sinter"]
    if not options.no_check and counterparts:
        start = time.monotonic()
        eager = start_peers(["torch"], options, environment) if options.device == "cuda" else []
        whole["wrong_twins"] = check_twins(cases, eager or counterparts, folder)
        for peer in eager:
            peer.stop()
        say(f"compared the counterparts with NumPy: {time.monotonic() - start:.0f} s")
    if not whole["ceilings"]:
        by = next((p for p in peers if p.name == "torch.compile"), None)
        whole["ceilings"] = by.ask({"ceilings": True}) if by and options.device == "cuda" else host_ceilings()
        say("ceilings: " + ", ".join(f"{k} {v / 1e9:.1f} GB/s" for k, v in whole["ceilings"].items()))


def selected(options):
    """The requested cases, ordered by a hash: a time limit then leaves a random sample."""
    cases = [c for c in table.load(rows=options.rows)
             if not options.filter or any(w in c.name or w in c.domain for w in options.filter)]
    if not cases:
        sys.exit("no case has one of the words " + ", ".join(options.filter))
    return sorted(cases, key=lambda c: hashlib.sha256(c.name.encode()).hexdigest()[::-1])


def run(options):
    start = time.monotonic()
    cases = selected(options)
    path = options.out / f"{options.name}.json"
    options.out.mkdir(parents=True, exist_ok=True)
    whole = {"device": options.device, "peers": {}, "ceilings": {}, "cases": []}
    if options.append and path.exists():
        whole = json.loads(path.read_text(encoding="utf-8"))
        done = {c["name"] for c in whole["cases"]}
        cases = [c for c in cases if c.name not in done]
    shared = "/dev/shm" if os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free > 16 << 30 else None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="corpus-", dir=shared))
    environment = dict(os.environ, SINTER_CACHE_DIR="off", SINTER_DEVICE=options.device, PYTHONUNBUFFERED="1",
                       CORPUS_CACHE=str(folder / "cache"), TRITON_CACHE_DIR=str(folder / "cache" / "triton"),
                       TORCHINDUCTOR_CACHE_DIR=str(folder / "cache" / "inductor"))
    names = options.only or ["sinter", *(("torch.compile", "jax") if options.device == "cuda" else ("numpy", "jax"))]
    if options.warm:
        warm(names, cases, options, environment)
    peers = start_peers(names, options, on_gpu(environment, 0) if options.gpus > 1 else environment)
    whole["peers"] |= {p.name: p.description for p in peers}
    record = Record(whole, path)
    try:
        check_counterparts(cases, peers, options, environment, folder, whole)
        measure_on_each_gpu(cases, peers, names, options, environment, folder, record)
    finally:
        for peer in peers:
            peer.stop()
        shutil.rmtree(folder, ignore_errors=True)
        record.save()
    say(f"{time.monotonic() - start:.0f} s")
    return whole


def main():
    options = parse()
    if options.draw:
        whole = json.loads(options.draw.read_text(encoding="utf-8"))
        options.out, options.name = options.draw.parent, options.draw.stem
    else:
        whole = run(options)
    report.write(whole, options.out, options.name)
    return 1 if any(not c["results"].get("sinter", {}).get("right", False) for c in whole["cases"]) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the cases of bench/peers/cases.py with Sinter and its peers, checks every result against double, prints a table,
and writes JSON and plots.

    run.py [--groups table,sizes,steps] [--cases WORD...] [--peers NAME...] [--out FOLDER] [--name NAME]
    run.py --add --peers NAME...                        adds peers to the results of an earlier run; sinter is one

Without a CUDA device it runs the group `host`. Each peer runs in its own process; a missing peer is named and skipped.
The results are written after each peer. `--peers` without names measures Sinter only.
"""
import argparse
from concurrent.futures import ThreadPoolExecutor
import json
import math
import os
import pathlib
import queue
import subprocess
import sys
import threading
import time

import numpy as np

import cases as table
import plots
from present import has_cuda, say

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ON_CUDA = ["hand", "matx", "matx.jit", "torch.compile", "jax", "torch", "cupy.fuse", "cupy"]
ON_HOST = ["eigen", "xtensor", "numpy", "torch.compile", "jax", "torch"]
LAUNCH_BOUND_MS = 0.01  # below it, the host may launch more slowly than the device executes
PROGRAMS = {"sinter": "cases", "hand": "hand", "matx": "matx", "matx.jit": "matx_jit", "eigen": "eigen",
            "xtensor": "xtensor"}


def read_lines(process, until):
    """Yields a process's lines as they arrive; None at the deadline."""
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put("")
    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            yield None
            return
        if not line:
            return
        yield line


def run_once(command, environment, until):
    """The parsed lines of one run of a worker or program, and the reason if it ended early."""
    process = subprocess.Popen(command, cwd=HERE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    complaints = []
    threading.Thread(target=lambda: complaints.extend(process.stderr), daemon=True).start()
    found = []
    for line in read_lines(process, until):
        if line is None:
            process.kill()
            return found, "out of time"
        try:
            found.append(json.loads(line))
        except ValueError:
            pass  # a library's own output
    if process.wait() != 0:
        return found, (complaints[-1].strip() if complaints else f"exit status {process.returncode}")
    return found, None


def run_peer(peer, specs, options):
    """All lines of a peer. If it crashes in a case, it is restarted with the next one."""
    environment = dict(os.environ, SINTER_CACHE_DIR="off", SINTER_DEVICE="host" if options.device == "cpu" else "cuda",
                       PYTHONUNBUFFERED="1")
    if peer in PROGRAMS:
        program = options.build / "bench" / PROGRAMS[peer]
        if not program.exists():
            return [{"unavailable": f"{program} is not built"}]
        command = [str(program)]
    else:
        command = [sys.executable, str(HERE / "worker.py"), peer, "--device", options.device]
        if options.device == "cuda" and not options.no_kernels:
            command.append("--kernels")
    until = min(time.monotonic() + options.timeout, options.until)
    lines, left = [], list(specs)
    while left:
        found, problem = run_once(command + left, environment, until)
        lines += found
        if problem is None:
            return lines
        if not lines:
            return [{"unavailable": problem}]
        seen = {line.get("case") for line in lines}
        missing = [spec for spec in left if spec not in seen]
        if not missing:  # it crashed after the last case
            return lines
        lines.append({"case": missing[0], "error": problem})
        left = missing[1:]
        if time.monotonic() >= until:
            return lines + [{"case": spec, "error": "out of time"} for spec in left]
    return lines


def judge(line, case, reference):
    """Adds the difference between the result and the reference, and whether the result is right."""
    samples = np.array(line.pop("samples"), dtype=np.float64)
    scale = np.abs(reference).max() or 1.0
    line["error"] = float(np.abs(samples - reference).max() / scale) if samples.shape == reference.shape else math.inf
    line["right"] = bool(line["error"] <= case.tolerance and line["unwritten"] == 0)  # a NaN is not right
    return line


def collect(peers, selected, options, results, descriptions, save):
    """Fills {spec: {peer: result}} with each peer's fastest right variant and its others, and {peer: description};
    calls save() after each peer."""
    specs = list(dict.fromkeys(c.spec for c in selected))
    by_spec = {c.spec: c for c in selected}
    references = {}
    for peer in peers:
        start = time.monotonic()
        if start >= options.until:
            say(f"{peer}: skipped: the time of this run is over; --add --peers {peer} adds it")
            continue
        for of in results.values():
            of.pop(peer, None)
        lines = run_peer(peer, specs, options)
        for line in lines:
            if "unavailable" in line:
                say(f"{peer}: skipped: {line['unavailable']}")
            if "device" in line:
                descriptions[peer] = line["device"]
            spec = line.pop("case", None)
            if spec not in by_spec:
                continue
            entry = results[spec].setdefault(peer, {"ways": []})
            if "kernels" in line:
                entry["kernels"] = line["kernels"]
            elif "samples" in line:
                if spec not in references:
                    references[spec] = by_spec[spec].reference()
                entry["ways"].append(judge(line, by_spec[spec], references[spec]))
            elif "error" in line:
                say(f"{peer}: {by_spec[spec].title}: {line['error']}")
                entry["failed"] = line["error"]
        for spec, of in results.items():
            entry = of.get(peer)
            if not entry:
                continue
            for way in entry["ways"]:
                if not way["right"]:
                    say(f"{peer}: {by_spec[spec].title} {way.get('variant', '')}: WRONG: error {way['error']:.1e}, "
                        f"{way['unwritten']} elements unwritten")
            usable = [w for w in entry["ways"] if w["right"] and not w.get("approximate")]
            entry["best"] = min(usable, key=lambda w: w["ms"], default=None)
        if peer in descriptions:
            say(f"{peer}: {descriptions[peer]}: {time.monotonic() - start:.0f} s")
        save()


def measure_ceilings(options):
    specs = {spec: name for name, (spec, _) in table.CEILINGS.items()}
    ceilings = {}
    for line in run_peer("hand", list(specs), options):
        if "ms" in line:
            name = specs[line["case"]]
            ceilings[name] = table.CEILINGS[name][1] / (line["ms"] * 1e-3)
    if ceilings:
        say("ceilings: " + ", ".join(f"{name} {value / 1e12:.2f} {'TFLOP/s' if name == 'arithmetic' else 'TB/s'}"
                                     for name, value in ceilings.items()))
    return ceilings


def measure_host_ceilings():
    """Bandwidths of this process's cores: copying an array, and the dot product of two arrays by the BLAS."""
    workers = len(os.sched_getaffinity(0))
    pairs = [(np.ones(table.HOST_FLOATS // workers, np.float32), np.ones(table.HOST_FLOATS // workers, np.float32))
             for _ in range(workers)]

    def best(call):
        times = []
        with ThreadPoolExecutor(workers) as pool:
            for _ in range(7):
                start = time.perf_counter()
                list(pool.map(lambda pair: call(*pair), pairs))
                times.append(time.perf_counter() - start)
        return 8 * table.HOST_FLOATS / min(times)

    ceilings = {"copy": best(np.copyto), "read": best(np.dot)}
    say("ceilings: " + ", ".join(f"{name} {value / 1e9:.1f} GB/s" for name, value in ceilings.items()))
    return ceilings


def floor_ms(case, ceilings):
    """The minimum time of a case on this machine: its bytes at the appropriate bandwidth, or its arithmetic."""
    if "copy" not in ceilings:
        return None
    written = case.bytes_written / case.bytes
    kind = "read" if written < 0.05 else "fill" if written > 0.95 and "fill" in ceilings else "copy"
    return 1e3 * max(case.bytes / ceilings[kind], case.operations / ceilings.get("arithmetic", math.inf))


def best_ms(results, case, peer):
    best = results[case.spec].get(peer, {}).get("best")
    return best["ms"] if best else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_table(selected, results, peers, ceilings):
    width = max(len(c.title) for c in selected)
    say()
    say(f"{'ms':{width}} {'sinter':>9} " + " ".join(f"{p:>9.9}" for p in peers) +
        f" {'GB/s':>6} {'ceiling':>8} {'launches':>8} {'hand/us':>7} {'best peer/us':>12}")
    ratios = {p: [] for p in peers}
    of_best = []
    for case in selected:
        ours = best_ms(results, case, "sinter")
        row = f"{case.title:{width}} " + (f"{ours:9.4g} " if ours else f"{'-':>9} ")
        others = []
        for peer in peers:
            ms = best_ms(results, case, peer)
            row += f"{ms:9.4g} " if ms else f"{'-':>9} "
            if ms and ours:
                ratios[peer].append(ms / ours)
                if peer != "hand":
                    others.append(ms)
        if ours:
            floor = floor_ms(case, ceilings)
            hand = best_ms(results, case, "hand")
            row += f"{case.bytes / ours / 1e6:6.0f} " + (f"{floor / ours:8.0%} " if floor else f"{'':8} ")
            row += f"{results[case.spec]['sinter']['best'].get('launches', 0):8} "
            row += f"{hand / ours:7.2f} " if hand else f"{'':7} "
            if others:
                of_best.append(min(others) / ours)
                row += f"{of_best[-1]:12.2f}"
        say(row)
    say()
    means = {p: geometric_mean(r) for p, r in ratios.items() if r}
    for peer, mean in means.items():
        say(f"time of {peer} over Sinter's, geometric mean of {len(ratios[peer])} cases: {mean:.3g}, "
            f"least {min(ratios[peer]):.3g}")
    if of_best:
        means["best peer"] = geometric_mean(of_best)
        say(f"time of the best peer of each case over Sinter's, hand-written kernels aside: {means['best peer']:.3g}, "
            f"least {min(of_best):.3g}")
    return means


def print_costs(selected, results, peers):
    """Prints the host time per call of a small case, and of the first call of a new expression."""
    say()
    small = [c for c in selected if c.op == "multiply_add" or (c.op == "matmul" and max(c.extents) <= 1000)]
    for peer in ["sinter", *peers]:
        bests = {c.spec: b for c in selected if (b := results[c.spec].get(peer, {}).get("best"))}
        if not bests:
            continue
        first = sorted(b["first_ms"] for b in bests.values())[len(bests) // 2]
        calls = ", ".join(f"{c.title} {bests[c.spec]['host_us']:.2f}" for c in small if c.spec in bests)
        say(f"{peer}: first call {first:.1f} ms (median)" + (f"; us of host time a call: {calls}" if calls else ""))
    for case in selected:
        both = [results[case.spec].get(peer, {}).get("best") for peer in ("sinter", "hand")]
        if all(both) and min(b["ms"] for b in both) < LAUNCH_BOUND_MS:
            ours, hand = (1e3 * b["queued_ms"] for b in both)
            say(f"{case.title}: {ours:.2f} us on the device when launches leave no gaps, {hand:.2f} by hand: "
                f"{hand / ours:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--groups", help="of " + ", ".join(table.GROUPS))
    parser.add_argument("--cases", nargs="*", default=[], help="only those whose name or title has one of these words")
    parser.add_argument("--peers", nargs="*", help="only these; of " + ", ".join(dict.fromkeys(ON_CUDA + ON_HOST)))
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda" if has_cuda() else "cpu")
    parser.add_argument("--timeout", type=float, default=150, help="seconds a peer may take (%(default)s)")
    parser.add_argument("--budget", type=float, default=480, help="seconds all of them may take (%(default)s)")
    parser.add_argument("--add", action="store_true", help="keep what the file of results holds of other peers")
    parser.add_argument("--no-kernels", action="store_true", help="do not count the kernels that peers launch")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench/results")
    parser.add_argument("--name", help="of the files in --out; the device's by default")
    options = parser.parse_args()
    options.build = options.build.resolve()

    if options.device == "cpu":
        say("No CUDA device here: the cases of the group 'host', on the processor.")
    peers = options.peers if options.peers is not None else (ON_CUDA if options.device == "cuda" else ON_HOST)
    names = (options.groups or ("table,sizes,steps" if options.device == "cuda" else "host")).split(",")
    groups = {n: [c for c in table.GROUPS[n] if not options.cases or
                  any(word in c.spec or word in c.title for word in options.cases)] for n in names}
    selected = [c for group in groups.values() for c in group]
    if not selected:
        sys.exit("no case has one of the words " + ", ".join(options.cases))

    start = time.monotonic()
    options.until = start + options.budget
    stem = options.name or ("cuda" if options.device == "cuda" else "host")
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"{stem}.json"
    whole = {"device": "", "peers": {}, "ceilings": {}, "means": {}, "cases": []}
    if options.add and path.exists():
        whole = json.loads(path.read_text(encoding="utf-8"))
    descriptions, others = whole["peers"], whole["cases"]
    results = {c.spec: {} for c in selected} | {c["case"]: c["results"] for c in whole["cases"]}
    if not whole["ceilings"]:
        whole["ceilings"] = measure_ceilings(options) if options.device == "cuda" else measure_host_ceilings()
    ceilings = whole["ceilings"]

    def save():
        whole["device"] = descriptions.get("sinter", "")
        whole["cases"] = [{"case": c.spec, "title": c.title, "group": n, "bytes": c.bytes, "operations": c.operations,
                           "floor_ms": floor_ms(c, ceilings), "results": results[c.spec]}
                          for n, group in groups.items() for c in group]
        whole["cases"] += [c for c in others if c["case"] not in {k["case"] for k in whole["cases"]}]
        path.write_text(json.dumps(whole, indent=1), encoding="utf-8")

    wanted = peers if options.add and "sinter" in descriptions else ["sinter", *peers]
    collect(wanted, selected, options, results, descriptions, save)
    present = [p for p in dict.fromkeys([*(ON_CUDA if options.device == "cuda" else ON_HOST), *peers])
               if p in descriptions and p != "sinter"]
    for name, group in groups.items():
        if group:
            whole["means"][name] = print_table(group, results, present, ceilings)
    print_costs(selected, results, present)
    save()
    drawn = plots.draw(whole, options.out, stem)
    say(f"\n{time.monotonic() - start:.0f} s; wrote {', '.join(str(p) for p in [path, *drawn])}")
    ours = [results[c.spec].get("sinter", {}) for c in selected]
    return 1 if any(not w["right"] for r in ours for w in r.get("ways", [])) else 0


if __name__ == "__main__":
    sys.exit(main())

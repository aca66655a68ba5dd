#!/usr/bin/env python3
"""Searches for performance cliffs: measures Sinter over sizes, row lengths, axes and misaligned views, and compares
each point with its neighbour, a power of two of about the same size. A cliff is less than 80 % of the neighbour's
bandwidth above 64 MB.

    sweep.py [--build FOLDER] [--out FILE.json]

Needs a CUDA device; exits 1 when there is a cliff or a wrong result.
"""
import argparse
from concurrent.futures import ThreadPoolExecutor
import json
import math
import pathlib
import sys
import time

import run
from cases import M, Case

LEAST_BYTES = 64 * M  # smaller cases fit in the cache and include launch overhead
LEAST_SHARE = 0.8
TOTAL = 64 * M        # elements of each reduction
LENGTHS = (1, 2, 3, 7, 8, 31, 32, 100, 127, 128, 1000, 1009, 1024, 10007, 16384, 100003, 131072, 1000003, M, 10000019)


def aligned(n):
    """The nearest power of two."""
    return 1 << round(math.log2(n))


def along(axis, length):
    """About TOTAL elements, summed along an axis of `length`."""
    others = max(1, TOTAL // length)
    middle = min(16, others)
    extents = {0: (length, 1, others), 1: (middle, length, others // middle), 2: (1, others, length)}[axis]
    return Case(f"norm_axis{axis}", extents)


def sweep():
    """(curve, x, case, its neighbour)."""
    for n in (1000, 10_000, 100_000, M, 10_000_000, 16 * M, 16_777_213, 100_000_000, 256 * M, 268_435_399, 10**9):
        yield "exp(x)", n, Case("exp", (n,)), Case("exp", (aligned(n),))
    for n in (16 * M, 256 * M):
        yield "exp(x[1:])", n, Case("exp_shifted", (n,)), Case("exp", (n,))
    for axis in (2, 1, 0):
        for length in LENGTHS:
            yield f"norm, axis {axis}", length, along(axis, length), along(axis, aligned(length))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=run.ROOT / "build/release")
    parser.add_argument("--out", type=pathlib.Path, help="where the figures go, as JSON")
    options = parser.parse_args()
    options.build, options.device = options.build.resolve(), "cuda"
    options.timeout, options.until = math.inf, time.monotonic() + 3600

    points = list(sweep())
    cases = {case.spec: case for _, _, *both in points for case in both}
    lines = run.run_peer("sinter", list(cases), options)
    for line in lines:
        if "error" in line:
            print(f"{line['case']}: {line['error']}")
    lines = [line for line in lines if "samples" in line]
    with ThreadPoolExecutor(8) as pool:
        references = list(pool.map(lambda line: cases[line["case"]].reference(), lines))
    found = {line["case"]: run.judge(line, cases[line["case"]], r) for line, r in zip(lines, references)}

    rate = lambda c: c.bytes / found[c.spec]["ms"] / 1e6
    failed, table = 0, []
    print(f"{'':16} {'length':>12} {'MB':>7} {'ms':>9} {'GB/s':>6} {'of neighbour':>12}")
    for curve, x, case, neighbour in points:
        if case.spec not in found or neighbour.spec not in found:
            failed += 1
            continue
        share = rate(case) / rate(neighbour)
        words = "" if found[case.spec]["right"] else "WRONG"
        if case.bytes >= LEAST_BYTES and share < LEAST_SHARE:
            words += " cliff"
        failed += bool(words)
        table.append({"curve": curve, "length": x, "bytes": case.bytes, "ms": found[case.spec]["ms"], "share": share,
                      "schedule": found[case.spec]["detail"]})
        print(f"{curve:16} {x:12} {case.bytes / 1e6:7.0f} {found[case.spec]['ms']:9.4g} {rate(case):6.0f} {share:12.0%}"
              f" {words}")
    print(f"{len(table)} of {len(points)} points, {failed} failed")
    if options.out:
        options.out.write_text(json.dumps(table, indent=1), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares what explain() says of the corpus now with what an earlier run measured; needs no GPU.

    agreement.py [--program build/release/bench/corpus/corpus] [--measured ../results/corpus-h200.json] [--all]

Prints, for each part of the corpus, in how many cases explain's bytes are within 5 % of the minimum traffic and its
time within 15 % of the measured one; then the cases of which they are not, or all. Without a GPU, explain() assumes an
H200 without libraries. """
import argparse
import json
import math
import pathlib
import subprocess
import sys

import table

ROOT = table.HERE.parents[1]
BYTES_BAR, TIME_BAR = 0.05, 0.15


def explained(program, cases):
    """What explain() says: {name: {"predicted_ms", "predicted_bytes", "schedules", ...}}."""
    commands = [f"explain {c['name']} " + ",".join(f"{k}={v}" for k, v in c["extents"].items()) for c in cases]
    said = subprocess.run([program], input="\n".join(commands) + "\n", capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in said.stdout.splitlines()[1:]]  # the first line names the device
    return dict(zip((c["name"] for c in cases), answers, strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=ROOT / "build" / "release" / "bench" / "corpus" / "corpus")
    parser.add_argument("--measured", type=pathlib.Path, default=ROOT / "bench" / "results" / "corpus-h200.json")
    parser.add_argument("--all", action="store_true", help="print all cases")
    options = parser.parse_args()
    cases = json.loads(options.measured.read_text(encoding="utf-8"))["cases"]
    told = explained(options.program, cases)
    rows = []
    for case in cases:
        of, ms = told[case["name"]], case["results"]["sinter"]["ms"]
        if "error" in of:
            sys.exit(f"{case['name']}: {of['error']}")
        rows.append((case["name"], case["held_out"], of["predicted_bytes"] / (case["read"] + case["written"]),
                     of["predicted_ms"] / ms, ms, ", ".join(sorted(set(of["bound_by"])))))
    for part, wanted in (("fitted", (False,)), ("held out", (True,)), ("all", (False, True))):
        these = [r for r in rows if r[1] in wanted]
        bytes_good = sum(abs(r[2] - 1) <= BYTES_BAR for r in these)
        time_good = sum(abs(r[3] - 1) <= TIME_BAR for r in these)
        error = sum(abs(math.log(r[3])) for r in these) / max(1, len(these))
        print(f"{part}: of {len(these)}, bytes within 5 % in {bytes_good}, time within 15 % in {time_good} (mean "
              f"error of the logarithm {error:.3f})")
    print("\n| case | bytes over the least | predicted over measured | measured ms | bound by |\n|---|---|---|---|---|")
    for name, held_out, moved, time, ms, bound in sorted(rows, key=lambda r: r[3]):
        if options.all or abs(moved - 1) > BYTES_BAR or abs(time - 1) > TIME_BAR:
            print(f"| {name}{' *' if held_out else ''} | {moved:.2f} | {time:.2f} | {ms:.4g} | {bound} |")


if __name__ == "__main__":
    main()

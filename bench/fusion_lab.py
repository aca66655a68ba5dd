#!/usr/bin/env python3
"""Draws what examples/fusion_lab.cpp measured: fusion_lab.py LAB.json FOLDER

    build/release/examples/fusion_lab --json lab.json && python3 bench/fusion_lab.py lab.json bench/results
"""
import json
import pathlib
import sys

from peers import plots


def curves(cases):
    """{way: [(operations, ms)]}: of one size."""
    return {way: [(c["operations"], c[way]["ms"]) for c in cases] for way in ("fused", "unfused")}


def gains(cases):
    """{operations: [(elements, times faster)]}."""
    found = {}
    for c in cases:
        series = found.setdefault(f"{c['operations']} operations", [])
        series.append((c["elements"], c["unfused"]["ms"] / c["fused"]["ms"]))
    return found


def draw(lab, folder, stem):
    """Writes two figures; gives their paths."""
    cases, device = lab["cases"], lab["device"]
    largest = max(c["elements"] for c in cases)
    return [plots.lines(curves([c for c in cases if c["elements"] == largest]),
                        f"{largest} floats on {device}", "operations", "ms", folder / f"{stem}-operations.svg"),
            plots.lines(gains(cases), f"What fusion is worth on {device}", "elements",
                        "times faster than one kernel an operation", folder / f"{stem}-sizes.svg")]


def main(path, folder):
    path = pathlib.Path(path)
    for drawn in draw(json.loads(path.read_text(encoding="utf-8")), pathlib.Path(folder), path.stem):
        print(drawn)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

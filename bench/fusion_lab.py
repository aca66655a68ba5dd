#!/usr/bin/env python3
"""Plots the measurements of examples/fusion_lab.cpp: fusion_lab.py LAB.json FOLDER

    build/release/examples/fusion_lab --json lab.json && python3 bench/fusion_lab.py lab.json bench/results
"""
import json
import pathlib
import sys

from peers import plots


PANELS = (("time, ms", lambda cost: cost["ms"]), ("moved, MB", lambda cost: cost["bytes"] / 1e6),
          ("launches", lambda cost: cost["launches"]))


def curves(cases, figure):
    """{way: [(operations, figure)]} for one size."""
    return {way: [(c["operations"], figure(c[way])) for c in cases] for way in ("fused", "unfused")}


def gains(cases):
    """{operations: [(elements, speedup)]}."""
    found = {}
    for c in cases:
        series = found.setdefault(f"{c['operations']} operations", [])
        series.append((c["elements"], c["unfused"]["ms"] / c["fused"]["ms"]))
    return found


def draw_costs(cases, title, path):
    """Time, bytes and launches of both ways."""
    d = plots.Drawing(1120, 430)
    d.text(20, 24, title, size=16)
    plots.legend(d, ["fused", "unfused"], 20, 48)
    for i, (label, figure) in enumerate(PANELS):
        left = 70 + 370 * i
        plots.panel(d, (left, left + 290, 90, 370), curves(cases, figure), "operations", label)
    d.write(path)
    return path


def draw(lab, folder, stem):
    """Writes two figures; returns their paths."""
    cases, device = lab["cases"], lab["device"]
    largest = max(c["elements"] for c in cases)
    return [draw_costs([c for c in cases if c["elements"] == largest], f"{largest} floats on {device}",
                       folder / f"{stem}-operations.svg"),
            plots.lines(gains(cases), f"What fusion is worth on {device}", "elements",
                        "times faster than one kernel per operation", folder / f"{stem}-sizes.svg")]


def main(path, folder):
    path = pathlib.Path(path)
    for drawn in draw(json.loads(path.read_text(encoding="utf-8")), pathlib.Path(folder), path.stem):
        print(drawn)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

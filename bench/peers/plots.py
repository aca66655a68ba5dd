"""Plots results as SVG files, without a plotting library: ratios to each peer, bandwidth against size, and time against
the number of fused operations. They follow the reader's choice of light or dark.

    python3 bench/peers/plots.py bench/results/h200.json ...     plots recorded results
"""
import json
import math
import pathlib
import sys

COLOURS = {"sinter": "#c0392b", "hand": "#4a7aa7", "torch.compile": "#e67e22", "torch": "#f1c40f", "jax": "#27ae60",
           "cupy.fuse": "#2980b9", "cupy": "#85c1e9", "eigen": "#8e44ad", "xtensor": "#16a085", "matx": "#76b900",
           "matx.jit": "#145a32", "numpy": "#7f8c8d",
           "fused": "#c0392b", "unfused": "#4a7aa7", "1 operations": "#bdc3c7", "2 operations": "#f1c40f",
           "4 operations": "#e67e22", "8 operations": "#27ae60", "16 operations": "#2980b9",
           "32 operations": "#8e44ad"}

# Colours for a white ground are attributes, which a CSS rule overrides.
STYLE = """
  .ground { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #1e2129 } text { fill: #e5e9f0 }
    line { stroke: #39404d } line.one { stroke: #a6b0c0 }
  }
"""


class Drawing:
    """Shapes and text, written to a file."""

    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def line(self, x1, y1, x2, y2, colour="#ccc", width=1.0):
        kind = ' class="one"' if colour == "#444" else ""
        self.parts.append(f'<line{kind} x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
                          f'stroke-width="{width}"/>')

    def path(self, points, colour):
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="2"/>')

    def dot(self, x, y, colour, title):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}" fill-opacity="0.85">'
                          f'<title>{escaped(title)}</title></circle>')

    def text(self, x, y, text, anchor="start", size=12, colour="#222"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
                          f'fill="{colour}">{escaped(text)}</text>')

    def write(self, path):
        path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                        f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif">\n'
                        f'<style>{STYLE}</style>\n<rect class="ground" width="100%" height="100%"/>\n' +
                        "\n".join(self.parts) + "\n</svg>\n",
                        encoding="utf-8")


def escaped(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def ticks(low, high):
    """The 1, 2 and 5 of each power of ten between two numbers; only the powers when there are many."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    all_of = [m * 10.0**e for e in exponents for m in (1, 2, 5)]
    inside = [t for t in all_of if low * 0.999 <= t <= high * 1.001]
    return inside if len(inside) <= 12 else [t for t in inside if math.log10(t) % 1 < 1e-9]


def shown(tick):
    """A short tick label: 1k, 20M, 2G."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if tick >= 10 * size or tick in (size, 2 * size, 5 * size):
            return f"{tick / size:g}{letter}"
    return f"{tick:g}"


def log_scale(low, high, first, last):
    span = math.log(high / low) or 1.0
    return lambda v: first + (last - first) * math.log(v / low) / span


def legend(d, peers, x, y):
    for peer in peers:
        d.dot(x, y - 4, COLOURS.get(peer, "#000"), peer)
        d.text(x + 9, y, peer)
        x += 24 + 7.2 * len(peer)


def best(case, peer):
    entry = case["results"].get(peer) or {}
    return (entry.get("best") or {}).get("ms")


def ratios(cases, peers, title, path):
    """One row per case: each peer's time relative to Sinter's."""
    rows = [c for c in cases if best(c, "sinter")]
    found = [best(c, p) / best(c, "sinter") for c in rows for p in peers if best(c, p)]
    if not found:
        return None
    low, high = min(0.5, min(found)), max(2.0, max(found))
    left, right, top, step = 330, 960, 70, 22
    d = Drawing(1000, top + step * len(rows) + 50)
    x = log_scale(low, high, left, right)
    d.text(20, 24, title, size=16)
    legend(d, peers, 20, 48)
    bottom = top + step * len(rows)
    for t in ticks(low, high):
        d.line(x(t), top - 8, x(t), bottom, "#444" if t == 1 else "#ddd")
        d.text(x(t), bottom + 16, shown(t), "middle", 11)
    d.text((left + right) / 2, bottom + 36, "time over Sinter's (right of 1: Sinter is faster)", "middle")
    for i, case in enumerate(rows):
        y = top + step * (i + 0.5)
        d.text(left - 10, y + 4, case["title"], "end", 11)
        d.line(left, y, right, y, "#f0f0f0")
        for p in peers:
            if best(case, p):
                ratio = best(case, p) / best(case, "sinter")
                d.dot(x(ratio), y, COLOURS.get(p, "#000"), f"{p}: {ratio:.2f}, {best(case, p):.4g} ms")
    d.write(path)
    return path


def panel(d, frame, series, x_label, y_label):
    """One line per peer, {peer: [(x, y)]}, on logarithmic axes, in a part of a drawing: (left, right, top, bottom)."""
    left, right, top, bottom = frame
    points = [p for s in series.values() for p in s]
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    x = log_scale(min(xs), max(xs), left, right)
    y = log_scale(min(ys) * 0.9, max(ys) * 1.1, bottom, top)
    for t in ticks(min(xs), max(xs)):
        d.line(x(t), top, x(t), bottom, "#eee")
        d.text(x(t), bottom + 16, shown(t), "middle", 11)
    for t in ticks(min(ys) * 0.9, max(ys) * 1.1):
        d.line(left, y(t), right, y(t), "#eee")
        d.text(left - 8, y(t) + 4, shown(t), "end", 11)
    d.text((left + right) / 2, bottom + 40, x_label, "middle")
    d.text(left, top - 12, y_label)
    for peer, s in series.items():
        d.path([(x(a), y(b)) for a, b in s], COLOURS.get(peer, "#000"))
        for a, b in s:
            d.dot(x(a), y(b), COLOURS.get(peer, "#000"), f"{peer}: {b:.4g} at {a:g}")


def lines(series, title, x_label, y_label, path):
    """One panel, as a file."""
    if not any(series.values()):
        return None
    d = Drawing(800, 490)
    d.text(20, 24, title, size=16)
    legend(d, list(series), 20, 48)
    panel(d, (80, 760, 80, 430), series, x_label, y_label)
    d.write(path)
    return path


def draw(whole, folder, stem):
    """Writes the plots that the results allow; returns the files' paths."""
    folder = pathlib.Path(folder)
    peers = [p for p in whole["peers"] if p != "sinter"]
    of = {}
    for case in whole["cases"]:
        of.setdefault(case["group"], []).append(case)

    def series(group, point):
        found = {p: [point(c, best(c, p)) for c in of[group] if best(c, p)] for p in ["sinter", *peers]}
        return {p: s for p, s in found.items() if s}

    drawn = []
    for group in ("table", "host"):
        if group in of:
            drawn.append(ratios(of[group], peers, whole["device"], folder / f"{stem}-ratios.svg"))
    if "sizes" in of:
        drawn.append(lines(series("sizes", lambda c, ms: (c["bytes"], c["bytes"] / ms / 1e6)),
                           "exp(x), float32: bandwidth against size", "bytes read and written", "GB/s",
                           folder / f"{stem}-sizes.svg"))
    if "steps" in of:
        drawn.append(lines(series("steps", lambda c, ms: (2 * int(c["case"].split(".")[0].split("_")[1]), ms)),
                           "Time against the number of operations, float32, 2^26 elements", "operations", "ms",
                           folder / f"{stem}-operations.svg"))
    return [p for p in drawn if p]


if __name__ == "__main__":
    for results in map(pathlib.Path, sys.argv[1:]):
        for path in draw(json.loads(results.read_text(encoding="utf-8")), results.parent, results.stem):
            print(path)

"""Plots of measured figures, in the style of the course's pictures: SVG files in docs/pictures, which docs/update.py
writes from bench/results."""
import math

import figures
from course.pictures import picture

GPU = "one NVIDIA H200"


class plot(picture):
    """A picture with two logarithmic axes."""

    def __init__(self, says, title, x, y, size=(760, 420)):
        super().__init__(*size, says)
        self.x_range, self.y_range = x, y
        self.left, self.right, self.top, self.bottom = 90, size[0] - 30, 60, size[1] - 64
        self.text(20, 28, title, "title", "start")

    def at(self, x, y):
        def part(value, low, high):
            return math.log(value / low) / math.log(high / low)
        return (self.left + (self.right - self.left) * part(x, *self.x_range),
                self.bottom - (self.bottom - self.top) * part(y, *self.y_range))

    def axes(self, x_ticks, y_ticks, x_label, y_label):
        """Ticks are (value, label) pairs: a label is a number with its unit, never a power of ten."""
        for value, label in x_ticks:
            x, _ = self.at(value, self.y_range[0])
            self.line(x, self.top, x, self.bottom, "grid")
            self.text(x, self.bottom + 18, label, "note")
        for value, label in y_ticks:
            _, y = self.at(self.x_range[0], value)
            self.line(self.left, y, self.right, y, "grid")
            self.text(self.left - 8, y + 4, label, "note", "end")
        self.text((self.left + self.right) / 2, self.bottom + 44, x_label)
        self.text(20, self.top - 12, y_label, "note", "start")

    def curve(self, points, kind):
        path = " L".join("{:.1f} {:.1f}".format(*self.at(*p)) for p in points)
        self.parts.append(f'<path class="curve {kind}" d="M{path}"/>')

    def dots(self, points, kind):
        for point in points:
            x, y = self.at(*point)
            self.parts.append(f'<circle class="dot {kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')

    def label(self, x, y, text, kind="", anchor="start", dx=8, dy=-8):
        px, py = self.at(x, y)
        self.text(px + dx, py + dy, text, kind, anchor)


def fusion():
    """The time of a chain of operations: one kernel against one kernel per operation."""
    counts = sorted({c["operations"] for c in figures.results("h200-fusion")["cases"]})
    ways = {way: [(n, figures.fusion(n, way, "ms")) for n in counts] for way in ("fused", "unfused")}
    size = max(c["elements"] for c in figures.results("h200-fusion")["cases"])
    exponent = str(size.bit_length() - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    p = plot("The time of a chain of operations: constant as one kernel, growing with one kernel per operation",
             f"A chain of operations on 2{exponent} floats, {GPU}", (counts[0], counts[-1]), (0.1, 6))
    p.axes([(n, str(n)) for n in counts], [(0.1, "0.1"), (0.2, "0.2"), (0.5, "0.5"), (1, "1"), (2, "2"), (5, "5")],
           "operations in the expression", "milliseconds")
    for way, points in ways.items():
        p.curve(points, way)
        p.dots(points, way)
    n = counts[-1]
    p.label(n, ways["fused"][-1][1], f"fused: one kernel, {figures.fusion(n, 'fused', 'bytes') / 1e9:.2g} GB", "title",
            "end", 0, -14)
    p.label(n, ways["unfused"][-1][1], f"one kernel per operation: {n} launches, "
            f"{figures.fusion(n, 'unfused', 'bytes') / 1e9:.2g} GB", "title", "end", -14, 4)
    return p.done()


def sizes():
    """The bandwidth of exp(x) against its size."""
    exponentials = list(figures.cases("h200", ("sizes",)).values())
    peers = {"sinter": "Sinter", "hand": "by hand", "torch.compile": "torch.compile", "cupy": "CuPy"}
    p = plot("Bandwidth of exp(x) against the number of bytes, of Sinter, a kernel by hand, torch.compile and CuPy",
             f"exp(x) in float32, {GPU}", (8192, 2147483648), (0.2, 6000))
    p.axes([(8 << 10, "8 KB"), (128 << 10, "128 KB"), (2 << 20, "2 MB"), (32 << 20, "32 MB"), (512 << 20, "512 MB")],
           [(1, "1"), (10, "10"), (100, "100"), (1000, "1000")], "bytes read and written", "GB/s")
    for peer, kind in zip(peers, ("fused", "unfused", "third", "fourth")):
        points = [(c["bytes"], c["bytes"] / figures.milliseconds(c, peer) / 1e6) for c in exponentials]
        p.curve(points, kind)
        p.dots(points, kind)
    for i, (kind, name) in enumerate(zip(("fused", "unfused", "third", "fourth"), peers.values())):
        p.parts.append(f'<circle class="dot {kind}" cx="560" cy="{270 + i * 20}" r="4"/>')
        p.text(572, 274 + i * 20, name, "", "start")
    return p.done()


def roofline():
    """Attainable arithmetic over arithmetic intensity, with measured expressions under it."""
    read, arithmetic = figures.ceiling("read"), figures.ceiling("arithmetic")
    ridge = arithmetic / read
    p = plot(f"Roofline: attainable arithmetic grows with arithmetic intensity up to {ridge:.0f} flop per byte",
             f"Roofline of {GPU}, float32, both ceilings measured", (0.1, 200), (0.2, 120))
    p.axes([(0.1, "0.1"), (1, "1"), (10, "10"), (100, "100")], [(0.2, "0.2"), (1, "1"), (10, "10"), (100, "100")],
           "arithmetic intensity: flop per byte", "TFLOP/s")
    p.curve([(0.1, 0.1 * read / 1e12), (ridge, arithmetic / 1e12), (200, arithmetic / 1e12)], "fused")
    p.label(2, 2 * read / 1e12, f"memory-bound: {read / 1e12:.2f} TB/s read", "title", "end", -4, -8)
    p.label(190, arithmetic / 1e12, f"compute-bound: {arithmetic / 1e12:.1f} TFLOP/s", "title", "end", 0, -8)
    p.curve([(ridge, 0.2), (ridge, arithmetic / 1e12)], "dashed")
    p.label(ridge, 0.2, f"ridge point: {ridge:.0f}", "note", "start", 6, -8)
    for title, flops, shown, anchor, dx in (
            ("a*x + b*y + c*w, 134217728", 5 * 134217728, "a*x + b*y + c*w", "start", 9),
            ("sum(x*y), 268435456", 2 * 268435456, "sum(x*y)", "end", -9),
            ("pairwise squared distances, 4096x4096x64", 3 * 4096 * 4096 * 64, "squared distances", "middle", 0)):
        case = figures.the_case("h200", title)
        rate = flops / figures.milliseconds(case, "sinter") / 1e9
        p.dots([(flops / case["bytes"], rate)], "unfused")
        p.label(flops / case["bytes"], rate, shown, "code", anchor, dx, 4 if anchor == "end" else 18)
    return p.done()


def halo():
    """Two steps of the heat equation on two GPUs: what ran when, as the devices recorded it."""
    work = figures.results("h200-halo")["work"]
    lanes = [(0, "interior"), (0, "exchange"), (0, "waiting rows"), (1, "interior"), (1, "exchange"),
             (1, "waiting rows")]
    kinds = {"interior": "compute", "exchange": "memory", "waiting rows": "compute"}
    left, right, top, lane = 190, 840, 60, 34
    until = max(w["end_us"] for w in work)
    p = picture(880, top + lane * len(lanes) + 60,
                "A timeline of two steps: exchanges and rows that wait lie beside the other rows")

    def x(microseconds):
        return left + (right - left) * microseconds / until
    p.text(20, 28, "Two steps of examples/heat on two NVIDIA H200s, 16384 × 16384 floats each", "title", "start")
    bottom = top + lane * len(lanes)
    for tick in range(0, int(until) + 1, 200):
        p.line(x(tick), top, x(tick), bottom, "grid")
        p.text(x(tick), bottom + 18, f"{tick} µs" if tick else "0", "note")
    for i, (gpu, name) in enumerate(lanes):
        p.text(left - 12, top + lane * i + 20, f"GPU {gpu}: {name}", "", "end")
        for w in work:
            if (w["gpu"], w["work"]) == (gpu, name):
                width = max(x(w["end_us"]) - x(w["begin_us"]), 2)
                p.box(x(w["begin_us"]), top + lane * i + 4, width, lane - 10, kinds[name])
    p.text((left + right) / 2, bottom + 44, "time")
    return p.done()


def drawn():
    """{file's path below docs/: text}."""
    return {f"pictures/{draw.__name__}.svg": draw() for draw in (fusion, sizes, roofline, halo)}

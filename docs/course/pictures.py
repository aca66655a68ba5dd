"""The course's pictures: SVG files in docs/course/pictures, which docs/update.py writes. They follow the reader's
choice of light or dark."""
import figures

STYLE = """
  svg { font-family: system-ui, sans-serif; font-size: 13px }
  .ground { fill: #ffffff } text { fill: #1a202c } .note { fill: #4a5568; font-size: 12px }
  .title { font-weight: 600; font-size: 14px } .code { font-family: ui-monospace, monospace }
  .memory { fill: #dbe7f5; stroke: #2b5c94 } .compute { fill: #e6f4ea; stroke: #2f6f3e }
  .box { stroke-width: 1.5 } .arrow { stroke: #b4530a; stroke-width: 2; fill: none } .head { fill: #b4530a }
  .wire { stroke: #718096; stroke-width: 1.2; fill: none } .grid { stroke: #d5dbe5; stroke-width: 1; fill: none }
  .curve { fill: none; stroke-width: 2.5 } .dashed { stroke: #718096; stroke-dasharray: 5 4; stroke-width: 1.2 }
  .curve.fused { stroke: #b3261e } .curve.unfused { stroke: #2b5c94 }
  .dot.fused { fill: #b3261e } .dot.unfused { fill: #2b5c94 }
  .curve.third { stroke: #8a5a00 } .dot.third { fill: #8a5a00 }
  .curve.fourth { stroke: #2f6f3e } .dot.fourth { fill: #2f6f3e }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #1e2129 } text { fill: #e5e9f0 } .note { fill: #a6b0c0 }
    .memory { fill: #24405f; stroke: #8ab8ea } .compute { fill: #22442c; stroke: #8fce9f }
    .arrow { stroke: #f0a35e } .head { fill: #f0a35e } .wire { stroke: #8b97a8 }
    .grid { stroke: #39404d } .dashed { stroke: #8b97a8 } .curve.fused { stroke: #ff9a8f }
    .curve.unfused { stroke: #8ab8ea } .dot.fused { fill: #ff9a8f } .dot.unfused { fill: #8ab8ea }
    .curve.third { stroke: #f0c36a } .dot.third { fill: #f0c36a }
    .curve.fourth { stroke: #8fce9f } .dot.fourth { fill: #8fce9f }
  }
"""


class picture:
    def __init__(self, width, height, says):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                      f'role="img" aria-label="{says}">\n<style>{STYLE}</style>\n'
                      '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
                      'markerHeight="7" orient="auto"><path class="head" d="M0 0 L10 5 L0 10 z"/></marker></defs>\n'
                      f'<rect class="ground" width="{width}" height="{height}" rx="8"/>']

    def text(self, x, y, text, kind="", anchor="middle"):
        text = text.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" class="{kind}">{text}</text>')

    def box(self, x, y, width, height, kind, text="", text_kind=""):
        self.parts.append(f'<rect class="box {kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
                          'rx="5"/>')
        if text:
            self.text(x + width / 2, y + height / 2 + 4.5, text, text_kind)

    def line(self, x1, y1, x2, y2, kind="wire"):
        head = ' marker-end="url(#head)"' if kind == "arrow" else ""
        self.parts.append(f'<path class="{kind}" d="M{x1:g} {y1:g} L{x2:g} {y2:g}"{head}/>')

    def done(self):
        return "\n".join(self.parts) + "\n</svg>\n"


def traffic():
    """Two kernels with an array between them, and one kernel."""
    p = picture(850, 250, "Two kernels move 16 bytes per element through memory, one kernel 8")

    def arrays(left, names, title, total):
        p.text(left, 28, title, "title", "start")
        p.text(left, 228, total, "", "start")
        for i, name in enumerate(names):
            p.box(left + i * 150, 50, 90, 40, "memory", name, "code")
        for i in range(len(names) - 1):
            x = left + i * 150
            operation = ["x * 0.5", "t + 1"][i] if len(names) == 3 else "x * 0.5 + 1"
            p.box(x + 65, 150, 110, 40, "compute", operation, "code")
            p.line(x + 45, 90, x + 100, 148, "arrow")
            p.line(x + 140, 150, x + 188, 92, "arrow")
            p.text(x + 62, 130, "4", "note", "end")
            p.text(x + 178, 130, "4", "note", "start")

    arrays(24, ["x", "t", "y"], "one kernel per operation", "4 + 4 + 4 + 4 = 16 bytes per element")
    arrays(500, ["x", "y"], "fused", "4 + 4 = 8 bytes per element")
    p.text(834, 74, "memory", "note", "end")
    p.text(834, 174, "processor", "note", "end")
    return p.done()


def butterfly():
    """Eight lanes, three steps: at each a lane adds the value of the lane whose number differs in one bit."""
    p = picture(720, 356, "A sum over eight lanes in three steps of a butterfly; at the end all lanes have it")
    for lane in range(8):
        p.text(70 + lane * 80, 24, f"lane {lane}", "note")
    for step, offset in enumerate([None, 4, 2, 1]):
        y = 36 + step * 92
        if offset:
            p.text(14, y - 28, f"xor {offset}", "note", "start")
            for lane in range(8):
                for other in (lane, lane ^ offset):
                    p.line(70 + other * 80, y - 60, 70 + lane * 80, y - 2, "wire" if other == lane else "arrow")
        for lane in range(8):
            lanes = sorted(l for l in range(8) if all((l ^ lane) & bit == 0 for bit in (4, 2, 1)
                                                       if not (offset and bit >= offset)))
            text = f"x{lane}" if not offset else "+".join(map(str, lanes)) if len(lanes) < 5 else "all"
            p.box(70 + lane * 80 - 35, y, 70, 30, "compute", text, "code")
    return p.done()


def levels():
    """The four levels of a reduction, and what carries a result from each to the next."""
    p = picture(760, 300, "A reduction's levels: thread, warp, block, grid")
    rows = [("thread", "folds its elements, several at a time", "registers", 16),
            ("warp", "32 threads exchange results: 5 shuffles", "registers of other lanes", 8),
            ("block", "its warps store results, then wait at a barrier", "shared memory", 4),
            ("grid", "its blocks store results; the last to finish folds them", "memory, a ticket", 1)]
    for i, (name, what, where, count) in enumerate(rows):
        y = 20 + i * 70
        p.text(20, y + 19, name, "title", "start")
        width = 220 / count
        for k in range(count):
            p.box(90 + k * width + 1, y, width - 2, 30, "compute")
            if i + 1 < len(rows):
                parent = 220 / rows[i + 1][3]
                target = 90 + (int(k * width / parent) + 0.5) * parent
                p.line(90 + (k + 0.5) * width, y + 31, target, y + 68)
        p.text(330, y + 13, what, "", "start")
        p.text(330, y + 31, "through " + where, "note", "start")
    return p.done()


def softmax():
    """A row read three times by three loops, and read once and kept."""
    p = picture(760, 300, "Softmax as three loops reads a row three times; kept in registers it is read once")
    steps = ["max", "sum of exp", "divide"]
    for top, title, kept in ((20, "three loops over memory", False), (165, "kept in registers", True)):
        p.text(20, top + 12, title, "title", "start")
        p.box(20, top + 28, 110, 34, "memory", "row of x")
        p.box(640, top + 28, 100, 34, "memory", "row of y")
        if kept:
            p.box(190, top + 28, 430, 34, "compute", "the row in the registers of a block")
            p.line(131, top + 45, 188, top + 45, "arrow")
        for i, step in enumerate(steps):
            x = 270 + i * 125
            p.box(x, top + 84, 100, 34, "compute", step)
            if kept:
                p.line(x + 50, top + 63, x + 50, top + 83)
            else:
                p.line(131, top + 45, x + 40, top + 82, "arrow")
            if i:
                p.line(x - 25, top + 101, x - 1, top + 101)
        p.line(621, top + 100, 680, top + 64, "arrow")
    for y, reads, total in ((115, "3 reads", 16), (260, "1 read", 8)):
        for i, line in enumerate((f"{reads}, 1 write:", f"{total} bytes per element")):
            p.text(20, y + i * 18, line, "", "start")
    return p.done()


def templates():
    """The description of a + b * c as an object, and the loop that is instantiated for its type."""
    p = picture(760, 270, "An expression's description is a tree of objects, whose type becomes one loop")
    p.text(20, 28, "a + b * c is an object ...", "title", "start")
    boxes = {"binary<plus>": (150, 50), "a": (60, 130), "binary<times>": (240, 130), "b": (170, 210), "c": (310, 210)}
    for parent, child in (("binary<plus>", "a"), ("binary<plus>", "binary<times>"), ("binary<times>", "b"),
                          ("binary<times>", "c")):
        p.line(boxes[parent][0], boxes[parent][1] + 34, boxes[child][0], boxes[child][1] - 1)
    for name, (x, y) in boxes.items():
        wide = 130 if "<" in name else 60
        p.box(x - wide / 2, y, wide, 34, "compute" if "<" in name else "memory", name, "code")
    p.line(320, 67, 440, 67, "arrow")
    p.text(380, 58, "its type", "note")
    p.text(450, 28, "... and its type is the loop's body", "title", "start")
    for i, line in enumerate(("for (i = 0; i < n; ++i)", "    y[i] = plus::of(a[i],",
                              "               times::of(b[i], c[i]));", "", "no temporary array, one pass")):
        p.text(450, 71 + i * 22, line.replace(" ", "\u00a0"), "code" if i < 4 else "", "start")
    return p.done()


def blurs():
    """What bounds k blurs: the time per element for bytes and for operations, as one kernel and as k."""
    p = picture(760, 300, "The time per element of blurs: fused, memory-bound up to four; as assignments, always")
    # Picoseconds: of the 8 bytes of an element and kernel, and of an operation that is not a multiply-add.
    byte, operation = 8e12 / figures.ceiling("read"), 2e12 / figures.ceiling("arithmetic")
    p.text(20, 28, "k blurs on an H200, picoseconds per element", "title", "start")
    for k in range(1, 7):
        x = 70 + (k - 1) * 112
        operations = sum(3 * (2 * i + 1) for i in range(k)) * operation
        bars = [("bytes", byte, "memory"), ("operations", operations, "compute"), ("assigned", k * byte, "memory")]
        for i, (_, value, kind) in enumerate(bars):
            height = value * 17
            p.box(x + i * 30, 240 - height, 26, height, kind)
            p.text(x + i * 30 + 13, 234 - height, f"{value:.1f}", "note")
        p.text(x + 43, 262, f"k = {k}")
    p.text(20, 288, "left to right: fused, time for its bytes; fused, time for its operations; "
           "as k assignments, time for bytes", "note", "start")
    return p.done()


def look_back():
    """What six blocks have published when one of them looks back, and what it reads."""
    p = picture(760, 222, "A block adds the aggregates before it up to the nearest prefix, and publishes its own")
    p.text(20, 28, "what each block has published", "title", "start")
    states = [("prefix", "10"), ("prefix", "17"), ("aggregate", "4"), ("aggregate", "9"), ("aggregate", "6"),
              ("nothing", "")]
    for i, (state, value) in enumerate(states):
        x = 20 + i * 122
        p.box(x, 50, 104, 44, "memory" if state != "nothing" else "compute", f"{state} {value}".strip())
        p.text(x + 52, 112, f"block {i}", "note")
    p.line(194, 168, 508, 168)
    for i, label in ((3, "+ 9"), (2, "+ 4"), (1, "+ 17, stop")):
        p.line(72 + i * 122, 168, 72 + i * 122, 118, "arrow")
        p.text(72 + i * 122 + 8, 148, label, "code", "start")
    p.box(508, 151, 190, 34, "compute", "block 4: 9 + 4 + 17 = 30")
    p.text(20, 205, "Block 4 adds its own 6, and publishes the prefix 36.", "", "start")
    return p.done()


def tiles():
    """A tile of the result, and the tiles of both operands that it needs."""
    p = picture(800, 320, "A tile of a product needs a row of tiles of one operand and a column of tiles of the other")
    for left, top, name in ((60, 150, "a"), (300, 150, ""), (300, 0, "b")):
        width, height = (200, 130) if name != "b" else (200, 130)
        p.box(left, top + 8, width, height, "memory")
        p.text(left - 12, top + 75, name, "code", "end")
    for i in range(4):
        p.box(60 + i * 50, 208, 50, 32, "compute", "T × T" if i == 0 else "")
        p.box(400, 8 + i * 32.5, 50, 32.5, "compute")
    p.box(400, 208, 50, 32, "compute", "T × T")
    p.line(270, 224, 396, 224, "arrow")
    p.line(425, 142, 425, 204, "arrow")
    p.text(310, 175, "c = a b", "code", "start")
    p.text(530, 190, "each element that is loaded into a tile", "", "start")
    p.text(530, 210, "is used T times:", "", "start")
    p.text(530, 236, "2 n³ / T loads, T / 4 flop per byte", "title", "start")
    return p.done()


def attention():
    """Scores and weights in memory between three kernels, and one kernel that goes over slices of keys."""
    p = picture(860, 400, "Three kernels store n by n scores and weights; one kernel keeps them in registers")
    p.text(20, 28, "three kernels", "title", "start")
    arrays = ((20, "q, k", 70), (250, "scores, n × n", 120), (515, "weights, n × n", 110), (770, "y", 70))
    for x, name, wide in arrays:
        p.box(x, 45, wide, 50, "memory", name)
    for x, name, left in ((125, "product", 91), (400, "softmax", 371), (655, "product", 626)):
        p.box(x, 52, 90, 36, "compute", name)
        p.line(left, 70, x - 2, 70, "arrow")
    for x, right in ((216, 248), (491, 513), (746, 768)):
        p.line(x, 70, right, 70, "arrow")
    p.box(665, 112, 70, 28, "memory", "v")
    p.line(700, 111, 700, 90, "arrow")
    p.text(20, 130, "8 n² + 8 n d bytes, at most d / 2 flop per byte", "", "start")
    p.text(20, 185, "one kernel", "title", "start")
    p.box(20, 205, 100, 130, "memory")
    p.box(20, 235, 100, 30, "compute", "queries")
    p.text(70, 310, "q")
    for i in range(6):
        kind = "compute" if i == 2 else "memory"
        p.box(150 + i * 38, 205, 34, 44, kind, "k" if i == 2 else "")
        p.box(150 + i * 38, 291, 34, 44, kind, "v" if i == 2 else "")
    p.text(150, 197, "slices of keys and values, one after another", "note", "start")
    p.box(470, 195, 265, 150, "compute")
    for i, line in enumerate(("scores = q kᵀ", "new maximum, factor", "sums = factor · sums",
                              "sums += exp(scores − maximum) v", "forget the scores")):
        p.text(482, 222 + i * 27, line, "", "start")
    p.line(121, 270, 468, 270, "arrow")
    p.line(378, 227, 468, 227, "arrow")
    p.line(378, 313, 468, 313, "arrow")
    p.box(770, 245, 70, 50, "memory", "y")
    p.line(736, 270, 768, 270, "arrow")
    p.text(20, 375, "8 n d bytes, n / 2 flop per byte; each block reads keys and values again, from cache", "", "start")
    return p.done()


def drawn():
    """{file's path below docs/: text}."""
    draws = (traffic, butterfly, levels, softmax, templates, blurs, tiles, look_back, attention)
    return {f"course/pictures/{draw.__name__}.svg": draw() for draw in draws}

"""The course's pictures: SVG files in docs/course/pictures, which docs/update.py writes. They follow the reader's
choice of light or dark."""

STYLE = """
  svg { font-family: system-ui, sans-serif; font-size: 13px }
  .ground { fill: #ffffff } text { fill: #1a202c } .note { fill: #4a5568; font-size: 12px }
  .title { font-weight: 600; font-size: 14px } .code { font-family: ui-monospace, monospace }
  .memory { fill: #dbe7f5; stroke: #2b5c94 } .compute { fill: #e6f4ea; stroke: #2f6f3e }
  .box { stroke-width: 1.5 } .arrow { stroke: #b4530a; stroke-width: 2; fill: none } .head { fill: #b4530a }
  .wire { stroke: #718096; stroke-width: 1.2; fill: none }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #1e2129 } text { fill: #e5e9f0 } .note { fill: #a6b0c0 }
    .memory { fill: #24405f; stroke: #8ab8ea } .compute { fill: #22442c; stroke: #8fce9f }
    .arrow { stroke: #f0a35e } .head { fill: #f0a35e } .wire { stroke: #8b97a8 }
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
    p = picture(850, 250, "Two kernels move 16 bytes an element through memory, one kernel 8")

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

    arrays(24, ["x", "t", "y"], "an operation a kernel", "4 + 4 + 4 + 4 = 16 bytes an element")
    arrays(500, ["x", "y"], "fused", "4 + 4 = 8 bytes an element")
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
            ("block", "its warps leave results in shared memory and meet", "shared memory", 4),
            ("grid", "its blocks leave results in memory; the last folds them", "memory, a ticket", 1)]
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
    p.text(20, 124, "3 reads, 1 write: 16 bytes an element", "", "start")
    p.text(20, 269, "1 read, 1 write: 8 bytes an element", "", "start")
    return p.done()


def drawn():
    """{file's path below docs/: text}."""
    return {f"course/pictures/{draw.__name__}.svg": draw() for draw in (traffic, butterfly, levels, softmax)}

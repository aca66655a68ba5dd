"""From a seed to a random program that a user might write: a main value, and steps that change it."""
import math
import random

from values import REDUCTIONS, Value

AXES = "ABCD"
LENGTHS = (2, 3, 4, 5, 7, 8, 12, 16, 21, 31, 32, 48, 64, 65, 96, 100, 127, 128, 200, 255, 256, 384, 500, 512, 768, 1000,
           1023, 1024, 1536, 2048, 3000, 4096, 4099, 5000, 8192, 10007, 16384, 32768, 50257, 65536)
LARGEST = 120  # nodes of a value's text
DTYPES = ("f32",) * 6 + ("f16", "f16", "bf16", "f64")
UNARY = {  # the bound of the result, by that of the operand; None where the function must not be applied
    "abs": lambda b: b, "tanh": lambda b: 1, "sin": lambda b: 1, "sigmoid": lambda b: 1, "silu": lambda b: b,
    "gelu": lambda b: b, "relu": lambda b: b, "clip": lambda b: 1, "scale": lambda b: 0.75 * b + 0.125,
    "leaky": lambda b: b, "root": lambda b: math.sqrt(b + 1), "log": lambda b: math.log1p(b),
    "square": lambda b: b * b if b < 20 else None, "exp": lambda b: math.exp(b) if b <= 4 else None}
BINARY = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a + b, "maximum": max, "ratio": lambda a, b: a,
    "multiply": lambda a, b: a * b if a * b < 400 else None, "length": lambda a, b: a + b if a + b < 20 else None,
    "choose": lambda a, b: max(a, b)}
FOLDED = {"mean": lambda b: b, "max": lambda b: b, "min": lambda b: b, "var": lambda b: b * b if b < 20 else None,
          "norm": lambda b: b if b < 20 else None, "logsumexp": lambda b: b + 20 if b <= 8 else None}


class Grower:
    """The state of a program as it grows: its axes, operands, and the values that later steps may use again."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.dims = self.some_extents()
        self.dtype = self.random.choice(DTYPES)
        self.operands, self.earlier = {}, []
        self.main = self.operand(tuple(self.dims))

    def some_extents(self):
        """One to four axes with 2^18 to 2^25 elements in all."""
        r = self.random
        rank = r.choices((1, 2, 3, 4), (2, 5, 4, 2))[0]
        target = 2 ** r.uniform(18, 25)
        lengths = []
        while len(lengths) < rank - 1:
            length = r.choice(LENGTHS)
            if math.prod(lengths) * length * 4 ** (rank - 1 - len(lengths)) <= target:  # leaves room for the others
                lengths.append(length)
        lengths.insert(r.choice((0, 0, r.randrange(rank))), max(2, int(target / math.prod(lengths))))
        return dict(zip(AXES, lengths))

    def operand(self, extents, dtype=None, bound=2.0):
        value = Value("operand", (), (len(self.operands),), extents, dtype or self.dtype, bound)
        self.operands[value] = "xyzuvwpqrst"[len(self.operands)]
        return value

    def apply(self, row, inputs, bound, integers=(), extents=None, dtype=None):
        if bound is None:
            return None
        return Value(row, inputs, integers, inputs[0].extents if extents is None else extents, dtype or self.dtype,
                     float(bound))

    def unary(self, x):
        row = self.random.choice(list(UNARY))
        return self.apply(row, (x,), UNARY[row](x.bound))

    def binary(self, x, y):
        row = self.random.choice(list(BINARY))
        return self.apply(row, (x, y), BINARY[row](x.bound, y.bound))

    def broadcast_operand(self, x):
        """An operand along some of the axes of x."""
        kept = [self.random.random() < 0.5 for _ in range(x.rank)]
        if all(kept) or not any(kept):
            kept = [a == self.random.randrange(x.rank) for a in range(x.rank)] if x.rank > 1 else [True]
            kept[-1] = kept[-1] or not any(kept)
        own = self.operand(tuple(e for e, k in zip(x.extents, kept) if k))
        return own if all(kept) else self.apply("spread", (own,), own.bound, tuple(map(int, kept)),
                                                tuple(e if k else "1" for e, k in zip(x.extents, kept)))

    def some_axes(self, x):
        r = self.random
        axes = sorted(r.sample(range(x.rank), r.choices(range(1, x.rank + 1), [6, 3, 1, 1][:x.rank])[0]))
        return (x.rank - 1,) if len(axes) == 1 and r.random() < 0.4 else tuple(axes)

    def folded(self, x, axes, cancels=True):
        """A reduction of x. Without `cancels`, not one that may be nearly zero, of which only few digits are known."""
        row = self.random.choice(list(FOLDED))
        if row == "mean" and not cancels:
            x = self.apply("root", (x,), math.sqrt(x.bound + 1))
        kept = tuple("1" if a in axes else e for a, e in enumerate(x.extents))
        return self.apply(row, (x,), FOLDED[row](x.bound), axes, kept)


def normalised(g, x):
    """x op a reduction of x."""
    folded = g.folded(x, g.some_axes(x))
    return folded and g.binary(x, folded)


def standardised(g, x):
    axes = g.some_axes(x)
    if x.bound > 20:
        return None
    kept = tuple("1" if a in axes else e for a, e in enumerate(x.extents))
    centred = g.apply("subtract", (x, g.apply("mean", (x,), x.bound, axes, kept)), 2 * x.bound)
    deviation = g.apply("root", (g.apply("var", (x,), x.bound**2, axes, kept),), x.bound + 1)
    return g.apply("ratio", (centred, deviation), centred.bound)


def softmax(g, x):
    axes = g.some_axes(x)[:1]
    kept = tuple("1" if a in axes else e for a, e in enumerate(x.extents))
    shifted = g.apply("subtract", (x, g.apply("logsumexp", (x,), FOLDED["logsumexp"](x.bound), axes, kept)), 20) \
        if x.bound <= 8 else None
    return shifted and g.apply("exp", (shifted,), 1)


def neighbour(g, x):
    axis, distance = g.random.randrange(x.rank), g.random.choice((1, 1, -1, 2))
    return g.binary(x, g.apply("roll", (x,), x.bound, (axis, distance)))


def transposed(g, x):
    """x op an operand whose axes are in another order."""
    if x.rank < 2:
        return None
    order = g.random.sample(range(x.rank), x.rank)
    extents = [None] * x.rank
    for at, source in enumerate(order):
        extents[source] = x.extents[at]
    return g.binary(x, g.apply("permute", (g.operand(tuple(extents)),), 2, tuple(order), x.extents))


def bytes_operand(g, x):
    own = g.operand(x.extents, g.random.choice(("u8", "i8", "i16")), 256.0)
    own = g.apply("to_f32", (own,), 256, dtype="f32")
    scaled = g.apply("multiply", (own, g.operand((x.extents[-1],))), 500)
    return g.binary(x, g.apply("tanh", (scaled,), 1)) if g.dtype in ("f32", "f64") else None


def joined(g, x):
    """Concatenation with another operand, or repetition, or reversal."""
    axis = g.random.randrange(x.rank)
    kind = g.random.choice(("concat", "repeat", "flip"))
    if kind == "flip":
        return g.apply("flip", (x,), x.bound, (axis,))
    extents = list(x.extents)
    if "+" in extents[axis] or "*" in extents[axis]:
        return None
    extents[axis] = f"2*{extents[axis]}" if extents[axis] != "1" else "2"
    if kind == "repeat":
        return g.apply("repeat", (x,), x.bound, (axis, 2), tuple(extents))
    return g.apply("concat", (x, g.operand(x.extents)), max(2, x.bound), (axis,), tuple(extents))


def gathered(g, x):
    """x op rows of a table, at an index for each."""
    if x.rank < 2 or x.extents[0] not in g.dims:
        return None
    table = g.operand(("V", *x.extents[1:]))
    g.dims["V"] = g.random.choice((1000, 30000, 50257)) if math.prod(
        g.dims[e] for e in x.extents[1:] if e in g.dims) < 2048 else 64
    index = g.operand((x.extents[0],), "i64", 0.0)
    return g.binary(x, g.apply("take", (table, index), 2, (0,), x.extents))


STEPS = (  # weight, step
    (5, lambda g, x: g.unary(x)),
    (3, lambda g, x: g.binary(x, g.operand(x.extents))),
    (3, lambda g, x: g.binary(x, g.broadcast_operand(x))),
    (2, lambda g, x: g.binary(x, same) if (same := g.random.choice(
        [v for v in g.earlier if v.extents == x.extents] or [None])) else None),
    (2, normalised), (1, standardised), (1, softmax), (1, neighbour), (1, transposed), (0.7, bytes_operand),
    (0.7, joined), (0.7, gathered),
    (0.5, lambda g, x: g.apply("cumsum", (g.apply("scale", (x,), 1),), 400, (g.random.randrange(x.rank),))
        if g.dtype in ("f32", "f64") and x.bound < 4 else None))


def finished(g):
    """The results: the main value, a reduction of it, or two values."""
    r, x = g.random, g.main
    if x.row == "operand":
        x = g.apply("root", (x,), 2)
    kind = r.choices(("all", "some", "whole", "index", "pair"), (5, 4, 1.5, 0.7, 1.5))[0]
    if kind == "index" and g.dtype in ("f32", "f64"):
        axis = r.randrange(x.rank)
        return [g.apply("argmax", (x,), 0, (axis,), x.extents[:axis] + x.extents[axis + 1:], "i64")]
    axes = tuple(range(x.rank)) if kind == "whole" else g.some_axes(x)
    folded = g.folded(x, axes, cancels=False) if kind in ("some", "whole", "pair") else None
    if folded is None:
        return [x]
    kept = tuple(int(a not in axes) for a in range(x.rank))
    folded = g.apply("squeeze", (folded,), folded.bound, kept, tuple(e for a, e in enumerate(x.extents)
                                                                     if a not in axes))
    return [folded] if kind != "pair" else [x, folded]


def program(seed):
    """The results of the program of that seed, the names of its operands, and its axes' extents."""
    g = Grower(seed)
    steps = g.random.choice((1, 2, 2, 3, 3, 4, 5, 6, 8))
    for _ in range(10 * steps):
        step = g.random.choices([s for _, s in STEPS], [w for w, _ in STEPS])[0]
        if len(g.operands) > 7:
            break
        following = step(g, g.main)
        if following is None or following.bound > 1e4 or following.size > LARGEST:
            continue
        g.earlier.append(g.main)
        g.main = following
        steps -= 1
        if steps == 0:
            break
    return finished(g), g.operands, g.dims

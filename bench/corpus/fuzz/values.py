"""The values of a random program: what is applied to what, and how Sinter, PyTorch and NumPy write it."""
from dataclasses import dataclass
import functools


@dataclass(frozen=True)
class Value:
    """A row of ROWS applied to other values, or an operand. `extents` are texts in the names of the program's axes."""
    row: str
    inputs: tuple = ()
    integers: tuple = ()
    extents: tuple = ()
    dtype: str = "f32"
    bound: float = 2.0  # of the absolute values

    @property
    def rank(self):
        return len(self.extents)

    @functools.cached_property
    def size(self):
        """About the number of nodes of its text, where a value that is used twice is written twice."""
        if not self.inputs:
            return 1
        text = ROWS[self.row].sinter
        used = sum(text.count("{" + str(k) + "}") * v.size for k, v in enumerate(self.inputs))
        return 4 + ROWS[self.row].cost // 2 + used


def count(extents):
    """The number of elements, as text."""
    return "*".join(f"({e})" if "+" in e else e for e in extents if e != "1") or "1"


@dataclass(frozen=True)
class Row:
    """How a value is written: {0}, {1} are its inputs, {axis} and {axes} the axes, {n} and {m} further integers."""
    sinter: str
    torch: str
    numpy: str
    cost: int = 1  # arithmetic operations per element of its largest input


def same(text, cost=1):
    """A row that all three write alike."""
    return Row(text, text, text, cost)


def function(name, cost=1, torch=None, numpy=None):
    return Row(name + "({0})", f"torch.{torch or name}({{0}})", f"np.{numpy or name}({{0}})", cost)


def reduction(name, cost=1, torch=None, numpy=None, options=""):
    return Row(f"{name}({{0}}, axis={{axes}}, keepdims)",
               f"torch.{torch or name}({{0}}, {{tuple}}, keepdim=True{options})",
               f"np.{numpy or name}({{0}}, axis={{tuple}}, keepdims=True)", cost)


ROWS = {
    # elementwise
    "abs": function("abs"),
    "tanh": function("tanh", 10),
    "sin": function("sin", 10),
    "exp": function("exp", 10),
    "sigmoid": Row("sigmoid({0})", "torch.sigmoid({0})", "(1 / (1 + np.exp(-{0})))", 12),
    "silu": Row("silu({0})", "torch.nn.functional.silu({0})", "({0} / (1 + np.exp(-{0})))", 13),
    "gelu": Row("gelu({0})", "torch.nn.functional.gelu({0})",
                "({0} * 0.5 * (1 + table.erf(np, {0} * 0.7071067811865476)))", 14),
    "relu": Row("relu({0})", "torch.relu({0})", "np.maximum({0}, 0)"),
    "square": function("square"),
    "root": Row("sqrt(abs({0}) + 1)", "torch.sqrt(torch.abs({0}) + 1)", "np.sqrt(np.abs({0}) + 1)", 3),
    "log": Row("log1p(abs({0}))", "torch.log1p(torch.abs({0}))", "np.log1p(np.abs({0}))", 11),
    "scale": same("({0} * 0.75 + 0.125)", 2),
    "clip": Row("clip({0}, -1, 1)", "torch.clamp({0}, -1, 1)", "np.clip({0}, -1, 1)", 2),
    "leaky": Row("where({0} > 0, {0}, {0} * 0.1)", "torch.where({0} > 0, {0}, {0} * 0.1)",
                 "np.where({0} > 0, {0}, {0} * 0.1)", 3),
    "add": same("({0} + {1})"),
    "subtract": same("({0} - {1})"),
    "multiply": same("({0} * {1})"),
    "maximum": Row("maximum({0}, {1})", "torch.maximum({0}, {1})", "np.maximum({0}, {1})"),
    "ratio": Row("({0} / (1 + abs({1})))", "({0} / (1 + torch.abs({1})))", "({0} / (1 + np.abs({1})))", 3),
    "length": Row("sqrt({0} * {0} + {1} * {1})", "torch.sqrt({0} * {0} + {1} * {1})", "np.sqrt({0} * {0} + {1} * {1})",
                  4),
    "choose": Row("where({0} > {1}, {0}, {1} * 0.5)", "torch.where({0} > {1}, {0}, {1} * 0.5)",
                  "np.where({0} > {1}, {0}, {1} * 0.5)", 3),
    "to_f32": Row("astype<float>({0})", "{0}.float()", "{0}.astype(np.float32)"),
    # reductions and scans, with the reduced axes kept
    "mean": reduction("mean"),
    "sum": reduction("sum"),
    "max": reduction("max", torch="amax"),
    "min": reduction("min", torch="amin"),
    "var": reduction("var", 4, options=", correction=0"),
    "norm": Row("sqrt(mean(square({0}), axis={axes}, keepdims))",
                "torch.sqrt(torch.mean(torch.square({0}), {tuple}, keepdim=True))",
                "np.sqrt(np.mean(np.square({0}), axis={tuple}, keepdims=True))", 3),
    "logsumexp": Row("logsumexp({0}, axis={axes}, keepdims)", "torch.logsumexp({0}, {tuple}, keepdim=True)",
                     "np.log(np.sum(np.exp({0}), axis={tuple}, keepdims=True))", 12),
    "cumsum": Row("cumsum({0}, axis={axis})", "torch.cumsum({0}, {axis})", "np.cumsum({0}, axis={axis})"),
    "argmax": Row("argmax({0}, axis={axis})", "torch.argmax({0}, {axis})", "np.argmax({0}, axis={axis})"),
    # views: the elements of others in another order
    "spread": Row("{0}({indices})", "{0}[{python_indices}]", "{0}[{python_indices}]", 0),
    "squeeze": Row("{0}({dropped})", "{0}[{python_dropped}]", "{0}[{python_dropped}]", 0),
    "permute": Row("permute({0}, {permutation})", "torch.permute({0}, ({order}))", "np.transpose({0}, ({order}))", 0),
    "roll": Row("roll({0}, {n}, axis={axis})", "torch.roll({0}, {n}, {axis})", "np.roll({0}, {n}, axis={axis})", 0),
    "flip": Row("flip({0}, axis={axis})", "torch.flip({0}, ({axis},))", "np.flip({0}, axis={axis})", 0),
    "repeat": Row("repeat({0}, {n}, axis={axis})", "torch.repeat_interleave({0}, {n}, {axis})",
                  "np.repeat({0}, {n}, axis={axis})", 0),
    "concat": Row("concat({0}, {1}, axis={axis})", "torch.cat(({0}, {1}), {axis})",
                  "np.concatenate(({0}, {1}), axis={axis})", 0),
    "take": Row("take({0}, {1}, axis={axis})", "torch.index_select({0}, {axis}, {1})",
                "np.take({0}, {1}, axis={axis})", 0),
}


def listed(items):
    return ", ".join(map(str, items))


def words(value):
    """What a row's text may name besides its inputs."""
    numbers = value.integers
    if value.row in ("spread", "squeeze"):  # the integers say of each axis whether it is kept
        kept = [bool(k) for k in numbers]
        return {"indices": listed("all" if k else "newaxis" for k in kept),
                "python_indices": listed(":" if k else "None" for k in kept),
                "dropped": listed("all" if k else "0" for k in kept),
                "python_dropped": listed(":" if k else "0" for k in kept)}
    if value.row == "permute":
        return {"permutation": "{" + listed(numbers) + "}", "order": listed(numbers)}
    axes = numbers or (0,)
    return {"axis": axes[0], "axes": str(axes[0]) if len(axes) == 1 else "{" + listed(axes) + "}",
            "tuple": f"({listed(axes)},)", "n": numbers[1] if len(numbers) > 1 else 0}


def written(value, names, language):
    """The text of a value in a language; `names` has those of the operands."""
    if value in names:
        return names[value]
    inputs = [written(v, names, language) for v in value.inputs]
    return getattr(ROWS[value.row], language).format(*inputs, **words(value))


def all_values(results):
    """Every value that the results depend on, once, inputs first."""
    found = {}

    def visit(value):
        if value not in found:
            for v in value.inputs:
                visit(v)
            found[value] = True
    for r in results:
        visit(r)
    return list(found)


REDUCTIONS = ("mean", "sum", "max", "min", "var", "norm", "logsumexp", "argmax")


def shared(values):
    """The values that others use more than once, inputs first: the program names them."""
    uses = {}
    for v in values:
        for k, used in enumerate(v.inputs):
            uses[used] = uses.get(used, 0) + ROWS[v.row].sinter.count("{" + str(k) + "}")
    return [v for v in values if v.inputs and uses.get(v, 0) > 1]


def operations(values):
    """The arithmetic of all values, as text."""
    by_size = {}
    for v in values:
        if v.inputs:
            size = count((v.inputs[0] if v.row in REDUCTIONS else v).extents)
            by_size[size] = by_size.get(size, 0) + ROWS[v.row].cost
    return " + ".join(f"{n}*{size}" for size, n in by_size.items() if n) or "1"

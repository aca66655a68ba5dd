"""The definition of a corpus case: a row with its operands, the expression in C++, its counterparts in Python, and its
minimum traffic and arithmetic, by formulas independent of Sinter. The rows are in domains/, one file per domain."""
from dataclasses import dataclass
import hashlib
import importlib
import importlib.machinery
import importlib.util
import math
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
DOMAINS = sorted(p.stem for p in (HERE / "domains").glob("*.py"))

# short name: C++ type, name in NumPy and PyTorch, bytes
DTYPES = {
    "f16": ("sinter::float16", "float16", 2), "bf16": ("sinter::bfloat16", "bfloat16", 2),
    "f32": ("float", "float32", 4), "f64": ("double", "float64", 8), "c64": ("std::complex<float>", "complex64", 8),
    "b": ("bool", "bool", 1), "u8": ("std::uint8_t", "uint8", 1), "i8": ("std::int8_t", "int8", 1),
    "i16": ("std::int16_t", "int16", 2), "i32": ("std::int32_t", "int32", 4), "i64": ("std::int64_t", "int64", 8)}
RANGES = {"u8": ("0", "256"), "i8": ("-128", "128"), "b": ("0", "1")}
TOLERANCE = {"f16": 4e-3, "bf16": 2e-2, "f32": 2e-5, "f64": 1e-12, "c64": 2e-5}


@dataclass(frozen=True)
class Operand:
    """x="f32[N,C] 0.5..1.5": a dtype, extents, and the range of its values; default [-2, 2), or all short integers."""
    dtype: str
    extents: tuple
    low: str
    high: str

    @staticmethod
    def parse(text):
        kind, extents, values = re.fullmatch(r"(\w+)\[(.*?)\](?: (\S+\.\.\S+))?", text).groups()
        low, high = values.split("..") if values else RANGES.get(kind, ("-2", "2"))
        return Operand(kind, tuple(e for e in extents.replace(" ", "").split(",") if e), low, high)

    def shape(self, dims):
        return tuple(int(eval(e.replace("/", "//"), {}, dims)) for e in self.extents)

    def bytes(self, dims):
        return math.prod(self.shape(dims)) * DTYPES[self.dtype][2]


@dataclass
class Case:
    domain: str
    name: str
    dims: dict            # the extents measured on a GPU; on the host, a part of the first one
    small: dict           # the test's extents
    operands: dict        # {name: Operand}, in the order of the expression's parameters
    cpp: str              # the expression of the operands and extents; or statements that end with return
    torch: object         # torch(torch, operands..., extents as keywords where it names them)
    like: object          # the NumPy version, like(np, ...): the reference in double, and JAX's counterpart
    flops: str            # arithmetic operations, a formula in the extents
    results: tuple        # of each result, "f32[N,C]": what is written
    reads: str = None     # bytes that must be read, unless each operand is read once
    tolerance: float = 0.0
    jax: bool = True      # whether jax.jit takes `like`

    @property
    def held_out(self):
        """Whether the case belongs to the held-out third, to which nothing is fitted."""
        return int(hashlib.sha256(self.name.encode()).hexdigest(), 16) % 3 == 0

    def extents(self, size):
        """The extents for a size: "1/1", "1/16" (divides the first extent), or "small" (the test's)."""
        if size == "small":
            return dict(self.small)
        dims = dict(self.dims)
        first = next(iter(dims))
        dims[first] = max(1, dims[first] // int(size.removeprefix("1/")))
        return dims

    def as_text(self, size):
        """The expression and its operands as bench/corpus/expressions.cpp takes them. Extents become numbers."""
        dims = self.extents(size)
        expression = re.sub(r"\b[A-Z]\b", lambda name: str(dims.get(name[0], name[0])), self.cpp)
        return "\t".join([expression, *(
            f"{name}:{o.dtype}[{','.join(map(str, o.shape(dims)))}] "
            f"{float(eval(o.low, {}, dims))}..{float(eval(o.high, {}, dims))}" for name, o in self.operands.items())])

    def written(self, dims):
        return sum(r.bytes(dims) for r in self.results)

    def read(self, dims):
        return int(eval(self.reads, {}, dims)) if self.reads else sum(o.bytes(dims) for o in self.operands.values())

    def bytes(self, dims):
        """Minimum traffic between memory and the processor: operands read once, and results."""
        return self.read(dims) + self.written(dims)

    def operations(self, dims):
        return float(eval(self.flops, {}, dims))

    def footprint(self, dims):
        return sum(o.bytes(dims) for o in self.operands.values()) + self.written(dims)


ALL = []


def bound(function, library, dims):
    """A counterpart as a function of its operands only, with the extents that it names bound."""
    names = function.__code__.co_varnames[:function.__code__.co_argcount]
    extents = {k: v for k, v in dims.items() if k in names[1:]}
    return lambda *operands: function(library, *operands, **extents)


def domain(module):
    """The function with which a domain's file declares its cases."""
    of = module.rsplit(".", 1)[-1]

    def case(name, dims, small, operands, cpp, torch, like, flops, results, **more):
        parsed = tuple(Operand.parse(r) for r in ([results] if isinstance(results, str) else results))
        made = Case(of, name, dims, small, {k: Operand.parse(v) for k, v in operands.items()}, cpp, torch, like, flops,
                    parsed, **more)
        if not made.tolerance:
            made.tolerance = max([TOLERANCE.get(o.dtype, 0) for o in [*made.operands.values(), *parsed]])
        ALL.append(made)
    return case


def load(domains=DOMAINS, rows=None):
    """All cases, or those of some domains, in file order; or those of the file `rows`."""
    if not ALL:
        if rows:
            loader = importlib.machinery.SourceFileLoader("rows", str(rows))  # whatever the file is called
            spec = importlib.util.spec_from_file_location("rows", rows, loader=loader)
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
        for of in () if rows else domains:
            importlib.import_module(f"domains.{of}")
        names = [c.name for c in ALL]
        twice = {n for n in names if names.count(n) > 1}
        if twice:
            raise ValueError(f"two cases have one name: {', '.join(sorted(twice))}")
    return ALL


def erf(np, x):
    """The error function, also where `np` lacks it."""
    if hasattr(np, "linalg") and np.__name__ == "numpy":
        import math as plain
        return np.vectorize(plain.erf, otypes=[np.float64])(x)
    import jax
    return jax.scipy.special.erf(x)

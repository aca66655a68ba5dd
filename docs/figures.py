"""The pages' figures, taken from bench/results: no page has a figure that is not in its results file.

    <!-- measured readme -->  ...  <!-- /measured -->      a table of times, see TABLES
    <!-- figure mean torch.compile -->1.73<!-- /figure -->  one figure, in the middle of a line, see FIGURES
"""
import functools
import json
import math
import pathlib
import re

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "bench/results"
MEASURED = re.compile(r"(<!-- measured (\w+) -->\n).*?(^<!-- /measured -->$)", re.S | re.M)
FIGURE = re.compile(r"(<!-- figure ([^>]+?) -->)(.*?)(<!-- /figure -->)")
COLUMNS = {"sinter": "Sinter", "hand": "by hand", "torch.compile": "torch.compile", "jax": "JAX", "torch": "PyTorch",
           "cupy": "CuPy", "matx": "MatX", "matx.jit": "MatX's JIT", "eigen": "Eigen", "xtensor": "xtensor",
           "numpy": "NumPy"}
# A table: its results file, its cases with their labels on the page, its peers.
TABLES = {
    "readme": ("h200", {
        "sqrt(sum(x*x, axis=2)) f64, 1000x100x1000": "`sqrt(sum(x * x, axis=2))`, float64, 1000 × 100 × 1000",
        "softmax of rows, 8192x4096": "softmax of 8192 rows of 4096, float32",
        "5-point Laplacian, 8192x8192": "five-point stencil, float32, 8192 × 8192",
        "pairwise squared distances, 4096x4096x64": "squared distances, 4096 × 4096 points in 64 dimensions",
        "Black-Scholes call, 67108864": "the Black-Scholes call, float32, 2²⁶ elements",
        "(x - mean) / stddev, axis 0, 131072x512": "columns of 131072 × 512 standardised, float32",
    }, ["hand", "torch.compile", "jax", "cupy"]),
    "everything": ("h200", None, ["hand", "torch.compile", "jax", "torch", "cupy"]),
    "matx": ("matx", None, ["matx", "matx.jit"]),
    "host": ("host", None, ["eigen", "xtensor", "numpy"]),
    "exp_and_chain": ("h200", {
        "exp(x), 268435456": "`exp(x)`",
        "tanh(a*x + b) * exp(-c*x*x) + d, 134217728": "`tanh(a*x + b) * exp(-c*x*x) + d`",
    }, []),
}


class problem(Exception):
    """A requested figure that is in no results file."""


@functools.cache
def results(name):
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


@functools.cache
def cases(name, groups=("table", "host")):
    return {case["title"]: case for case in results(name)["cases"] if case["group"] in groups}


def best(case, peer):
    """The fastest right way of a peer; empty where it was not measured, or was wrong."""
    return (case["results"].get(peer) or {}).get("best") or {}


def milliseconds(case, peer):
    return best(case, peer).get("ms")


def digits(value, count=3):
    """A number with `count` significant digits and no exponent."""
    return f"{value:.{max(0, count - 1 - math.floor(math.log10(value)))}f}"


def ratios(name, peer):
    """A peer's times over Sinter's, one per case."""
    pairs = [(milliseconds(case, peer), milliseconds(case, "sinter")) for case in cases(name).values()]
    return [a / b for a, b in pairs if a and b]


def mean(name, peer):
    """Their geometric mean."""
    values = ratios(name, peer)
    if not values:
        raise problem(f"bench/results/{name}.json has no times of {peer}")
    return math.exp(sum(map(math.log, values)) / len(values))


def median_first_ms(name, peer):
    """The first evaluation of a case, compilation included."""
    times = sorted(b["first_ms"] for case in cases(name).values() if (b := best(case, peer)))
    return times[len(times) // 2]


def the_case(name, title):
    if title not in cases(name):
        raise problem(f"bench/results/{name}.json has no case '{title}'")
    return cases(name)[title]


def rate(case):
    """Minimum (compulsory) traffic over time, GB/s."""
    return case["bytes"] / milliseconds(case, "sinter") / 1e6


def file_of(peer):
    return "host" if peer in ("eigen", "xtensor", "numpy") else "matx" if peer.startswith("matx") else "h200"


def fusion(operations, way, what):
    """Of examples/fusion_lab at its largest size: `ms`, `bytes` or `launches`."""
    measured = [c for c in results("h200-fusion")["cases"] if c["operations"] == operations]
    return max(measured, key=lambda c: c["elements"])[way][what]


def corpus_ratios(peer, cases="all"):
    """A peer's times over Sinter's on the corpus, or the best peer's: of `all` cases or those `held` out."""
    found = []
    for case in results("corpus-h200")["cases"]:
        times = {p: r["ms"] for p, r in case["results"].items() if "ms" in r and r.get("right", True)}
        ours = times.pop("sinter", None)
        theirs = [ms for p, ms in times.items() if peer in (p, "best")]
        if ours and theirs and (cases == "all" or case["held_out"]):
            found.append(min(theirs) / ours)
    if not found:
        raise problem(f"bench/results/corpus-h200.json has no times of {peer}")
    return found


def corpus_mean(peer, cases="all"):
    values = corpus_ratios(peer, cases)
    return math.exp(sum(map(math.log, values)) / len(values))


def ceiling(kind):
    return results("h200")["ceilings"][kind]


def latency(what):
    """Microseconds of host time: one number for each run of `./dev bench latency`."""
    measured = results("latency")
    if what not in measured:
        raise problem(f"bench/results/latency.json has no '{what}'")
    return measured[what]


def span(values, count=2):
    """The least and the greatest of the values, `3.1 to 3.9`; one where they are shown alike."""
    low, high = digits(min(values), count), digits(max(values), count)
    return low if low == high else f"{low} to {high}"


def seconds_to_compile(source):
    seconds = results("compile_time")["seconds"]
    if source not in seconds:
        raise problem(f"bench/results/compile_time.json has no '{source}'")
    return f"{seconds[source]:.2f}"


def version(peer):
    """`JAX 0.11.2`: the release, without the build and the way it was called."""
    return re.match(r"\w+ [\d.]+", results(file_of(peer))["peers"][peer])[0]


# Each takes the words after its name.
FIGURES = {
    "mean": lambda peer: digits(mean(file_of(peer), peer)),
    "median": lambda peer: digits(sorted(ratios(file_of(peer), peer))[len(ratios(file_of(peer), peer)) // 2]),
    "median_first_ms": lambda peer: digits(median_first_ms("matx", peer), 2),
    "percent": lambda peer: digits(100 * (mean(file_of(peer), peer) - 1), 1),
    "cases": lambda peer: str(len(ratios(file_of(peer), peer))),
    "least": lambda peer: digits(min(ratios(file_of(peer), peer)), 2),
    "corpus": lambda peer, cases="all": digits(corpus_mean(peer, cases)),
    "corpus_cases": lambda cases="all": str(len(corpus_ratios("best", cases))),
    "corpus_behind": lambda percent: str(sum(r < 1 - int(percent) / 100 for r in corpus_ratios("best"))),
    "fusion_ms": lambda operations, way: digits(fusion(int(operations), way, "ms")),
    "fusion_gigabytes": lambda operations, way: digits(fusion(int(operations), way, "bytes") / 1e9),
    "read_terabytes": lambda: digits(ceiling("read") / 1e12),
    "copy_terabytes": lambda: digits(ceiling("copy") / 1e12),
    "arithmetic_teraflops": lambda: digits(ceiling("arithmetic") / 1e12),
    "ms": lambda *title: digits(milliseconds(the_case("h200", " ".join(title)), "sinter")),
    "ms_of": lambda peer, *title: digits(milliseconds(the_case("h200", " ".join(title)), peer)),
    "us": lambda *title: digits(1e3 * milliseconds(the_case("h200", " ".join(title)), "sinter"), 2),
    "queued_us": lambda *title: digits(1e3 * best(the_case("h200", " ".join(title)), "sinter")["queued_ms"], 2),
    "gigabytes_per_second": lambda *title: f"{rate(the_case('h200', ' '.join(title))):.0f}",
    "latency_us": lambda what: span(latency(what)),
    "latency_ms": lambda what: span([us / 1e3 for us in latency(what)]),
    "compile_seconds": lambda *source: seconds_to_compile(" ".join(source)),
    "version": version,
    "ridge_flops": lambda: digits(ceiling("arithmetic") / ceiling("read"), 2),
    "ridge_instructions": lambda: digits(ceiling("arithmetic") / 2 / ceiling("read"), 1),
    "ridge_instructions_of_a_float": lambda: digits(4 * ceiling("arithmetic") / 2 / ceiling("read"), 2),
    "ridge_instructions_of_8_bytes": lambda: digits(8 * ceiling("arithmetic") / 2 / ceiling("read"), 2),
}


def figure(words):
    name, *arguments = words.split()
    if name not in FIGURES:
        raise problem(f"docs/figures.py has no figure '{name}'")
    try:
        return FIGURES[name](*arguments)
    except TypeError:
        raise problem(f"the figure '{name}' does not take '{' '.join(arguments)}'") from None


def with_rates(table):
    """A table of few cases with several sizes: time per thousand elements."""
    name, titles, _ = TABLES[table]
    rows = ["| expression | elements | time | ns per 1000 elements |", "| --- | --- | --- | --- |"]
    for title, shown in titles.items():
        elements, ms = int(title.split()[-1]), milliseconds(the_case(name, title), "sinter")
        rows.append(f"| {shown} | {elements:,} | {digits(ms, 4)} ms | {digits(ms * 1e9 / elements)} |")
    return "\n".join(rows)


def duration(us):
    """`22 µs`, `1.04 ms`."""
    return f"{digits(us, 2)} µs" if us < 100 else f"{digits(us / 1e3)} ms"


def of_examples():
    """The programs in examples, beside what Python takes for the same."""
    rows = ["| program in [examples](../examples) | GPU | Sinter | Python, the same run |", "| --- | --- | --- | --- |"]
    for row in results("examples")["rows"]:
        note = f", {row['note']}" if "note" in row else ""
        peer = f"{row['peer']} {duration(row['peer_time'])}" if "peer" in row else ""
        rows.append(f"| `{row['program']}`: {row['what']} | {row['device']} | {duration(row['sinter'])}{note} "
                    f"| {peer} |")
    return "\n".join(rows)


def measured(table):
    """A table of milliseconds."""
    if table == "examples":
        return of_examples() + "\n"
    if table not in TABLES:
        raise problem(f"docs/figures.py has no table '{table}'")
    if table == "exp_and_chain":
        return with_rates(table) + "\n"
    name, titles, peers = TABLES[table]
    titles = titles or {title: f"`{title}`" for title in cases(name)}
    peers = ["sinter", *peers]
    rows = ["| milliseconds | " + " | ".join(COLUMNS[p] for p in peers) + " | GB/s |",
            "| --- |" + " ---: |" * (len(peers) + 1)]
    for title, shown in titles.items():
        case = the_case(name, title)
        times = [milliseconds(case, p) for p in peers]
        cells = [digits(t) if t else "" for t in times]
        rows.append(f"| {shown} | {' | '.join(cells)} | {rate(case):,.0f} |")
    return "\n".join(rows) + "\n"


def unmarked(text):
    """Figures with a unit of time or rate that no marker takes from a results file, outside of code."""
    prose = re.sub(r"^```.*?^```$", "", FIGURE.sub("", MEASURED.sub("", text)), flags=re.S | re.M)
    return re.findall(r"\d[\d.,]*\s(?:ms|µs|us|ns|s|seconds|[GT]B/s)(?!\w)", prose)


def renewed(text):
    text = MEASURED.sub(lambda m: m[1] + measured(m[2]) + m[3], text)
    return FIGURE.sub(lambda m: m[1] + figure(m[2]) + m[4], text)

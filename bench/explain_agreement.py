#!/usr/bin/env python3
"""Compares the bytes and times that explain() predicts with those of the profiler, case by case.

    explain_agreement.py build/release/bench/cases      # needs a GPU, ncu and its permission
    explain_agreement.py --measured bench/results/h200.json --explain build/release/tools/sinter-explain

The first form profiles one launch per case of the table, in one run of the program. Bytes read are counted between
memory and the L2 cache, after ncu has flushed the cache. Bytes written are counted on their way into the L2 cache: when
a kernel ends, up to all of it may still hold them, and they go to memory during the next kernel. The bars are 5 % for
bytes and 15 % for the time of memory-bound kernels. Below a megabyte ("few") there is no verdict, because the kernel's
own code and arguments weigh as much. Because the cache is flushed, small arrays are read from memory, unlike in a
program that has just written them.

The second form only compares predicted times with those of an earlier run; it needs no GPU.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "peers"))
import cases

METRICS = {"dram__bytes_read.sum": "read", "lts__t_sectors_srcunit_tex_op_write.sum": "written",
           "dram__bytes_write.sum": "evicted", "gpu__time_duration.sum": "seconds"}
UNITS = {"sector": 32, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1,
         "nsecond": 1e-9, "usecond": 1e-6, "msecond": 1e-3, "second": 1}
BYTES_BAR, TIME_BAR = 0.05, 0.15
FEWEST_BYTES = 1 << 20

# The cases of h200.json as expressions for sinter-explain, with operands in terms of the case's extents.
EXPRESSIONS = {
    "exp": ("exp(x)", "x:{t}[{0}]"),
    "chain": ("tanh(0.75f * x + 0.25f) * exp(-0.5f * square(x)) + 0.125f", "x:{t}[{0}]"),
    "linear": ("1.5f * x + 2.5f * y + 3.5f * w", "x:{t}[{0}]", "y:{t}[{0}]", "w:{t}[{0}]"),
    "multiply_add": ("x * y + 1.f", "x:{t}[{0}]", "y:{t}[{0}]"),
    "norm_axis0": ("sqrt(sum(x * x, axis=0))", "x:{t}[{0},{1},{2}]"),
    "norm_axis1": ("sqrt(sum(x * x, axis=1))", "x:{t}[{0},{1},{2}]"),
    "norm_axis2": ("sqrt(sum(x * x, axis=2))", "x:{t}[{0},{1},{2}]"),
    "dot": ("sum(x * y)", "x:{t}[{0}]", "y:{t}[{0}]"),
    "share_of_sum": ("x / sum(x)", "x:{t}[{0}]"),
    "softmax": ("softmax(x, axis=1)", "x:{t}[{0},{1}]"),
    "layernorm": ("layer_norm(x, axis=1) * w + b", "x:{t}[{0},{1}]", "w:{t}[{1}]", "b:{t}[{1}]"),
    "rmsnorm": ("rms_norm(x, axis=1) * w", "x:{t}[{0},{1}]", "w:{t}[{1}]"),
    "logsumexp": ("logsumexp(x, axis=1)", "x:{t}[{0},{1}]"),
    "argmax": ("argmax(x, axis=1)", "x:{t}[{0},{1}]"),
    "cumsum_axis0": ("cumsum(x, axis=0)", "x:{t}[{0},{1}]"),
    "cumsum_axis1": ("cumsum(x, axis=1)", "x:{t}[{0},{1}]"),
    "var_axis0": ("var(x, axis=0)", "x:{t}[{0},{1}]"),
    "standardise_axis0": ("standardise(x, axis=0)", "x:{t}[{0},{1}]"),
    "black_scholes": (
        "let((log(p / k) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * sqrt(t)), [](auto d) {{ return "
        "p * (0.5f * (1.f + erf(d * 0.70710678f))) - k * exp(-0.02f * t) * (0.5f * (1.f + erf((d - 0.3f * sqrt(t)) * "
        "0.70710678f))); }})", "p:{t}[{0}]", "k:{t}[{0}]", "t:{t}[{0}]"),
    "pairwise": ("sum(square(x(all, newaxis, all) - y), axis=2)", "x:{t}[{0},{2}]", "y:{t}[{1},{2}]"),
    "kmeans": ("argmin(sum(square(x(all, newaxis, all) - y), axis=2), axis=1)", "x:{t}[{0},{2}]", "y:{t}[{1},{2}]"),
    "gelu_bias": ("gelu(x + b)", "x:{t}[{0},{1}]", "b:{t}[{1}]"),
    "laplacian": ("u(range(0, -2), range(1, -1)) + u(range(2, end), range(1, -1)) + u(range(1, -1), range(0, -2)) + "
                  "u(range(1, -1), range(2, end)) - 4 * u(range(1, -1), range(1, -1))", "u:{t}[{0},{1}]"),
    "add_transposed": ("x + transpose(y)", "x:{t}[{0},{1}]", "y:{t}[{1},{0}]"),
    "gaussian": ("exp(-square(x(all, newaxis) - y))", "x:{t}[{0}]", "y:{t}[{1}]"),
}


def profile(ncu, program, wanted):
    """The program's report on each case, and ncu's counts for one launch of it: [(said, {"read": bytes, ...})].

    One process for all cases, with one set of operands per case, because ncu flushes the cache. The launch that counts
    is the one after the kernel `hold` (--once); there is one per line of figures.
    """
    specs = [case.spec.rpartition(":")[0] + ":1" for case in wanted]
    command = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--metrics",
               ",".join(METRICS), program, "--once", *specs]
    result = subprocess.run(command, capture_output=True, text=True)
    output = result.stdout.splitlines()
    said = [json.loads(line) for line in output if line.startswith("{")][1:]  # the first line names the device
    wrong = [f"{line['case']}: {line.get('error', 'the program has no such case')}" for line in said
             if "predicted_ms" not in line]
    if wrong:
        sys.exit("\n".join(wrong))
    header, units, *rows = list(csv.reader(line for line in output if line.startswith('"'))) or [[], []]
    names = [row[header.index("Kernel Name")].split("(")[0] for row in rows]
    counted = [row for before, row in zip(names, rows[1:]) if before == "hold"]
    if len(counted) != len(said) or len(said) < len(wanted):
        sys.exit(f"ncu gave no figures of {specs}:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    seen = [{name: float(row[header.index(metric)].replace(",", "")) * UNITS[units[header.index(metric)]]
             for metric, name in METRICS.items()} for row in counted]
    # A case's second line, for an approximate variant, has that variant's name.
    return [(line, figures) for line, figures in zip(said, seen) if line["variant"] == ""]


def predict(program, case):
    """Predicted bytes, seconds and limiter, from sinter-explain's report for the GPU of h200.json."""
    arguments = [part.format(*case.extents, t=case.dtype) for part in EXPRESSIONS[case.op]]
    text = subprocess.run([program, *arguments, "--arch", "sm_90"], capture_output=True, text=True, check=True).stdout
    words = next(line for line in text.splitlines() if line.startswith("  predicted")).split()
    return float(words[4]) * 1e6, float(words[1]) * 1e-3, text.split("bound by ")[1].splitlines()[0]


def off(measured, predicted):
    return f"{100 * (predicted / measured - 1):+.1f} %"


def verdict(wanted, measured, predicted, bar):
    return "" if not wanted else "good" if abs(predicted / measured - 1) <= bar else "OFF"


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def against_profiler(options):
    profiled = profile(options.ncu, options.program, cases.TABLE)
    row("case", "predicted MB", "read", "written", "evicted", "off", "bytes", "predicted ms", "ncu ms", "off",
        "bound by", "time")
    row(*["---"] * 12)
    figures = []
    for case, (told, seen) in zip(cases.TABLE, profiled):
        moved, predicted, ms = seen["read"] + seen["written"], told["predicted_bytes"], seen["seconds"] * 1e3
        few = case.bytes < FEWEST_BYTES
        bytes_verdict = "few" if few else verdict(True, moved, predicted, BYTES_BAR)
        time_verdict = verdict(told["bound_by"] == "bytes" and not few, ms, told["predicted_ms"], TIME_BAR)
        megabytes = [f"{b / 1e6:.2f}" for b in (predicted, seen["read"], seen["written"], seen["evicted"])]
        row(case.title, *megabytes, off(moved, predicted), bytes_verdict, f"{told['predicted_ms']:.4f}", f"{ms:.4f}",
            off(ms, told["predicted_ms"]), told["bound_by"], time_verdict)
        figures.append({"case": case.spec, "title": case.title, "schedule": told["detail"], **seen,
                        "predicted_bytes": predicted, "predicted_seconds": told["predicted_ms"] / 1e3,
                        "bound_by": told["bound_by"], "bytes": bytes_verdict, "time": time_verdict})
    for judged, bar in (("bytes", BYTES_BAR), ("time", TIME_BAR)):
        verdicts = [f[judged] for f in figures]
        print(f"\n{judged}: {verdicts.count('good')} of {verdicts.count('good') + verdicts.count('OFF')} within "
              f"{bar:.0%}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return all("OFF" not in (f["bytes"], f["time"]) for f in figures)


def against_results(options):
    measured = {c["case"]: c["results"]["sinter"]["best"]["ms"]
                for c in json.loads(pathlib.Path(options.measured).read_text(encoding="utf-8"))["cases"]}
    row("case", "predicted MB", "predicted ms", "measured ms", "off", "bound by", "time")
    row(*["---"] * 7)
    good = True
    for case in cases.TABLE + cases.EXTRA:
        if case.spec not in measured or case.op not in EXPRESSIONS:
            continue
        moved, seconds, bound_by = predict(options.explain, case)
        said = verdict(bound_by == "bytes", measured[case.spec], seconds * 1e3, TIME_BAR)
        good = good and said != "OFF"
        row(case.title, f"{moved / 1e6:.2f}", f"{seconds * 1e3:.4f}", f"{measured[case.spec]:.4f}",
            off(measured[case.spec], seconds * 1e3), bound_by, said)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="build/.../bench/cases")
    parser.add_argument("--ncu", default="ncu", help="NVIDIA Nsight Compute's command line")
    parser.add_argument("--json", help="write what the profiler counted to this file")
    parser.add_argument("--measured", help="times of an earlier run, instead of a profiler's")
    parser.add_argument("--explain", help="the sinter-explain that predicts them")
    options = parser.parse_args()
    if bool(options.measured) != bool(options.explain) or bool(options.program) == bool(options.measured):
        parser.error("give a program of cases, or --measured and --explain")
    return 0 if (against_results if options.measured else against_profiler)(options) else 1


if __name__ == "__main__":
    sys.exit(main())

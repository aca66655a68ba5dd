#!/usr/bin/env python3
"""The performance fuzzer: measures random programs with Sinter and PyTorch, and shrinks those that Sinter loses.

    fuzz.py [--programs 300] [--seed 1] [--shrink 5] [--budget SECONDS] [further options of measure.py]

Program n has the seed --seed + n. Each is measured like a case of the corpus: results are compared with the counterpart
in double, and times with torch.compile, the roofline and what explain predicts. The programs with the smallest ratio of
the peer's time to Sinter's are shrunk: operands take the place of parts of the program as long as the ratio stays.
The rows that are left go to --found; `measure.py --rows FILE` measures them again.
"""
import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import grow
import measure
import report
import rows
import shrink
import table


def measured(texts, options, name):
    """The results of rows, as measure.py writes them. A row that cannot be read or measured has no time."""
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / f"{name}.py"
    file.write_text(rows.file_of(texts, "Random programs of the performance fuzzer."), encoding="utf-8")
    arguments = ["--rows", str(file), "--out", str(options.out), "--name", name, "--no-check", *options.further]
    table.ALL.clear()
    return measure.run(measure.parse(arguments))


def lost(case):
    """The peers' least time over Sinter's, or None."""
    return report.ratio(case, [p for p in case["results"] if p != "sinter"])


def wrong(case):
    return case["results"].get("sinter", {}).get("right") is False


def shrunk(case, options):
    """The smallest program found that loses about as much: (row, ratio)."""
    seed = int(case["name"].rsplit("_", 1)[1])
    results, operands, dims = grow.program(seed)
    ratio = lost(case)
    for step in range(options.steps):
        candidates = shrink.candidates(results)[:options.width]
        texts = [rows.row(f"shrunk_{seed}_{k}", c, shrink.names(c), dims) for k, c in enumerate(candidates)]
        if not texts:
            break
        found = {c["name"]: c for c in measured(texts, options, f"shrink_{seed}_{step}")["cases"]}
        ratios = [lost(found[f"shrunk_{seed}_{k}"]) if f"shrunk_{seed}_{k}" in found else None
                  for k in range(len(texts))]
        kept = [k for k, r in enumerate(ratios) if r is not None and r <= min(ratio * 1.1, 0.9)]
        if not kept:
            break
        results, operands = candidates[kept[0]], shrink.names(candidates[kept[0]])  # the smallest of them
        ratio = ratios[kept[0]]
    return rows.row(f"found_{seed}", results, operands, dims), ratio


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--shrink", type=int, default=5, help="how many of the worst programs to shrink")
    parser.add_argument("--steps", type=int, default=6, help="of shrinking one program")
    parser.add_argument("--width", type=int, default=8, help="candidates measured per step")
    parser.add_argument("--out", type=pathlib.Path, default=measure.ROOT / "build" / "bench")
    parser.add_argument("--found", type=pathlib.Path, default=None, help="the file of rows to write")
    options, options.further = parser.parse_known_args()
    if "--only" not in options.further:
        options.further += ["--only", "sinter", "torch.compile"]
    return options


def main():
    options = parse()
    seeds = range(options.seed, options.seed + options.programs)
    whole = measured([rows.of_seed(s) for s in seeds], options, "fuzz")
    report.write(whole, options.out, "fuzz")
    for case in whole["cases"]:
        if wrong(case):
            print(f"WRONG: {case['name']}: off by {case['results']['sinter']['error_of_result']:.1e}")
    behind = sorted((c for c in whole["cases"] if (lost(c) or 1) < 0.9), key=lost)
    print(f"{len(behind)} of {len(whole['cases'])} programs below 0.9")
    found = []
    for case in behind[:options.shrink]:
        text, ratio = shrunk(case, options)
        print(f"{lost(case):.2f}, shrunk {ratio:.2f}:\n{text}")
        found.append(text)
    if options.found and found:
        options.found.write_text(rows.file_of(found, "Programs that the performance fuzzer found and shrank."),
                                 encoding="utf-8")
    return 1 if any(map(wrong, whole["cases"])) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Measures the C++ compile time of a user's file.

    measure.py [--compiler g++] [--runs 5] [--bar 1.5] [--corpus-bar 6]

Prints the median, minimum and maximum of the runs in seconds; exits 1 when the median of the reduction, or of
corpus.cpp's twenty expressions, is above its bar.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

FUNCTION = """#include <sinter.hpp>
using namespace sinter;
array<double, %d> f(const array<double, 3>& x) { %s return r; }
"""

# The timed sources, from an empty file to a long one. "reduction" and "corpus" have bars.
SOURCES = {
    "empty file": "",
    "include alone": "#include <sinter.hpp>\n",
    "reduction": FUNCTION % (2, "array<double, 2> r = sqrt(sum(x * x, axis=2));"),
    "softmax": FUNCTION % (3, "auto e = exp(x - max(x, axis=2, keepdims)); "
                              "array<double, 3> r = e / sum(e, axis=2, keepdims);"),
    "50 operators": FUNCTION % (3, "array<double, 3> r = " + " + ".join(f"x * {i}.5" for i in range(1, 26)) + ";"),
    "corpus": (ROOT / "bench/compile_time/corpus.cpp").read_text(encoding="utf-8"),
}


def seconds_to_compile(command, source, folder):
    path = pathlib.Path(folder) / "source.cpp"
    path.write_text(source, encoding="utf-8")
    start = time.perf_counter()
    subprocess.run([*command, "-c", str(path), "-o", os.devnull], check=True)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--bar", type=float, default=1.5, help="seconds that the reduction may take (%(default)s)")
    parser.add_argument("--corpus-bar", type=float, default=6, help="seconds that the corpus may take (%(default)s)")
    options = parser.parse_args()

    command = [options.compiler, "-std=c++20", "-O2", f"-I{ROOT / 'include'}"]
    print(f"{' '.join(command[:3])}, {options.runs} runs each\n")
    print(f"{'':16}{'median':>8}{'fastest':>9}{'slowest':>9}   seconds")
    medians = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, source in SOURCES.items():
            try:
                times = [seconds_to_compile(command, source, folder) for _ in range(options.runs)]
            except subprocess.CalledProcessError:
                sys.exit(f"{name}: does not compile:\n{source}")
            medians[name] = statistics.median(times)
            print(f"{name:16}{medians[name]:8.2f}{min(times):9.2f}{max(times):9.2f}")
    print()
    bars = {"reduction": options.bar, "corpus": options.corpus_bar}
    for name, bar in bars.items():
        print(f"{name}: {medians[name]:.2f} s, {'within' if medians[name] <= bar else 'ABOVE'} the bar of {bar:.2f} s")
    sys.exit(0 if all(medians[name] <= bar for name, bar in bars.items()) else 1)


if __name__ == "__main__":
    main()

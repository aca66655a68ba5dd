#!/usr/bin/env python3
"""Measures the C++ compile time of a user's file.

    measure.py [--compiler g++] [--runs 5] [--bar 1.5] [--corpus-bar 6] [--json FILE]

Prints the median, minimum and maximum of the runs in seconds of processor time, which other processes on the machine
disturb less than elapsed time; exits 1 when the median of the reduction, or of corpus.cpp's twenty expressions, is
above its bar. --json writes the medians, with the machine and the compiler (bench/results/compile_time.json).
"""
import argparse
import json
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile

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
    before = processor_seconds()
    subprocess.run([*command, "-c", str(path), "-o", os.devnull], check=True)
    return processor_seconds() - before


def processor_seconds():
    """Of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def machine():
    """The processor's name, as Linux reports it."""
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return f"{line.partition(':')[2].strip()}, {os.cpu_count()} cores"
    return platform.processor()


def save(path, command, medians):
    version = subprocess.run([command[0], "-dumpfullversion"], stdout=subprocess.PIPE, text=True, check=True).stdout
    record = {"machine": machine(), "command": " ".join(command[:3]), "version": version.strip(),
              "seconds": {name: round(median, 3) for name, median in medians.items()}}
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--bar", type=float, default=1.5, help="seconds that the reduction may take (%(default)s)")
    parser.add_argument("--corpus-bar", type=float, default=6, help="seconds that the corpus may take (%(default)s)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the medians to FILE")
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
    if options.json:
        save(options.json, command, medians)
    bars = {"reduction": options.bar, "corpus": options.corpus_bar}
    for name, bar in bars.items():
        print(f"{name}: {medians[name]:.2f} s, {'within' if medians[name] <= bar else 'ABOVE'} the bar of {bar:.2f} s")
    sys.exit(0 if all(medians[name] <= bar for name, bar in bars.items()) else 1)


if __name__ == "__main__":
    main()

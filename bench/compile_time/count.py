#!/usr/bin/env python3
"""Counts the templates that corpus.cpp makes the C++ compiler instantiate: a cost independent of machine load.

    count.py [--compiler g++] [--compiler clang++-16] [--update]

With g++: sinter's symbols in the unoptimised object file, and the length of their names (deep types have long names,
which take time). With clang++: sinter's templates in its -ftime-trace. Each count is compared with the record for that
compiler's major version in instantiations.json; more than 3 % above it is a WARNING. --update records the new counts.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "instantiations.json"
TOLERANCE = 1.03


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def compile_corpus(compiler, folder, *options):
    run(compiler, "-std=c++20", "-O0", f"-I{HERE.parents[1] / 'include'}", *options, "-c", str(HERE / "corpus.cpp"),
        "-o", f"{folder}/corpus.o")


def count_symbols(compiler, folder):
    compile_corpus(compiler, folder)
    symbols = [line.split()[-1] for line in run("nm", "--defined-only", f"{folder}/corpus.o").splitlines()]
    symbols = [s for s in symbols if "6sinter" in s]
    return {"symbols": len(symbols), "bytes of their names": sum(map(len, symbols))}


def count_templates(compiler, folder):
    compile_corpus(compiler, folder, "-ftime-trace", "-ftime-trace-granularity=0")
    events = json.loads(pathlib.Path(folder, "corpus.json").read_text(encoding="utf-8"))["traceEvents"]
    details = [e["args"].get("detail", "") for e in events if e["name"] in ("InstantiateClass", "InstantiateFunction")]
    return {"templates": sum(d.startswith("sinter::") for d in details)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", action="append", help="may be given several times; g++ when it is not")
    parser.add_argument("--update", action="store_true", help="record the counts")
    options = parser.parse_args()
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    for compiler in options.compiler or ["g++"]:
        version = run(compiler, "-dumpversion").split(".")[0].strip()
        clang = "clang" in run(compiler, "--version")
        name = f"{'clang++' if clang else 'g++'} {version}"
        with tempfile.TemporaryDirectory() as folder:
            counts = (count_templates if clang else count_symbols)(compiler, folder)
        for what, count in counts.items():
            known = record.get(name, {}).get(what)
            note = "not recorded" if known is None else f"{count / known - 1:+.1%} of the recorded {known}"
            loud = "WARNING: " if known is not None and count > known * TOLERANCE else ""
            print(f"{loud}{name}: {what}: {count} ({note})")
        if options.update:
            record[name] = counts
    if options.update:
        RECORD.write_text(json.dumps(record, indent=4, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The single header says what the library says.

    compare.py LIBRARY_PROGRAM SOURCE -- COMPILER FLAG...

Compiles SOURCE with the single header, and compares what it prints with what LIBRARY_PROGRAM does: the whole, or as
far as it goes where the header does not evaluate.
"""
import difflib
import pathlib
import subprocess
import sys
import tempfile


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr[:4000]}")
    return done.stdout.splitlines()


def main():
    library, source, dashes, *compiler = sys.argv[1:]
    assert dashes == "--"
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "looks")
        output_of([*compiler, "-DSINTER_ALL", source, "-o", program, "-ldl"])
        single = output_of([program])
    whole = output_of([library])
    if "-DSINTER_ALL_EVALUATE" not in compiler:
        whole = whole[:len(single)]
    differences = list(difflib.unified_diff(whole, single, "library", "single header", lineterm="", n=1))
    print(*differences[:40], sep="\n")
    print(f"{len(single)} lines")
    sys.exit(1 if differences or len(single) < 1000 else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks the layout of the C++ files, or with --in-place mends it: format.py CLANG_FORMAT ROOT [--in-place]

The layout is clang-format's, by .clang-format, but for named arguments: they are written as in `sum(x, axis=2)`, which
clang-format takes for an assignment and spaces out.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

FOLDERS = ["include", "codegen", "runtime", "tools", "tests", "examples", "bench", "docs"]
AT_ONCE = 50
NAMED_ARGUMENT = re.compile(r"(?<=[(,])(\s*)(axis|where|initial|ddof|eps|ord|precision|endpoint|rtol) = (?=\S)")


def laid_out(tool, root, paths):
    """The texts of files as they should be: copies of them, laid out many at a time, since to start takes the tool as
    long as a file."""
    with tempfile.TemporaryDirectory() as folder:
        copies = [pathlib.Path(folder) / path.relative_to(root) for path in paths]
        for path, copy in zip(paths, copies):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        shutil.copy(root / ".clang-format", folder)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda some: subprocess.run([tool, "--style=file", "-i", *some], check=True),
                          (copies[k:k + AT_ONCE] for k in range(0, len(copies), AT_ONCE))))
        return [NAMED_ARGUMENT.sub(r"\1\2=", copy.read_bytes().decode()) for copy in copies]


def main():
    tool, root, in_place = sys.argv[1], pathlib.Path(sys.argv[2]), "--in-place" in sys.argv[3:]
    files = sorted(path for folder in FOLDERS for suffix in ("*.hpp", "*.cpp")
                   for path in (root / folder).rglob(suffix))
    if not files:
        sys.exit(f"no C++ files under {root.resolve()}")

    others = 0
    for path, new in zip(files, laid_out(tool, root, files)):
        old = path.read_bytes().decode()
        if new == old:
            continue
        others += 1
        if in_place:
            path.write_bytes(new.encode())
        else:
            pairs = zip(old.splitlines() + [""], new.splitlines() + [""])
            line = next((number for number, (a, b) in enumerate(pairs, 1) if a != b), 1)
            print(f"{path.relative_to(root)}:{line}: is not laid out as .clang-format says")
    if in_place:
        print(f"reformatted {others} of {len(files)} files")
    elif others:
        print(f"{others} of {len(files)} files need `./dev format`")
        sys.exit(1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compiles every header under a folder by itself, or one of several parts of them:

    alone.py FOLDER PART OF -- COMPILER FLAG...

PART counts from 0.
"""
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def main():
    folder, part, parts, command = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[5:]
    headers = sorted(folder.rglob("*.hpp"))[part::parts]
    if not headers:
        sys.exit(f"no headers under {folder}")

    def compile_alone(header):
        name = header.relative_to(folder)
        # Included twice: a header without its guard would be caught, too.
        text = f"#include <{name}>\n#include <{name}>\n"
        return subprocess.run([*command, "-x", "c++", "-"], input=text, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(compile_alone, headers))
    failed = [header for header, result in zip(headers, results) if result.returncode]
    for header, result in zip(headers, results):
        if result.returncode:
            print(f"{header} does not compile alone:\n{result.stdout}")
    print(f"{len(headers) - len(failed)} of {len(headers)} headers compile alone")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

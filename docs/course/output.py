#!/usr/bin/env python3
"""Compares what a program of the course prints with what the pages show: output.py PROGRAM FILE

SINTER_UPDATE_GOLDEN=1 writes the file again; then `./dev docs` puts it into the pages.
"""
import difflib
import os
import pathlib
import subprocess
import sys


def main(program, path):
    path = pathlib.Path(path)
    ran = subprocess.run([program], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{program} ended with {ran.returncode}\n{ran.stdout}{ran.stderr}")
    if os.environ.get("SINTER_UPDATE_GOLDEN"):
        path.write_text(ran.stdout, encoding="utf-8")
        return
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    if ran.stdout != kept:
        print("\n".join(difflib.unified_diff(kept.splitlines(), ran.stdout.splitlines(), str(path), program,
                                             lineterm="")))
        sys.exit("it prints something else than the course shows; SINTER_UPDATE_GOLDEN=1 keeps it")


if __name__ == "__main__":
    main(*sys.argv[1:])

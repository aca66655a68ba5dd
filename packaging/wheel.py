#!/usr/bin/env python3
"""A Python wheel of an installed Sinter: headers, library, CMake package and sinter-explain, for virtual environments.

    cmake --install build/package --strip --prefix build/prefix
    python3 packaging/wheel.py --prefix build/prefix --out build/dist
    pip install build/dist/sinter_cpp-*.whl

`python3 -m sinter_cpp` then prints what CMAKE_PREFIX_PATH needs. The format is that of
https://packaging.python.org/en/latest/specifications/binary-distribution-format/; same files give the same bytes.
"""
import argparse
import base64
import hashlib
import pathlib
import platform
import re
import stat
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "sinter_cpp"
MODULE = '''"""Sinter, a C++ library: `prefix()` is where its headers, library and CMake package are."""
import pathlib


def prefix():
    """The folder for CMAKE_PREFIX_PATH."""
    return pathlib.Path(__file__).resolve().parent / "prefix"
'''
MAIN = '''"""Prints the folder for CMAKE_PREFIX_PATH."""
from sinter_cpp import prefix

print(prefix())
'''
TOOL = '''"""Runs sinter-explain."""
import os
import sys

from sinter_cpp import prefix


def main():
    program = prefix() / "bin/sinter-explain"
    os.execv(program, [str(program), *sys.argv[1:]])
'''


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(Sinter VERSION ([\d.]+)", text, re.M)[1]


def files_of(prefix):
    """(name in the wheel, bytes, whether it is run) of all that the wheel holds."""
    tool = prefix / "bin/sinter-explain"
    if not tool.is_file():
        sys.exit(f"wheel.py: there is no {tool}; build the target sinter-explain, and install it there first")
    libraries = [*prefix.glob("lib*/**/libsinter.a"), *prefix.glob("lib*/**/libsinter.so*")]
    if not libraries:
        sys.exit(f"wheel.py: there is no library below {prefix}; install it there first")
    yield f"{NAME}/__init__.py", MODULE.encode(), False
    yield f"{NAME}/__main__.py", MAIN.encode(), False
    yield f"{NAME}/explain.py", TOOL.encode(), False
    for path in sorted(p for p in prefix.rglob("*") if p.is_file()):  # links are followed: a wheel has none
        is_run = bool(path.stat().st_mode & stat.S_IXUSR)
        yield f"{NAME}/prefix/{path.relative_to(prefix).as_posix()}", path.read_bytes(), is_run


def metadata(tag):
    info = f"{NAME}-{version()}.dist-info"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    summary = "C++20 arrays whose expressions become one CUDA kernel: headers, library, CMake package, sinter-explain"
    yield f"{info}/METADATA", (f"Metadata-Version: 2.1\nName: sinter-cpp\nVersion: {version()}\nSummary: {summary}\n"
                               "License: BSL-1.0\nRequires-Python: >=3.8\n"
                               f"Description-Content-Type: text/markdown\n\n{readme}").encode(), False
    yield f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: sinter wheel.py\nRoot-Is-Purelib: false\n"
                            f"Tag: {tag}\n").encode(), False
    yield f"{info}/entry_points.txt", f"[console_scripts]\nsinter-explain = {NAME}.explain:main\n".encode(), False
    yield f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), False


def write(archive, name, data, is_run):
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (stat.S_IFREG | (0o755 if is_run else 0o644)) << 16
    archive.writestr(entry, data)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--prefix", type=pathlib.Path, required=True, help="where Sinter was installed")
    options.add_argument("--out", type=pathlib.Path, required=True, help="the folder for the wheel")
    chosen = options.parse_args()
    tag = f"py3-none-linux_{platform.machine()}"
    record = []
    chosen.out.mkdir(parents=True, exist_ok=True)
    path = chosen.out / f"{NAME}-{version()}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data, is_run in [*files_of(chosen.prefix), *metadata(tag)]:
            write(archive, name, data, is_run)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")
        own = f"{NAME}-{version()}.dist-info/RECORD"
        write(archive, own, ("".join(record) + f"{own},,\n").encode(), False)
    print(path)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The number of launches of each function's first example, by sinter-explain: launches.py SINTER_EXPLAIN

Compares with docs/reference/launches.txt; SINTER_UPDATE_GOLDEN=1 rewrites that file. It omits functions that the tool
does not parse: functions that evaluate, and functions of whole arrays.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import catalog

FILE = catalog.ROOT / "docs/reference/launches.txt"
DTYPES = {"double": "f64", "float": "f32", "int": "i32", "std::int64_t": "i64", "bool": "bool", "short": "i16",
          "std::complex<double>": "complex128", "std::complex<float>": "complex64", "float16": "f16",
          "std::uint8_t": "u8"}
DECLARED = re.compile(r"^(?:const )?array<([\w:<>]+), (\d)> (\w+) = (\{.*\});$")


def shape_of(text, rank):
    """The extents of a braced list, from its first element at each depth."""
    value = re.sub(r"[^{},]+", "0", re.sub(r"\s", "", text)).replace("{", "[").replace("}", "]")
    if re.search(r"0\[|\]0|\]\[", value):
        return None  # more than one list
    value = eval(value, {})  # contains only brackets, commas and zeros
    extents = []
    for _ in range(rank):
        if not isinstance(value, list):
            return None
        extents.append(len(value))
        value = value[0] if value else 0
    return extents


def operands_of(lines):
    """{name: the array's description for the tool} of declarations."""
    found = {}
    for line in lines:
        if (match := DECLARED.match(line)) and match[1] in DTYPES and (shape := shape_of(match[4], int(match[2]))):
            found[match[3]] = f"{match[3]}:{DTYPES[match[1]]}[{','.join(map(str, shape))}]"
    return found


def questions():
    """(name, expression, operands) of each function that has an example with an expression."""
    for name, one in catalog.items().items():
        example = catalog.examples()[name]
        if one.kind not in ("function", "operation") or not example:
            continue
        operands, parts = example
        everywhere = [code for _, lines in catalog.outputs().get(one.theme, []) for code, _ in lines]
        known = {**operands_of(everywhere), **operands_of([*operands, *(code for code, _ in parts)])}
        for code, result in parts:
            if not code.endswith(";") and catalog.mentions(one, code) and not result.startswith("error"):
                used = [text for key, text in known.items() if re.search(rf"\b{key}\b", code)]
                yield name, code, used
                break


def launches(tool, expression, operands):
    """The number, or None if the tool does not parse the expression."""
    ran = subprocess.run([tool, expression, *operands, "--arch", "sm_90", "--assert", "launches==0.5"],
                         capture_output=True, text=True, timeout=120)
    match = re.search(r"does not hold: (\d+) ==", ran.stderr)
    return int(match[1]) if match else None


def main():
    asked = list(questions())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        numbers = list(pool.map(lambda q: launches(sys.argv[1], q[1], q[2]), asked))
    lines = [f"{name} | {code} | {number}\n" for (name, code, _), number in zip(asked, numbers) if number is not None]
    text = "".join(sorted(lines))
    if os.environ.get("SINTER_UPDATE_GOLDEN"):
        FILE.write_text(text, encoding="utf-8")
    elif other := set(FILE.read_text(encoding="utf-8").splitlines(True)) - set(lines):  # new functions may be missing
        print("".join(f"- {line}" for line in sorted(other)), end="")
        print("".join(f"+ {line}" for line in lines if line.split(" | ")[0] in {o.split(" | ")[0] for o in other}))
        sys.exit(f"{FILE.name} says otherwise; SINTER_UPDATE_GOLDEN=1 keeps what is")
    print(f"{len(lines)} of {len(asked)}")


if __name__ == "__main__":
    main()

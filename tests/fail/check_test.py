#!/usr/bin/env python3
"""Sees to it that check.py can fail, for each of its reasons: check_test.py COMPILER FLAG..."""
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).with_name("check.py")

# What a file holds, and what check.py must say of it: None when all is well.
CASES = [
    ("// expect: no arrays of refer[e]nces\nstatic_assert(false, \"no arrays of references\");\n", None),
    ("// expect: one\n// expect: two\nstatic_assert(false, \"one\");\nstatic_assert(false, \"two\");\n", None),
    ("// expect: one\nint x = 0;\n", "it compiled"),
    ("// expect: another\nstatic_assert(false, \"one\");\n", "no line of the output matches: another"),
    ("// expect: one\n// lines: 1\nstatic_assert(false, \"one\");\nstatic_assert(false, \"two\");\n", "more than 1"),
    ("static_assert(false, \"one\");\n", "no `// expect:"),
    ("// expect: one\n#ifndef SINTER_CONTROL\nstatic_assert(false, \"one\");\n#endif\n", None),
    ("// expect: one\nstatic_assert(false, \"one\");\nint SINTER_CONTROL;\n", "it must compile, but does not"),
]


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "case.cpp"
        for text, complaint in CASES:
            path.write_text(text, encoding="utf-8")
            result = subprocess.run([sys.executable, CHECK, path, "--", *sys.argv[1:]], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, check=False)
            as_expected = result.returncode == 0 if complaint is None else (
                result.returncode != 0 and complaint in result.stdout)
            if not as_expected:
                failures += 1
                print(f"{text}expected {complaint or 'no complaint'}, got:\n{result.stdout}")
    print(f"{len(CASES)} cases, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

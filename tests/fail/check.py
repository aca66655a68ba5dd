#!/usr/bin/env python3
"""Checks that a file does not compile, and that the compiler says why in the words the file expects.

    check.py FILE -- COMPILER FLAG...

FILE's leading comments say what to look for:

    // expect: a regular expression that one line of the compiler's output must contain (may be given several times)
    // lines: the most lines that the compiler may print (10 when it is not given)

Messages and notes are counted, without the source excerpts that compilers draw below them and the chains of includes
above them. To see that a file fails for the one reason it is about, the harness compiles it once more with
-DSINTER_CONTROL where the file mentions that name: that must succeed.
"""
import re
import subprocess
import sys

DEFAULT_LINES = 10


def read_expectations(path):
    """The patterns and the line limit in the comments at the top of the file, and whether it has a control."""
    patterns, limit = [], DEFAULT_LINES
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        if match := re.match(r"//\s*expect:\s*(.+?)\s*$", line):
            patterns.append(match[1])
        elif match := re.match(r"//\s*lines:\s*(\d+)", line):
            limit = int(match[1])
    return patterns, limit, "SINTER_CONTROL" in text


def compile_file(command, path):
    # Excerpts and colours off; wrapping off, so that a message is one line. Both compilers know these two options.
    options = ["-fno-caret-diagnostics" if "clang" in command[0] else "-fno-diagnostics-show-caret",
               "-fmessage-length=0", "-fdiagnostics-color=never"]
    return subprocess.run([*command, *options, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)


def main():
    if "--" not in sys.argv or sys.argv.index("--") != 2:
        sys.exit(__doc__)
    path, command = sys.argv[1], sys.argv[3:]
    patterns, limit, has_control = read_expectations(path)
    if not patterns:
        sys.exit(f"{path}:1: no `// expect: <message>` in the comments at the top")

    result = compile_file(command, path)
    lines = [line for line in result.stdout.splitlines()
             if not re.match(r"In file included from |\s+from \S+:\d+[,:]$", line)]
    problems = []
    if result.returncode == 0:
        problems.append("it compiled")
    else:
        problems += [f"no line of the output matches: {p}" for p in patterns
                     if not any(re.search(p, line) for line in lines)]
        if len(lines) > limit:
            problems.append(f"the compiler printed {len(lines)} lines of messages, more than {limit}")
    if has_control:
        control = compile_file([*command, "-DSINTER_CONTROL"], path)
        if control.returncode != 0:
            problems.append("with -DSINTER_CONTROL it must compile, but does not:\n" + control.stdout)

    print(f"{path}: {len(lines)} lines of messages")
    if problems:
        print("\n".join(problems))
        print("--- the compiler's output\n" + result.stdout)
        sys.exit(1)


if __name__ == "__main__":
    main()

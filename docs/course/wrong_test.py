#!/usr/bin/env python3
"""Checks of exercises refuse wrong answers: solutions with one mistake each must fail the check of that exercise.

    wrong_test.py COMPILER LIBRARY CHAPTER        the C++ compiler, libsinter, and the chapter whose checks are tried
"""
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

COURSE = pathlib.Path(__file__).resolve().parent
ROOT = COURSE.parent.parent
COMPILER, LIBRARY, CHAPTER = sys.argv[1:4]
NEEDED = ["-ltbb", "-lfmt", "-lz", "-lsodium", "-ldl", "-lpthread"]  # by libsinter
# (chapter, right, wrong, the checks that must say so)
MISTAKES = [
    (1, "12 * 4 * n", "8 * 4 * n", ["1  bytes, unfused"]),
    (1, "2e-6 * 4e12 / 8", "2e-6 * 4e12", ["2  break-even"]),
    (1, "3 * m * m * d", "2 * m * m * d", ["3  operations per byte"]),
    (1, "64.3e12 / 4.65e12", "28", ["3  bound by memory?"]),
    (1, "64.3e12 / 4.65e12", "7", ["3  bound by memory?"]),
    (2, "    E operand;", "    const E& operand;", ["1  the description owns its operand"]),
    (2, "return -operand[i]", "return operand[i]", ["1  negation"]),
    (2, "return negative<E>(e);", "return negative<vec>(vec(e));", ["1  negation"]),
    (2, "binary<times, E, number>(e, number(s))", "binary<times, E, number>(e, number(1))", ["2  scalars"]),
    (2, "return binary<times, E, number>(e, number(s));",
     "return binary<times, E, vec>(e, vec(std::vector<float>(3, s)));", ["2  scalars"]),
    (2, "i < e.size()", "i + 1 < e.size()", ["3  a sum"]),
    (2, "    float total = 0;\n", "    const vec stored(e);\n    float total = 0;\n", ["3  a sum"]),
    (3, '= "-"', '= "+"', ["1  a new operation"]),
    (3, "int(first - array_of_leaf.begin())", "array_of_leaf[n.argument]",
     ["2  one array twice", "2  different arrays"]),
    (3, "if (n.left >= 0) n.left = place[n.left];", "", ["3  common subexpressions"]),
    (3, "known.argument == n.argument", "true", ["3  nothing else is merged"]),
    (3, "std::strcmp(known.op, n.op) == 0", "true", ["3  nothing else is merged"]),
    (4, "int offset = 4;", "int offset = 16;", ["1  four rows in a warp"]),
    (4, "a.index < b.index", "true", ["2  argmax, of equal values"]),
    (4, "a.value > b.value", "a.value < b.value", ["2  argmax, the greater value"]),
    (4, "+ parts - 1) / parts * 1024", ") / parts * 1024", ["3  shares hold all elements, and no more than they must"]),
    (4, "((n + 1023) / 1024 + parts - 1) / parts * 1024", "(n + parts - 1) / parts", ["3  shares are whole"]),
    (5, " + 1e-5f", "", ["1  normalise, the values"]),
    (5, "axis=1_c, keepdims);\n    return", "axis=0_c, keepdims);\n    return", ["1  normalise, the values"]),
    (5, "s.sum == 0 ? 0 : s.sum", "s.sum", ["2  merge with nothing"]),
    (5, "corrected(a) + corrected(b)", "a.sum + b.sum", ["2  merge"]),
    (5, ".d = 3", ".d = 2", ["3  d"]),
    (6, "(k - 1) * (2e-6", "1 * (2e-6", ["1  evaluations"]),
    (6, "group <= s; ++group", "group <= s; group *= 2", ["2  three at once"]),
    (6, "std::max(8 / bandwidth, operations[group - 1] / arithmetic)",
     "8 / bandwidth + operations[group - 1] / arithmetic", ["2  on an H200: all four at once"]),
    (6, "const array<float, 1> scale", "const auto scale", ["3  one exp per column"]),
    (7, "2 * n * n * (n / tile)", "n * n * (n / tile)", ["1  loads"]),
    (7, "tile / 4.0 < ridge", "tile / 4.0 <= ridge", ["2  the smallest tile"]),
    (7, "tile / 4.0 < ridge", "tile / 2.0 < ridge", ["2  the smallest tile"]),
    (7, "double(r + s) / (r * s)", "1.0 / r", ["3  loads from shared memory"]),
    (8, "warp sums = inclusive(value);", "return inclusive(value);\n    warp sums;", ["1  exclusive"]),
    (8, "second.a * first.b + second.b", "first.a * second.b + first.b", ["2  both"]),
    (8, "right.begins ? right.sum : left.sum + right.sum", "left.sum + right.sum", ["3  joined"]),
    (8, "left.begins || right.begins", "right.begins", ["3  joined"]),
    (10, "s.total == 0 ? 0 : std::exp", "std::exp", ["1  merge with nothing"]),
    (10, "a.sums[c] * of_a + b.sums[c] * of_b", "a.sums[c] + b.sums[c]", ["1  merge"]),
    (10, "8 * n * n + 8 * n * d", "4 * n * n + 8 * n * d", ["2  bytes"]),
    (10, "2 * ridge", "4 * ridge", ["2  the shortest sequence"]),
    (10, ".b = false", ".b = true", ["3  in one pass"]),
    (10, "key <= query", "key < query", ["4  causal, the values"]),
]


def wrong_checks(source):
    """The checks that fail; None if the program does not compile."""
    with tempfile.TemporaryDirectory() as folder:
        file, binary = pathlib.Path(folder, "wrong.cpp"), pathlib.Path(folder, "wrong")
        file.write_text(source, encoding="utf-8")
        command = [COMPILER, "-std=c++20", "-w", "-O0", "-I", ROOT, "-I", ROOT / "include", file, "-o", binary, LIBRARY,
                   f"-Wl,-rpath,{pathlib.Path(LIBRARY).resolve().parent}", *NEEDED]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return None
        ran = subprocess.run([binary], capture_output=True, text=True, timeout=60)
        return [line.removeprefix("WRONG").strip() for line in ran.stdout.splitlines() if line.startswith("WRONG")]


def fault(mistake):
    """What the checks say of a mistake, if they do not refuse it as they should."""
    chapter, right, wrong, checks = mistake
    text = (COURSE / f"solutions/{chapter}.cpp").read_text(encoding="utf-8")
    found = wrong_checks(text.replace(right, wrong)) if text.count(right) == 1 else None
    if found is None or not set(checks) <= set(found):
        return f"chapter {chapter}: `{wrong.strip()}` for `{right.strip()}`: expected {checks}, failed {found}"
    return None


def main():
    mistakes = [mistake for mistake in MISTAKES if mistake[0] == int(CHAPTER)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = [found for found in pool.map(fault, mistakes) if found]
    print("\n".join([*faults, f"{len(mistakes)} mistakes, {len(faults)} not caught"]))
    sys.exit(1 if faults or not mistakes else 0)


if __name__ == "__main__":
    main()

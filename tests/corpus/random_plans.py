#!/usr/bin/env python3
"""Random programs of the performance fuzzer with their whole extents: each is planned for a GPU, and its device
programs are verified: random_plans.py SINTER_EXPLAIN COUNT."""
from concurrent.futures import ThreadPoolExecutor
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "corpus" / "fuzz"), str(ROOT / "bench" / "corpus")]
import rows


def problem_of(explain, case):
    """What sinter-explain says of a program that it cannot plan, or None."""
    expression, *operands = case.as_text("1/1").split("\t")
    arguments = [re.sub(" .*", "", o) for o in operands]  # without their ranges of values
    command = [explain, expression, *arguments, "--arch", "sm_90", "--source"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return told.stderr.strip() + "\n  " + case.as_text("1/1") if told.returncode != 0 else None


def main():
    explain, count = sys.argv[1], int(sys.argv[2])
    cases = rows.cases(range(count))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        problems = list(pool.map(lambda case: problem_of(explain, case), cases.values()))
    for name, problem in zip(cases, problems):
        if problem:
            print(f"{name}: {problem}")
    wrong = sum(p is not None for p in problems)
    print(f"{len(problems)} programs, {wrong} not planned")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

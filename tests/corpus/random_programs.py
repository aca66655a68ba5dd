#!/usr/bin/env python3
"""Random programs of the performance fuzzer with small extents, on the host, against NumPy in double:
random_programs.py EXPRESSIONS_PROGRAM COUNT. Skipped (77) without NumPy."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "corpus" / "fuzz"), str(ROOT / "bench" / "corpus"), str(ROOT / "build" / "numpy")]
try:
    import numpy  # noqa: F401
except ImportError:
    print("without NumPy there is nothing to compare with")
    sys.exit(77)
import measure
import operands
import processes
import rows


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    cases = rows.cases(range(count))
    environment = dict(os.environ, SINTER_DEVICE="host", SINTER_CACHE_DIR="off")
    sinter = processes.Program("sinter", [program], environment, cases)
    wrong = 0
    for case in cases.values():
        dims = case.extents("small")
        inputs = [operands.made(k, o, dims) for k, o in enumerate(case.operands.values())]
        expected = [operands.samples(r) for r in operands.reference(case, dims, inputs)]
        answer = sinter.ask({"load": case.name, "size": "small", "sets": 1})
        problem = answer.get("error")
        if problem is None and not (judged := measure.judge(case, answer, expected))["right"]:
            problem = f"off by {judged['error_of_result']:.1e}"
        if problem:
            print(f"{case.name}: {problem}\n  {case.as_text('small')}")
            wrong += 1
    sinter.stop()
    print(f"{len(cases)} programs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

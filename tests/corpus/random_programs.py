#!/usr/bin/env python3
"""Random programs of the performance fuzzer with small extents, on the host, against NumPy in double:
random_programs.py EXPRESSIONS_PROGRAM COUNT. Skipped (77) without NumPy."""
import os
import pathlib
import sys
import tempfile

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
import table


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "random_programs.py"
        file.write_text(rows.file_of(map(rows.of_seed, range(count)), "Random programs."), encoding="utf-8")
        cases = {case.name: case for case in table.load(rows=file)}
    sinter = processes.Program("sinter", [program], dict(os.environ, SINTER_DEVICE="host", SINTER_CACHE_DIR="off"), cases)
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

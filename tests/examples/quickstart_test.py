#!/usr/bin/env python3
"""Runs the quickstart as a user does: quickstart_test.py PROGRAM FOLDER_OF_NPY_FILES"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments, **environment):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


class Quickstart(unittest.TestCase):
    def good(self, *arguments):
        result = run("--runs", 2, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout + result.stderr)
        # One kernel per operation: *, sum and sqrt, and two casts where integers are summed in 64 bits.
        self.assertTrue(re.search(r"\n  launches +1 +[35]\n", result.stdout), result.stdout[-800:])
        check = re.search(r"check +good: max\. relative difference (\S+) over all (\d+) elements", result.stdout)
        self.assertTrue(check, result.stdout[-800:])
        self.assertLess(float(check[1]), 1e-4)
        return result.stdout, int(check[2])

    def bad(self, expected, *arguments):
        result = run(*arguments)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("quickstart: "), result.stderr)
        self.assertIn(expected, result.stderr)

    def test_every_rank_axis_and_dtype(self):
        shape = [2, 3, 4, 3, 2, 3, 2, 3]
        for rank in range(1, 9):
            extents = ",".join(map(str, shape[:rank]))
            for axis in range(rank):
                dtype = ["float32", "float64", "int32"][(rank + axis) % 3]
                with self.subTest(extents=extents, axis=axis, dtype=dtype):
                    out, elements = self.good("--shape", extents, "--axis", axis, "--dtype", dtype)
                    size = 1
                    for n in shape[:rank]:
                        size *= n
                    self.assertEqual(elements, size // shape[axis])
                    self.assertIn(f"{dtype} (", out)

    def test_what_is_shown(self):
        out, _ = self.good("--shape", "7,9,33", "--axis", -2)
        for expected in ["sqrt(sum(x * x, axis=-2))", "Expression", "sum axis=1", "__global__", "bytes moved", "GB/s"]:
            self.assertIn(expected, out)

    def test_columns_are_called_what_they_are(self):
        for fusion, launches, heading in ("on", 1, "fused"), ("off", 3, "not fused"):
            result = run("--runs", 2, "--shape", "7,9", SINTER_FUSION=fusion)
            self.assertTrue(re.search(rf"\nCost +{heading} +one kernel per operation\n\n  launches +{launches} +3\n",
                                      result.stdout), result.stdout[-800:] + result.stderr)

    def test_a_file_in_and_a_file_out(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "r.npy"
            self.good(DATA / "float64_F_big.npy", "--axis", 1, "--out", out)
            content = out.read_bytes()
            self.assertIn(b"'descr': '<f8'", content)
            self.assertIn(b"'shape': (3, 2)", content)
            self.assertEqual(len(content) % 64, 3 * 2 * 8)
            _, elements = self.good(out)
            self.assertEqual(elements, 3)

    def test_other_integers_are_loaded_as_float64(self):
        out, _ = self.good(DATA / "int16_C_little.npy")
        self.assertIn("float64 (3, 5, 2)", out)

    def test_bad_files(self):
        self.bad("/nowhere/x.npy: cannot read it: No such file or directory", "/nowhere/x.npy")
        self.bad("is a directory", DATA)
        self.bad("not a .npy file", __file__)
        self.bad("dtype '<f16' is not supported", DATA / "refused_longdouble.npy")
        self.bad("holds float64; asked for int32", DATA / "float64_C_little.npy", "--dtype", "int32")
        self.bad("9 axes; arrays here have 1 to 8", DATA / "rank_9.npy")
        self.bad("0 axes", DATA / "rank_0_C.npy")
        self.bad("cannot write it", "--shape", "3,4", "--out", "/nowhere/r.npy")

    def test_bad_shapes(self):
        self.bad("extents are 1 or more", "--shape", "3,0")
        self.bad("extents are 1 or more", "--shape", "3,-4")
        self.bad("--shape", "--shape", "3,x")
        self.bad("--shape", "--shape", "9999999999,9999999999")
        self.bad("9 axes", "--shape", "1,1,1,1,1,1,1,1,1")
        self.bad("not enough memory", "--shape", "9999999999,99999")

    def test_bad_axes_and_options(self):
        self.bad("--axis 3: out of range; x has 3 axes, -3 to 2", "--axis", 3)
        self.bad("--axis -3: out of range", "--shape", "3,4", "--axis", -3)
        self.bad("--axis", "--axis", "last")
        self.bad("--dtype", "--dtype", "complex64")
        self.bad("--runs", "--runs", 0)
        self.bad("--nonsense", "--nonsense")

    def test_help(self):
        result = run("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for option in ["--shape", "--dtype", "--axis", "--runs", "--out"]:
            self.assertIn(option, result.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

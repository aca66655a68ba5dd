#!/usr/bin/env python3
"""Conditions on what an expression becomes: contract_test.py SINTER_EXPLAIN"""
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
SOFTMAX = ("softmax(x, axis=1)", "x:f32[8192,4096]")
TWO = ("x / sum(x, axis=0, keepdims) - sum(x, axis=1, keepdims)", "x:f32[300,200]")


class Contracts(unittest.TestCase):
    def ran(self, code, *arguments):
        result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        return result.stderr

    def test_what_holds_is_silent(self):
        self.assertEqual(self.ran(0, *SOFTMAX, "--assert", "launches==1, bytes<=1.05*least"), "")
        several = "launches>1,launches<=3 ,launches!=5, unfused_bytes/2>bytes"
        self.assertEqual(self.ran(0, *TWO, "--assert", several), "")

    def test_what_does_not_hold_is_a_line_for_each_and_status_1(self):
        lines = self.ran(1, *TWO, "--assert", "launches==1, bytes<=1.05*least, bytes>0").splitlines()
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[0], r"^sinter-explain: sm_90: launches==1 does not hold: 2 == 1; sum axis=0 .* keeps")
        self.assertRegex(lines[1], r"^sinter-explain: sm_90: bytes<=1.05\*least does not hold: \d+ <= 504000$")

    def test_each_architecture_is_asked(self):
        lines = self.ran(1, *TWO, "--assert", "launches==1", "--arch", "sm_75,sm_80,90").splitlines()
        self.assertEqual([line.split(": ")[1] for line in lines], ["sm_75", "sm_80", "sm_90"])
        unknown = self.ran(2, *TWO, "--assert", "launches==1", "--arch", "sm_33")
        self.assertIn("no target of architecture sm_33", unknown)

    def test_compulsory_traffic(self):
        """Each operand once, or the views of it that are read; each result once."""
        for expression, operands, least in (
                ("x + 1", ["x:f32[100]"], 800), ("x * x + x", ["x:f32[100]"], 800),
                ("x + y", ["x:f32[100,10]", "y:f32[10]"], 8040), ("sum(x, axis=1)", ["x:f64[100,10]"], 8800),
                ("x(0)", ["x:f32[100,10]"], 80), ("x(0) + x(1)", ["x:f32[100,10]"], 120),
                ("x + transpose(x)", ["x:f32[10,10]"], 800), ("broadcast_to(y, {100, 10})", ["y:f32[10]"], 4040),
                ("pack(sum(x), max(x))", ["x:f32[100]"], 408), ("arange<float>(100)", [], 400),
                ("x * s", ["x:f32[100]", "s:f32"], 800), ("x + y", ["x:f32[0]", "y:f32[0]"], 0)):
            with self.subTest(expression):
                self.ran(0, expression, *operands, "--assert", f"least=={least}")

    def test_what_cannot_be_read(self):
        for conditions, said in (("launchs==1", "did you mean 'launches'?"), ("launches", "a condition compares"),
                                 ("1+1", "a condition compares"), ("", "expected an expression"),
                                 ("launches==1,,bytes>0", "expected an expression"), ("launches==", "expected"),
                                 ("launches==x(1)", "of numbers and figures"), ("launches==1 bytes>0", "expected"),
                                 ("launches=1", "a condition compares"), ("1<launches<3", "of numbers and figures")):
            with self.subTest(conditions):
                self.assertIn(said, self.ran(2, *SOFTMAX, "--assert", conditions))

    def test_what_is_nowhere_zero_is_no_number(self):
        self.assertIn("does not hold", self.ran(1, *SOFTMAX, "--assert", "bytes/0<5"))
        self.assertIn("does not hold", self.ran(1, *SOFTMAX, "--assert", "0/0==0/0"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Runs sinter-explain as a user does, well and badly: sinter_explain_test.py PROGRAM"""
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
NORM = ("sqrt(sum(x*x, axis=2))", "x:f64[1000,100,1000]")


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60)


class SinterExplain(unittest.TestCase):
    def good(self, *arguments):
        result = run(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout + result.stderr)
        return result.stdout

    def bad(self, *arguments):
        result = run(*arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stdout + result.stderr)
        return result.stderr

    def test_the_report(self):
        out = self.good(*NORM)
        self.assertIn("launches   1 (unfused: 3)", out)
        self.assertIn("bytes      800.800 MB (unfused: 2402.400 MB)", out)
        self.assertIn("extern \"C\" __global__", out)
        self.assertNotIn("unfused kernel", out)

    def test_the_source_alone(self):
        out = self.good(*NORM, "--source")
        self.assertTrue(out.startswith("//"), out[:100])
        self.assertNotIn("launches", out)
        self.assertEqual(out.count("__global__"), 1)

    def test_other_machines(self):
        self.assertIn("A100", self.good(*NORM, "--arch", "sm_80"))
        self.assertIn("T4", self.good(*NORM, "--arch", "75"))
        self.assertIn("sm_33 is known; use one of sm_75", self.bad(*NORM, "--arch", "sm_33"))
        self.assertIn("write it as in sm_80", self.bad(*NORM, "--arch", "ampere"))

    def test_the_unfused_twin(self):
        out = self.good(*NORM, "--compare")
        self.assertIn("unfused kernel 3 of 3", out)
        self.assertEqual(out.count("__global__"), 4)

    def test_compiled_forms(self):
        ptx = run(*NORM, "--ptx")
        if "NVRTC" in ptx.stderr or "without CUDA" in ptx.stderr:
            self.skipTest(ptx.stderr.strip())
        self.assertIn(".visible .entry sinter_kernel", ptx.stdout)
        of_halves = run("x / y", "x:f16[1000]", "y:f16[1000]", "--ptx").stdout
        self.assertIn("div.full", of_halves)  # with the flags that an evaluation compiles it with
        self.assertNotIn("div.rn", of_halves)
        sass = run(*NORM, "--sass")
        self.assertTrue("EXIT" in sass.stdout or "neither nvdisasm nor cuobjdump" in sass.stderr, sass.stderr)

    def test_the_time(self):
        self.assertRegex(self.good("x * 2", "x:f32[1000]", "--time"), r"measured +[\d.]+ ms \(unfused: [\d.]+ ms\)")

    def test_mistakes_are_marked(self):
        out = self.bad("squrt(x)", "x:f32[3]")
        self.assertEqual(out, "sinter-explain: there is no function 'squrt'; did you mean 'sqrt'?\n"
                              "  squrt(x)\n  ^~~~~\n")
        out = self.bad("x + y", "x:f32[3]")
        self.assertIn("  x + y\n      ^\n", out)
        self.assertIn("  x:f9[3]\n  ^~~~~~~\n", self.bad("x", "x:f9[3]"))
        self.assertIn("earlier one", self.bad("x", "x:f32[3]", "x:f32[4]"))
        self.assertIn("--sourc", self.bad(*NORM, "--sourc"))

    def test_no_memory_is_taken(self):
        self.assertIn("launches   1", self.good("sum(exp(x))", "x:f32[1000000,1000000]"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

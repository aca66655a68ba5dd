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
        self.assertIn("sm_33; use one of sm_75", self.bad(*NORM, "--arch", "sm_33"))
        self.assertIn("write it as, for example, sm_80", self.bad(*NORM, "--arch", "ampere"))

    def test_the_unfused_twin(self):
        out = self.good(*NORM, "--compare")
        self.assertIn("unfused kernel 3 of 3", out)
        self.assertEqual(out.count("__global__"), 4)

    def test_compiled_forms(self):
        ptx = run(*NORM, "--ptx")
        if "NVRTC" in ptx.stderr or "without CUDA" in ptx.stderr:
            self.skipTest(ptx.stderr.strip())
        self.assertIn(".visible .entry sum_sqrt_float", ptx.stdout)
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
        self.assertIn("earlier operand", self.bad("x", "x:f32[3]", "x:f32[4]"))
        self.assertIn("--sourc", self.bad(*NORM, "--sourc"))
        self.assertIn("a scan by prod has no known derivative",
                      self.bad("grad(sum(cumprod(x, axis=0)), x)", "x:f32[3]"))

    def test_parts_with_names(self):
        whole = "sum((x - max(x, axis=1, keepdims)) * (x - max(x, axis=1, keepdims)), axis=1)"
        named = "auto d = x - max(x, axis=1, keepdims); return sum(d * d, axis=1);"
        operand = "x:f32[100,50]"
        self.assertEqual(self.good(named, operand, "--source"), self.good(whole, operand, "--source"))
        self.assertIn("float32 (100, 50)", self.good("auto a = 2; auto b = a * x; b + a", operand))
        self.assertIn("'x' is the name of an earlier value", self.bad("auto x = 1; x", operand))
        self.assertIn("'exp' is a function's name", self.bad("auto exp = x; exp", operand))
        self.assertIn("expected ';' after the value", self.bad("auto d = x d", operand))
        self.assertIn("expected '=' after the name", self.bad("auto d x; d", operand))

    def test_no_memory_is_taken(self):
        self.assertIn("launches   1", self.good("sum(exp(x))", "x:f32[1000000,1000000]"))

    def test_numbers_that_their_type_does_not_hold(self):
        lowest = "(-9223372036854775807 - 1)"
        self.assertIn("more than a long long holds", self.bad(f"x * ({lowest} / -1)", "x:i64[4]"))
        self.assertIn("more than a long long holds", self.bad(f"x * -{lowest}", "x:i64[4]"))
        self.assertIn("more than a long long holds", self.bad(f"x * ({lowest} - 1)", "x:i64[4]"))
        self.assertIn("more than a long long holds", self.bad("x + 9223372036854775808", "x:i64[4]"))
        self.assertIn("more than an int holds", self.bad("x + 2147483647 * 2", "x:i64[4]"))
        self.good(f"x % -1 + floor_divide(x, -1) + {lowest}", "x:i64[4]")
        self.assertIn("axis=2147483647 is out of range", self.bad("sum(x, axis=4294967296)", "x:f32[4,4]"))
        self.assertIn("does not fit int8", self.bad("arange<std::int8_t>(1000)"))
        self.assertIn("arange: from 0 to 1e+30", self.bad("arange<double>(1e30)"))

    def test_shapes_of_too_many_elements(self):
        half = 1 << 32
        self.assertIn("2^63 - 1 bytes", self.bad("x", f"x:f32[{half},{half}]"))
        self.assertIn("multiply: shape (4294967296, 4294967296)",
                      self.bad("sum(x * y)", f"x:f32[{half},1]", f"y:f32[1,{half}]"))
        self.assertIn("2^63 - 1 bytes", self.bad("mean(x * y, axis=0)", f"x:f32[{half},1]", f"y:f32[1,{half}]"))
        self.assertIn("repeat: shape", self.bad(f"repeat(x, {half}, axis=0)", f"x:f32[{half}]"))
        self.assertIn("uniform: shape", self.bad(f"uniform<float>(random_key(1), {{{half}, {half}}})"))
        self.assertIn("broadcast_to: shape", self.bad(f"broadcast_to(x, {{{half}, {half}, 4}})", "x:f32[4]"))

    def test_long_and_deep_texts_are_told_in_time(self):
        deep = "nested too deeply"
        for text in ("(" * 10000, "sqrt(" * 10000 + "x" + ")" * 10000, "x" + "(0)" * 10000, "-" * 10000 + "x",
                     "+".join(["x"] * 40000), "{" * 10000, "x" + ".f()" * 10000, "f(y=" * 10000,
                     "let(x, [](auto x) { return " * 4000):
            self.assertIn(deep, self.bad(text, "x:f32[4]"))
        of_options = "x"
        for _ in range(100):
            of_options = f"sum(x, where={of_options}{'+x' * 400})"
        self.assertIn(deep, self.bad(of_options, "x:f32[4]"))
        self.assertIn("more than 1024 nodes", self.bad("+".join(["x"] * 1000), "x:f32[4]"))
        self.assertIn("launches   1", self.good("flip(" * 100 + "x" + ", axis=0)" * 100, "x:f32[4]"))
        self.assertIn("there is no operand", self.bad("x" * 100000, "x:f32[4]"))
        self.assertLess(len(self.bad("x + $" + " " * 100000, "x:f32[4]")), 1000)

    def test_a_report_that_cannot_be_written(self):
        for arguments in (NORM, (*NORM, "--source"), ("--help",)):
            with open("/dev/full", "w") as full:
                result = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                        timeout=60)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr,
                             "sinter-explain: cannot write the report: No space left on device\n")
        self.assertIn("cannot write /dev/full", self.bad(*NORM, "--html", "/dev/full"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

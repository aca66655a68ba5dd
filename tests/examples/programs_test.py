#!/usr/bin/env python3
"""Runs the small examples as a user does, well and badly: programs_test.py FOLDER_OF_PROGRAMS"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

FOLDER = pathlib.Path(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(name, *arguments):
    return subprocess.run([FOLDER / name, *map(str, arguments)], capture_output=True, text=True, timeout=120)


class Programs(unittest.TestCase):
    def good(self, name, *arguments):
        result = run(name, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout + result.stderr)
        self.assertNotIn("WRONG", result.stdout)
        self.assertIn(" good: ", result.stdout)
        self.assertTrue(result.stdout.startswith("device     "), result.stdout)
        if "device     host" in result.stdout:
            self.assertIn("no GPU", result.stdout)
        return result.stdout

    def bad(self, expected, name, *arguments):
        result = run(name, *arguments)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith(name + ": "), result.stderr)
        self.assertIn(expected, result.stderr)

    def test_vector_exp(self):
        for n in 1, 1001, 10000000:
            out = self.good("vector_exp", "--size", n)
            self.assertLess(float(re.search(r"relative difference (\S+)", out)[1]), 5e-7)
        self.bad("--size", "vector_exp", "--size", 0)
        self.bad("--sise", "vector_exp", "--sise", 1)

    def test_raw_kernel(self):
        out = self.good("raw_kernel")
        self.assertTrue("raw kernel good: 4 blocks of 256 threads" in out or "raw kernel not run" in out, out)
        self.good("raw_kernel", "--size", 1, "--block", 1024)
        self.bad("--block", "raw_kernel", "--block", 1025)

    def test_dot(self):
        out = self.good("dot")
        self.assertIn("10000 floats", out)
        self.assertRegex(out, r"\ntime +[0-9.]+ us: the inner product")
        self.good("dot", "--size", 1)
        self.bad("--size", "dot", "--size", "many")

    def test_norms(self):
        self.assertIn("7.071067812", self.good("norms"))
        self.assertIn("norm       13 ", self.good("norms", 3, 4, 12, "--shape", "1,1"))
        self.bad("--shape", "norms", "--shape", "5")
        self.bad("vector", "norms", "three")

    def test_streams(self):
        out = self.good("streams", "--chunk", 5000, "--chunks", 3)
        self.assertEqual(len(re.findall(r"^  (?:copy in|compute|copy out) +\|.*#", out, re.M)), 2 * 3 * 3)
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "streams.svg"
            self.good("streams", "--chunk", 5000, "--chunks", 3, "--steps", 50, "--svg", picture)
            bars = [e for e in xml.etree.ElementTree.parse(picture).iter() if e.tag.endswith("}rect")][1:]
            self.assertEqual(len(bars), 2 * 3 * 3)
            for bar in bars:
                self.assertLessEqual(float(bar.get("x")) + float(bar.get("width")), 942, bar[0].text)
        self.bad("--chunks", "streams", "--chunks", 0)
        self.bad("/nowhere/x.svg: cannot write it", "streams", "--svg", "/nowhere/x.svg")

    def test_fusion_lab(self):
        with tempfile.TemporaryDirectory() as folder:
            figures = pathlib.Path(folder) / "lab.json"
            self.good("fusion_lab", "--size", 3000, "--json", figures)
            cases = json.loads(figures.read_text())["cases"]
            self.assertEqual([c["elements"] for c in cases], [1024] * 6 + [3000] * 6)
            for c in cases:
                bytes_of_one = 2 * 4 * c["elements"]
                self.assertEqual((c["fused"]["launches"], c["fused"]["bytes"]), (1, bytes_of_one))
                self.assertEqual((c["unfused"]["launches"], c["unfused"]["bytes"]),
                                 (c["operations"], c["operations"] * bytes_of_one))
                self.assertGreater(c["fused"]["ms"], 0)
            drawn = subprocess.run([sys.executable, ROOT / "bench/fusion_lab.py", figures, folder],
                                   capture_output=True, text=True)
            self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
            for figure in drawn.stdout.split():
                titles = [e.text for e in xml.etree.ElementTree.parse(figure).iter() if e.tag.endswith("}title")]
                self.assertGreaterEqual(len(titles), 12, figure)
        self.bad("--size", "fusion_lab", "--size", 0)

    def test_guvectorize(self):
        self.assertIn("6 of 40 x 17 by 17 x 9", self.good("guvectorize"))
        self.good("guvectorize", "--batch", 1, "--size", 1)
        self.bad("--batch", "guvectorize", "--batch", 0)

    def test_multi_gpu(self):
        count = 100003
        self.assertIn("members    1, ", self.good("multi_gpu", "--count", count, "--device", "host"))
        out = self.good("multi_gpu", "--count", count, "--gpus", 3, "--device", "host")
        # without NCCL each of three members sends its float to two others
        self.assertEqual(int(re.search(r"link +(\d+) bytes", out)[1]), 3 * 2 * 4)
        self.good("multi_gpu", "--count", 1, "--gpus", 5, "--device", "host")
        self.bad("--count", "multi_gpu", "--count", 0)
        self.bad("--device", "multi_gpu", "--device", "abacus")

    def test_several_members(self):
        for program in ("heat", "kmeans_parallel", "train_parallel"):
            self.assertIn("members    1, ", self.good(program, "--device", "host"))
            self.assertIn("members    3, ", self.good(program, "--device", "host", "--members", 3))
            self.bad("--members", program, "--members", 0)
        self.bad("--rows", "heat", "--rows", 0)
        self.good("heat", "--device", "host", "--rows", 3, "--columns", 7, "--steps", 1, "--members", 5)
        self.bad("--batch", "train_parallel", "--batch", 5000, "--count", 100)

    def test_train_mlp(self):
        out = self.good("train_mlp", "--epochs", 10, "--device", "host")
        losses = [float(loss) for loss in re.findall(r"loss ([0-9.]+)", out)]
        self.assertEqual(len(losses), 11)
        self.assertLess(losses[-1], losses[0] / 15)
        self.assertGreaterEqual(float(re.findall(r"accuracy ([0-9.]+)", out)[-1]), 96)
        self.assertLessEqual(int(re.search(r"kernels +(\d+) per step", out)[1]), 6)
        self.good("train_mlp", "--sizes", "20,64,10", "--epochs", 3)
        self.bad("--sizes", "train_mlp", "--sizes", "20,64")
        self.bad("--batch", "train_mlp", "--batch", 0)
        self.bad("--device", "train_mlp", "--device", "abacus")
        self.bad("digits.npy", "train_mlp", "--data", "/nowhere")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

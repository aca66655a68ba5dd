#!/usr/bin/env python3
"""Embeds kernels into a copy of a program as the build does: embed_test.py PROGRAM SCRIPT CMAKE OBJCOPY"""
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SCRIPT, CMAKE, OBJCOPY = sys.argv[1:5]


def section(data, wanted):
    """The bytes of a section of an ELF file of 64 bits; None where it has none."""
    offset = struct.unpack_from("<Q", data, 0x28)[0]
    count, names = struct.unpack_from("<HH", data, 0x3C)
    headers = [struct.unpack_from("<IIQQQQ", data, offset + 64 * i) for i in range(count)]
    for name, _, _, _, begin, size in headers:
        at = headers[names][4] + name
        if data[at:data.index(b"\0", at)] == wanted:
            return data[begin:begin + size]
    return None


class Embedding(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.program = pathlib.Path(self.folder.name) / "program"
        shutil.copy2(PROGRAM, self.program)

    def tearDown(self):
        self.folder.cleanup()

    def embed(self, archs, arguments=""):
        return subprocess.run([CMAKE, f"-DPROGRAM={self.program}", f"-DARCHS={archs}", f"-DARGUMENTS={arguments}",
                               f"-DOBJCOPY={OBJCOPY}", "-P", SCRIPT], capture_output=True, text=True, timeout=200)

    def archs(self):
        data = section(self.program.read_bytes(), b".sinter_kernels")
        found, at = [], 0
        while at < len(data):
            magic, _, _, arch, _, size, _ = struct.unpack_from("<8s32s32siiQQ", data, at)
            self.assertEqual(magic, b"sintere2")
            found.append(arch)
            at += 96 + (size + 15) // 16 * 16
        return sorted(found)

    def test_a_section_for_each_architecture_and_a_program_that_runs(self):
        result = self.embed("sm_80,sm_90", "--size,5000")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.archs(), [80, 90])
        run = subprocess.run([self.program], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        result = self.embed("sm_90")  # a second build replaces the section
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.archs(), [90])

    def test_what_goes_wrong_is_told(self):
        self.assertIn("there is no target of architecture sm_91", self.embed("sm_91").stderr.replace("\n", " "))
        self.assertIn("ended with 2", self.embed("sm_90", "--no-such-option").stderr)
        self.assertIn("evaluated nothing", " ".join(self.embed("sm_90", "--help").stderr.split()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""Processes that end, hang or throw: the others say which one it was, and end in bounded time.

    failure_test.py MPIRUN PROGRAM
"""
import os
import subprocess
import sys
import time
import unittest

MPIRUN, PROGRAM = sys.argv[1], sys.argv[2]
OPEN_MPI = "openmpi" in MPIRUN


class Failures(unittest.TestCase):
    def run_processes(self, what, *options, timeout=3):
        started = time.monotonic()
        done = subprocess.run([MPIRUN, *options, "-n", "3", PROGRAM, what], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60,
                              env=dict(os.environ, SINTER_MESH_TIMEOUT=str(timeout)))
        return done.returncode, done.stdout, time.monotonic() - started

    def test_all_go_on_where_nothing_fails(self):
        code, out, _ = self.run_processes("nothing")
        self.assertEqual(code, 0, out)
        for rank in range(3):
            self.assertIn(f"process {rank} of 3 is done", out)

    def test_the_launcher_ends_all_when_one_is_killed(self):
        code, out, seconds = self.run_processes("killed")
        self.assertNotEqual(code, 0, out)
        self.assertLess(seconds, 20, out)

    @unittest.skipUnless(OPEN_MPI, "the launcher ends the others by a signal")
    def test_a_process_that_was_killed_is_named(self):
        _, out, seconds = self.run_processes("killed", "--enable-recovery")
        for survivor in (0, 2):
            self.assertRegex(out, f"error: mesh: process {survivor} of 3: .*process 1 did not come within 3 seconds")
        self.assertNotIn("is done", out)
        self.assertLess(seconds, 25, out)

    def test_a_process_that_hangs_is_named(self):
        code, out, seconds = self.run_processes("late")
        self.assertNotEqual(code, 0, out)
        self.assertIn("process 1 did not come within 3 seconds", out)
        self.assertNotIn("is done", out)

    def test_a_process_that_leaves_is_named(self):
        code, out, _ = self.run_processes("leaves")
        self.assertNotEqual(code, 0, out)
        self.assertIn("process 1 did not come within 3 seconds", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

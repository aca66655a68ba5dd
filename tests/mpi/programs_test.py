"""The examples over several members: by one process, and by four that mpirun starts, with the same results.

    programs_test.py MPIRUN FOLDER
"""
import pathlib
import re
import subprocess
import sys
import unittest

MPIRUN, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


class Programs(unittest.TestCase):
    def both(self, program, *options):
        """The outputs of one process with four members and of four processes with one each."""
        outputs = []
        for command in ([FOLDER / program, "--members", "4"], [MPIRUN, "-n", "4", FOLDER / program]):
            done = subprocess.run([*map(str, command), "--device", "host", *map(str, options)], text=True, timeout=120,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("check      good", done.stdout)
            outputs.append(done.stdout)
        self.assertIn("members    4, 4 of them in this process", outputs[0])
        self.assertRegex(outputs[1], r"members    4, 1 of them in this process, connected by (Open MPI|MPICH)")
        return outputs

    def test_heat(self):
        one, four = self.both("heat", "--rows", 64, "--columns", 48, "--steps", 50)
        self.assertEqual(re.search("the wave is.*", one)[0], re.search("the wave is.*", four)[0])

    def test_kmeans(self):
        one, four = self.both("kmeans_parallel", "--count", 5000)
        self.assertEqual(re.search("centres.*", one)[0], re.search("centres.*", four)[0])

    def test_train_parallel(self):
        one, four = self.both("train_parallel", "--epochs", 3)
        self.assertEqual(re.findall("loss ([0-9.]{6})", one), re.findall("loss ([0-9.]{6})", four))

    def test_sum_of_squares(self):
        done = subprocess.run([MPIRUN, "-n", "4", FOLDER / "multi_gpu", "--count", "100003", "--device", "host"],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("check      good", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

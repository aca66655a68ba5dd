#!/usr/bin/env python3
"""Plants faults in the library, one at a time, and shows which test catches each: see README.md.

    plant.py                     plants all of them, in a copy of the working tree under build/faults
    plant.py --list              prints their names and files
    plant.py --check             looks whether they can be planted in the working tree, and plants none
    plant.py --only NAME ...     plants these
    plant.py --build FOLDER      plants in the tree that this build folder was configured for, and builds there
    plant.py --record            puts what was found into the table of README.md

Exits with 1 when a fault is caught by none of its tests or does not compile, with 2 when it cannot be planted or a test
fails without one.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import report
from table import FAULTS

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Refused(Exception):
    """Nothing can be said of the faults: exit status 2."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def copy_tree(to):
    """Makes `to` a copy of the working tree, with only the files that differ rewritten."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    files = {name for name in listed if name and (ROOT / name).is_file()}
    for path in [p for p in to.rglob("*") if p.is_file()] if to.exists() else []:
        name = path.relative_to(to).as_posix()
        if not name.startswith("build/") and name not in files:
            path.unlink()
    for name in sorted(files):
        target = to / name
        if target.exists() and target.read_bytes() == (ROOT / name).read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)


def scratch_build():
    """The build folder of a copy of the working tree."""
    tree = ROOT / "build/faults"
    copy_tree(tree)
    options = [f"-DSINTER_CUDA_WHEELS={ROOT / 'build/cuda-wheels'}", "-DSINTER_EXAMPLES=OFF"]
    if os.environ.get("CXX"):
        options.append("-DCMAKE_CXX_COMPILER=" + os.environ["CXX"])
    subprocess.run(["cmake", "--preset", "ci", "--log-level=NOTICE", *options], cwd=tree, check=True,
                   stdout=subprocess.DEVNULL)
    return tree / "build/ci"


class Build:
    """A build folder, the tree that it is of, and its tests."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder.resolve(), str(jobs)
        cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
        self.tree = pathlib.Path(re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.+)$", cache, re.M)[1])
        self.programs = {}  # of each entry of ctest: what it runs, as ninja calls it
        for listing in self.folder.rglob("CTestTestfile.cmake"):
            for name, program in re.findall(r'^add_test\((?:\[=*\[)?([\w.]+)(?:\]=*\])? "([^"]+)"',
                                            listing.read_text(encoding="utf-8"), re.M):
                if pathlib.Path(program).is_relative_to(self.folder):
                    self.programs[name] = pathlib.Path(program).relative_to(self.folder).as_posix()

    def entries(self, test):
        """The entries of ctest that a test of a fault names."""
        name = test.partition(":")[0]
        found = [entry for entry in self.programs if re.fullmatch(re.escape(name) + r"(\.\d+)?", entry)]
        if not found:
            raise Refused(f"{self.folder} has no test {name}")
        return found

    def make(self, test):
        """Builds a test. What the compiler says if it cannot be built, else nothing."""
        targets = sorted({self.programs[entry] for entry in self.entries(test)})
        run = subprocess.run(["ninja", "-C", str(self.folder), "-j", self.jobs, *targets], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False)
        return run.stdout if run.returncode else None

    def run(self, test):
        """Runs a test. Returns the entries that failed, with what failed in them, and how many tests there were."""
        names = "|".join(map(re.escape, self.entries(test)))
        environment = dict(os.environ)
        if ":" in test:
            environment["GTEST_FILTER"] = test.partition(":")[2]
        run = subprocess.run(["ctest", "--test-dir", str(self.folder), "-R", f"^({names})$", "-j", self.jobs,
                              "--no-tests=error"], env=environment,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        log = (self.folder / "Testing/Temporary/LastTest.log").read_text(encoding="utf-8", errors="replace")
        failed = report.failures(run.stdout, log)
        if run.returncode and not failed:
            raise Refused(f"ctest: {run.stdout}")
        return failed, report.tests_in(log)


def expect_plantable(tree, faults):
    for fault in faults:
        path = tree / fault.file
        count = path.read_text(encoding="utf-8").count(fault.old) if path.exists() else 0
        if count != 1:
            raise Refused(f"{fault.name}: its old text is {count} times in {fault.file}, not once; mend the table")


def expect_to_pass(build, faults):
    """Without a fault every test passes: else its failure would tell nothing."""
    tests = sorted({test for fault in faults for test in fault.tests})
    for test in tests:
        build.entries(test)
    say(f"Without a fault: {len(tests)} tests")
    for test in tests:
        if output := build.make(test):
            raise Refused(f"{test} does not build:\n{output[-4000:]}")
        failed, count = build.run(test)
        if failed or not count:
            raise Refused(f"{test} {'fails without a fault' if failed else 'has no tests'}: {failed}")


def catch(build, fault):
    """Plants a fault and runs its tests, up to the first that fails. Says what caught it, or why nothing did."""
    path = build.tree / fault.file
    original = path.read_bytes()
    try:
        path.write_text(original.decode().replace(fault.old, fault.new), encoding="utf-8")
        for test in fault.tests:
            if output := build.make(test):
                say(output[-4000:])
                return None, "does not compile"
            if failed := build.run(test)[0]:
                return failed, ""
        return None, "MISSED"
    finally:
        path.write_bytes(original)


def plant(build, faults):
    """For each fault the tests that failed, or why none did; and whether all faults were caught."""
    results, all_caught = {}, True
    for number, fault in enumerate(faults, 1):
        begun = time.monotonic()
        caught, why_not = catch(build, fault)
        seconds = time.monotonic() - begun
        say(f"{number}/{len(faults)} {fault.name}: {caught or why_not} ({seconds:.0f} s)")
        all_caught = all_caught and caught is not None
        results[fault.name] = caught or why_not
    return results, all_caught


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--only", nargs="+", metavar="NAME", default=[])
    options.add_argument("--list", action="store_true")
    options.add_argument("--check", action="store_true")
    options.add_argument("--build", type=pathlib.Path, metavar="FOLDER")
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--record", action="store_true")
    options.add_argument("--trust", action="store_true", help="does not look first whether the tests pass")
    given = options.parse_args()
    if unknown := set(given.only) - {fault.name for fault in FAULTS}:
        sys.exit(f"no such fault: {', '.join(sorted(unknown))}")
    faults = [fault for fault in FAULTS if not given.only or fault.name in given.only]
    if given.list:
        print("\n".join(f"{fault.name:40} {fault.file}" for fault in faults))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # so that the file is restored
    try:
        if given.check:
            expect_plantable(ROOT, faults)
            return 0
        build = Build(given.build or scratch_build(), given.jobs)
        expect_plantable(build.tree, faults)
        if not given.trust:
            expect_to_pass(build, faults)
        results, all_caught = plant(build, faults)
    except Refused as why:
        say(why)
        return 2
    print(report.table(faults, results))
    if given.record:
        report.record(pathlib.Path(__file__).with_name("README.md"), FAULTS, results)
    return 0 if all_caught else 1


if __name__ == "__main__":
    sys.exit(main())

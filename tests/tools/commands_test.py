#!/usr/bin/env python3
"""The commands on the pages: those of sinter-explain are run, of the others what they name must be there.

    commands_test.py SINTER_EXPLAIN ROOT
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.S | re.M)
TEXT = re.compile(r"`((?:\./dev|sinter-explain|python3) [^`]*)`")


def commands():
    """(page, words) of each command."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        lines = [line for block in BLOCK.findall(text) for line in block.replace("\\\n", " ").splitlines()]
        for line in lines + TEXT.findall(text):
            line = re.sub(r"\s*\n\s*", " ", line)
            for part in re.split(r" && | \|(?: |$)|; ", line):
                try:
                    words = shlex.split(part, comments=True)
                except ValueError:
                    continue  # quotes that another shell's words close
                while words and re.fullmatch(r"[A-Z_]+=\S*|\(|cd", words[0]):
                    words = words[1:]
                if words:
                    yield page.relative_to(ROOT).as_posix(), words


def targets():
    """The programs that the build has, as far as their names stand in a CMake file or are made of files' names."""
    text = "\n".join(p.read_text(encoding="utf-8") for p in ROOT.glob("**/CMakeLists.txt") if "build" not in p.parts)
    names = set(re.findall(r"add_(?:executable|library|custom_target)\(([\w-]+)", text))
    names |= {f"example_{p.stem}" for p in ROOT.glob("examples/*.cpp")}
    return names | {f"course_{p.stem}" for p in ROOT.glob("docs/course/code/*.cpp")}


class Commands(unittest.TestCase):
    def each(self, program):
        """The words of each command of a program, and what to say of it where it is wrong."""
        found = [(words, f"{page}: {shlex.join(words)}") for page, words in commands()
                 if pathlib.Path(words[0]).name == program]
        self.assertGreater(len(found), 3, program)
        return found

    def test_explanations_are_as_they_are_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            by_script = [(words[1:], where) for words, where in self.each("dev") if words[1:2] == ["explain"]]
            for words, where in self.each("sinter-explain") + by_script:
                if len(words) < 2 or {"--serve", "--sass", "--help", "..."} & set(words) or words[1].startswith("-"):
                    continue
                ran = subprocess.run([PROGRAM, *words[1:]], capture_output=True, text=True, timeout=120, cwd=folder)
                self.assertEqual((ran.returncode, ran.stderr), (0, ""), where)

    def test_the_script_has_its_commands(self):
        script = (ROOT / "dev").read_text(encoding="utf-8")
        known = set(re.findall(r"^  (\w+)(?: \[| +\w)", script, re.M))
        self.assertIn("nightly", known)
        for words, where in self.each("dev"):
            if len(words) > 1:
                self.assertIn(words[1], known, where)

    def test_scripts_are_there(self):
        for words, where in self.each("python3"):
            if words[1] != "-m":
                self.assertTrue((ROOT / words[1]).is_file(), where)

    def test_targets_are_there(self):
        known = targets()
        for words, where in self.each("cmake"):
            if "--target" in words:
                for name in words[words.index("--target") + 1:]:
                    if name.startswith("-"):
                        break
                    self.assertIn(name, known, where)

    def test_course_programs_are_there(self):
        programs = {p.stem for p in ROOT.glob("docs/course/code/*.cpp")}
        for kind in ("exercise", "solution"):
            programs |= {f"{kind}_{p.stem}" for p in ROOT.glob(f"docs/course/{kind}s/*.cpp")}
        for words, where in self.each("dev"):
            if words[1:2] == ["course"] and len(words) > 2 and words[2] != "...":
                self.assertIn(words[2], programs, where)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

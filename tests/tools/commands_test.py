#!/usr/bin/env python3
"""The commands on the pages: those of sinter-explain are run, of the others what they name must be there: scripts,
programs and their options, presets, targets, and tests that a pattern or a label selects.

    commands_test.py SINTER_EXPLAIN ROOT BUILD
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ROOT, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
# A log names commands as they were then.
PAGES = [page for page in sorted(ROOT.glob("**/*.md"))
         if page.relative_to(ROOT).parts[0] != "build" and page.name not in ("NOTES.md", "CHANGELOG.md")]
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.S | re.M)
PROGRAMS = r"\./dev|sinter-explain|python3|ctest|cmake|mpirun|g\+\+|fuzz|build/[\w./-]+"
TEXT = re.compile(rf"`((?:[A-Z_]+=[^\s`]+ )*(?:{PROGRAMS}) [^`]*)`")
BUILT = re.compile(r"build/([\w-]+)/(?:bench|docs|examples|tests|tools)/(?:[\w-]+/)*([\w-]+)")
# Programs that pages call by name, and where their options are read.
SOURCES = {"fuzz": "tests/fuzz", "fusion_lab": "examples", "latency": "bench", "host_everyday": "bench"}


def split(line):
    """The commands of a line of shell, each as its words."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = []
    for word in [*lexer, ";"]:
        if not set(word) <= set("();<>|&"):
            words.append(word)
        elif words:
            yield words
            words = []


def commands():
    """(page, words) of each command."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        lines = [line for block in BLOCK.findall(text) for line in block.replace("\\\n", " ").splitlines()]
        for line in lines + TEXT.findall(text):
            for words in split(re.sub(r"\s*\n\s*", " ", line).replace("\\|", "|")):
                while words and re.fullmatch(r"[A-Z_]+=\S*|cd", words[0]):
                    words = words[1:]
                if words:
                    yield page.relative_to(ROOT).as_posix(), words


def values_of(words, *options):
    """What follows the options."""
    return [value for option, value in zip(words, words[1:]) if option in options]


def targets():
    """The programs that the build has, as far as their names stand in a CMake file or are made of files' names."""
    text = "\n".join(p.read_text(encoding="utf-8") for p in ROOT.glob("**/CMakeLists.txt") if "build" not in p.parts)
    names = set(re.findall(r"add_(?:executable|library|custom_target)\(([\w-]+)", text))
    names |= {f"example_{p.stem}" for p in ROOT.glob("examples/*.cpp")}
    return names | {f"course_{p.stem}" for p in ROOT.glob("docs/course/code/*.cpp")}


def is_program(name):
    """Whether a CMake file names a program, or a source file makes it."""
    lists = [p for p in ROOT.glob("**/CMakeLists.txt") if "build" not in p.relative_to(ROOT).parts]
    sources = [p for folder in ("tests", "bench", "examples", "tools") for p in (ROOT / folder).glob("**/*.cpp")]
    text = "\n".join(p.read_text(encoding="utf-8") for p in lists)
    prefixes = re.findall(r"add_executable\((\w+_)\$\{", text)
    return (re.search(rf"\b{name}\b", text) or name.startswith(tuple(prefixes)) or
            any(name in (p.stem, f"test_{p.parent.name}_{p.stem.removesuffix('_test')}") for p in sources))


class Commands(unittest.TestCase):
    def each(self, program, least=4):
        """The words of each command of a program, and what to say of it where it is wrong."""
        found = [(words, f"{page}: {shlex.join(words)}") for page, words in commands()
                 if pathlib.Path(words[0]).name == program]
        self.assertGreaterEqual(len(found), least, program)
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

    def test_scripts_are_there_and_have_their_options(self):
        for words, where in self.each("python3"):
            if words[1] != "-m":
                self.assertTrue((ROOT / words[1]).is_file(), where)
                folder = (ROOT / words[1]).parent  # fuzz.py passes on those of measure.py, a folder above
                self.has_options(words, [*folder.glob("*.py"), *folder.parent.glob("*.py")], where)

    def has_options(self, words, sources, where):
        text = "".join(source.read_text(encoding="utf-8") for source in sources)
        for word in words:
            if word.startswith("--"):
                self.assertTrue(f'"{word}"' in text, f"{word} is not an option: {where}")

    def test_programs_are_there_and_have_their_options(self):
        presets = self.presets("configurePresets")
        for page, words in commands():
            where, name = f"{page}: {shlex.join(words)}", pathlib.PurePosixPath(words[0]).name
            for word in words:
                if built := BUILT.fullmatch(word):
                    self.assertIn(built[1], presets, where)
                    self.assertTrue(is_program(built[2]), where)
            if name in SOURCES:
                self.has_options(words, sorted((ROOT / SOURCES[name]).glob("**/*.cpp")), where)

    def test_files_are_there(self):
        for page, words in commands():
            for word in words:
                if re.fullmatch(r"(?:bench|cmake|docs|examples|packaging|tests|tools)/[\w./-]+", word):
                    self.assertTrue((ROOT / word).exists(), f"there is no {word}: {page}: {shlex.join(words)}")

    def presets(self, kind):
        presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
        return {preset["name"] for preset in presets[kind]}

    def test_presets_are_there(self):
        for program, kinds in (("cmake", ("configurePresets", "buildPresets")), ("ctest", ("testPresets",))):
            for words, where in self.each(program):
                kind = kinds[-1] if "--build" in words else kinds[0]
                for name in values_of(words, "--preset"):
                    self.assertIn(name, self.presets(kind), where)

    def test_patterns_select_tests(self):
        listed = subprocess.run(["ctest", "--test-dir", BUILD, "-N"], capture_output=True, text=True).stdout
        names = re.findall(r"^ *Test +#\d+: (\S+)", listed, re.M)
        if not {"house.rules", "course.slides"} <= set(names) or not any(name.endswith(".cuda") for name in names):
            self.skipTest("this build has a part of the tests")
        labels = subprocess.run(["ctest", "--test-dir", BUILD, "--print-labels"], capture_output=True, text=True).stdout
        for words, where in self.each("dev") + self.each("ctest"):
            for pattern in values_of(words, "-R"):
                self.assertTrue(any(re.search(pattern, name) for name in names), where)
            for pattern in values_of(words, "-L", "-LE"):
                self.assertRegex(labels, rf"(?m)^  (?:{pattern})$", where)

    def test_packages_are_those_that_the_script_installs(self):
        script = (ROOT / "dev").read_text(encoding="utf-8")
        of_every_build = re.search(r"^missing_packages\(\) \{\n(.*?)^    if ", script, re.S | re.M)[1]
        needed = {name.removesuffix("-12") for name in re.findall(r"\|\| echo ([\w+.-]+)$", of_every_build, re.M)}
        installed = [set(words[3:]) for words, _ in self.each("apt-get", 1) if "--yes" in words]
        self.assertIn(needed - {"python3"}, installed)

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

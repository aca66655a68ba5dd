#!/usr/bin/env python3
"""The rules of the house: what the source text of this project must and must not hold.

    check.py ROOT        prints FILE:LINE: the rule, for every breach; exits 1 when there is one
"""
import pathlib
import re
import sys

from functions import functions
from includes import missing_includes

MAX_LINES = 400
MAX_COLUMNS = 120
MAX_FUNCTION_LINES = 60

CODE = {".hpp", ".cpp", ".def"}
SCRIPTS = {".py", ".cmake", ".sh"}
NAMED_SCRIPTS = {"CMakeLists.txt", "dev", "run"}
# Written by the generator, and compared with its output letter by letter.
GENERATED = ("tests/codegen/golden/",)

UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
CUDA_HEADERS = re.compile(r"^(?:cuda\w*\.h|nvrtc\.h)$")
# The compiler is a function of its arguments: no threads, clocks, files, environment or libraries opened at run time.
IMPURE_HEADERS = re.compile(r"^(?:(?:oneapi/)?tbb[/.].*|thread|mutex|shared_mutex|atomic|condition_variable|future|"
                            r"chrono|fstream|filesystem|unistd\.h|fcntl\.h|dlfcn\.h|sys/.*)$")

# The folders of the compiled library, in the order of their dependence: a file includes what its own folder holds and
# what the folders before it do.
CUDA_WORDS = re.compile(r"__\w+|threadIdx|blockIdx|gridDim|atomicAdd|reinterpret_cast")
LAYERS = ["codegen/" + name for name in ("support", "rows", "ir", "analysis", "transforms", "autodiff", "schedule",
                                         "device", "verify", "lower", "cuda", "functions", "cost", "host",
                                         "driver", "explain")]
LAYERS += ["runtime/" + name for name in ("system", "devices", "order", "memory", "nvrtc", "cache", "host", "cuda",
                                          "functions", "launch", "streams", "graphs", "distributed", "mpi", "io")]


def layer_of(path):
    """The position of a file's folder among the layers; None for files elsewhere."""
    folder = path.rpartition("/")[0]
    return LAYERS.index(folder) if folder in LAYERS else None


def without_comments(text):
    """The text with its comments blanked out, line for line; string and character literals stay."""
    # A quote after a digit or letter is a digit separator (or a literal's prefix, which these rules need not know).
    pattern = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'""",
                         re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]) if m[0].startswith("/") else m[0], text)


def string_literals(line):
    return re.findall(r'"((?:\\.|[^"\\])*)"', line)


def op_names(root):
    """The names of the rows of the op table."""
    tables = [path for path in (root / "include/sinter/op").glob("*.def") if path.exists()]
    text = "\n".join(without_comments(table.read_text(encoding="utf-8")) for table in tables)
    return set(re.findall(r"^\s*SINTER_\w+\s*\(\s*(\w+)\s*,", text, re.M))


def source_files(root):
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root).as_posix()
        if relative.startswith((".git/", "build", *GENERATED)) or "__pycache__" in relative or not path.is_file():
            continue
        if path.suffix in CODE | SCRIPTS or path.name in NAMED_SCRIPTS:
            yield relative, path


def text_rules(relative, text):
    """Rules for every file that people write."""
    lines = text.splitlines()
    first = next((line for line in lines if not line.startswith("#!") and line.strip()), "")
    if not re.match(r'\s*(//|/\*|#(?!\s*(?:pragma|include|define|if))|""")', first):
        yield 1, "a file begins with a comment that says its one job"
    if len(lines) > MAX_LINES:
        yield len(lines), f"no file is longer than {MAX_LINES} lines"
    for number, line in enumerate(lines, 1):
        # A message that a file of tests/fail expects cannot be broken.
        if len(line) > MAX_COLUMNS and not line.startswith("// expect: "):
            yield number, f"no line is longer than {MAX_COLUMNS} columns"
        if UNFINISHED.search(line):
            yield number, "nothing unfinished is kept: do it, or leave it out"


def function_rules(relative, code):
    """The length of functions; an example of the reference is a list of them, one section each."""
    if relative.startswith("docs/reference/examples/"):
        return
    for first, lines, name in functions(code):
        if lines > MAX_FUNCTION_LINES:
            yield first, f"no function is longer than {MAX_FUNCTION_LINES} lines: {name} has {lines}"


def include_rules(relative, header):
    """Whether the file may include the header; yields the rules that say no."""
    is_cuda = bool(CUDA_HEADERS.match(header))
    if relative.startswith("include/"):
        if header in {"iostream", "regex", "filesystem", "functional"}:
            yield f"include/ does without <{header}>: every user's compilation would pay for it"
        if header.startswith(("codegen/", "runtime/")):
            yield "include/ knows nothing of the inside of the compiled library"
    if is_cuda and relative.startswith(("include/", "codegen/", "runtime/", "examples/")):
        if not relative.startswith(("runtime/nvrtc/", "runtime/cuda/")):
            yield "only runtime/nvrtc/ and runtime/cuda/ touch CUDA's headers"
    if (relative.startswith("codegen/") and not relative.startswith("codegen/support/")
            and IMPURE_HEADERS.match(header)):
        yield "the compiler is a function of its arguments: threads, clocks, files and the environment are runtime's"
    if header.startswith(("codegen/", "runtime/")):
        mine, its = layer_of(relative), layer_of(header)
        if its is None and relative.startswith(("codegen/", "runtime/")):
            yield f"<{header}> is in no known folder: LAYERS of tests/house/check.py has the folders in their order"
        elif None not in (mine, its) and its > mine:
            yield f"includes run downwards: {LAYERS[its]} stands behind {LAYERS[mine]} in the order of the folders"
    if relative.startswith("codegen/schedule/") and (header.startswith("fmt/") or header in {"sstream", "format"}):
        yield "schedules know no text"
    if relative.startswith("examples/") and header.startswith(("codegen/", "runtime/")):
        yield "examples use what users have: the public headers"


def code_rules(relative, text, ops):
    """Rules for C++ files, comments aside."""
    # Includes are looked for in the text with its comments: a header's name may look like the start of one.
    for number, line in enumerate(text.splitlines(), 1):
        if match := INCLUDE.match(line):
            for rule in include_rules(relative, match[1]):
                yield number, rule
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if (relative.startswith(("include/", "codegen/", "runtime/"))
                and relative != "runtime/system/environment.cpp"):
            if re.search(r"\bgetenv\b", line):
                yield number, ("the environment is read by runtime/system/environment.hpp, which refuses what it does "
                               "not know")
        if relative.startswith("runtime/") and relative != "runtime/system/parallel.cpp":
            if re.search(r"\btbb::parallel_(?:for|reduce|invoke)\b", line) and not INCLUDE.match(line):
                yield number, "parallel loops are parallel_loop's, which are isolated and always end"
        if relative.startswith(("codegen/lower/", "codegen/cuda/", "codegen/device/")):
            if re.search(r"\b(?:machine|choose_schedule)\b", line) and not INCLUDE.match(line):
                yield number, "lowering and printing decide nothing: they neither see the machine nor choose a schedule"
        if relative.startswith(("codegen/lower/", "codegen/device/", "codegen/schedule/")):
            for literal in string_literals(line):
                if CUDA_WORDS.search(literal) and not INCLUDE.match(line):
                    yield number, "CUDA's words are in codegen/cuda alone"
        if relative.startswith("codegen/") and not relative.startswith("codegen/rows/loops"):
            if not INCLUDE.match(line):
                # what a processor can do has names of its own
                for literal in string_literals(re.sub(r"__builtin_cpu_supports\([^)]*\)", "", line)):
                    if literal in ops:
                        yield number, f'no op is named in codegen/, as "{literal}" is: ops are rows of the table'


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    ops = op_names(root)
    files = breaches = 0
    known_headers = {}
    for relative, path in source_files(root):
        text = path.read_text(encoding="utf-8")
        found = list(text_rules(relative, text))
        if path.suffix in CODE:
            found += code_rules(relative, text, ops)
            code = without_comments(text)
            found += function_rules(relative, code)
            found += missing_includes(root, relative, text, code, known_headers)
        for line, rule in sorted(found):
            print(f"{relative}:{line}: {rule}")
        files += 1
        breaches += len(found)
    print(f"{files} files, {breaches} breaches of the rules of the house")
    sys.exit(1 if breaches or not files else 0)


if __name__ == "__main__":
    main()

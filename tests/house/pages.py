#!/usr/bin/env python3
"""Finds what the pages name and the project does not have: files, links, names of the sources, the version. Limits the
prose of pages that are read in passing.

    pages.py ROOT        prints FILE:LINE: what is missing; exits 1 when something is
"""
import functools
import pathlib
import re
import sys

# Folders whose files pages name in code, as `codegen/driver/compile.hpp`; also a program without its .cpp.
FOLDERS = ("include", "codegen", "runtime", "tests", "examples", "tools", "bench", "docs", "cmake", "packaging")
# Pages for those who change the sources: each name in code is one of the sources' words.
ABOUT_SOURCES = ("CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md")
# A log of what was predicted and measured: it names files as they were called then.
LOGS = ("bench/NOTES.md",)
# Words of prose that a page may have: the README is read aloud in two minutes, at 150 words per minute.
SPOKEN = {"README.md": 300}
NOT_SOURCES = (".md", ".json", ".png", ".svg", ".npy", ".npz", ".txt")

FENCED = re.compile(r"^```.*?^```$", re.S | re.M)
CODE = re.compile(r"`([^`]+)`")
PATH = re.compile(r"(?<![\w/.~$-])((?:%s)/[\w./-]*\w/?)(?![\w*/])" % "|".join(FOLDERS))
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)
# What is not read aloud: code, tables, comments, pictures, and the targets of links.
SILENT = re.compile(r"^```.*?^```$|^\|.*?$|<!--.*?-->|!\[[^\]]*\]\([^)]*\)|(?<=\])\([^)]*\)", re.S | re.M)
NAME = re.compile(r"[A-Za-z_]\w{2,}")


def files_of(root):
    """The project's files, without what was built."""
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root).as_posix()
        if path.is_file() and not relative.startswith((".git/", "build/")) and "__pycache__" not in relative:
            yield relative, path


def words_of(files):
    """Every word of the sources, and the names of files."""
    words = set()
    for relative, path in files:
        words.update(NAME.findall(relative))
        if path.suffix not in NOT_SOURCES or path.name == "CMakeLists.txt":
            words.update(NAME.findall(path.read_text(encoding="utf-8", errors="replace")))
    return words


def prose_of(text):
    """The text without its blocks of code, line for line."""
    return FENCED.sub(lambda match: re.sub(r"[^\n]", "", match[0]), text)


def missing_paths(root, relative, line):
    for code in CODE.findall(line):
        for path in PATH.findall(code):
            if not (root / path).exists() and not (root / f"{path}.cpp").exists():
                yield f"there is no {path}"
    for target, anchor in LINK.findall(CODE.sub("", line)):
        path = (root / relative).parent / target if target else root / relative
        if target.startswith(("http:", "https:")):
            continue
        if not path.exists():
            yield f"the link leads nowhere: {target}"
        elif anchor and path.suffix == ".md" and anchor not in anchors_of(path):
            yield f"the page has no such heading: {target}#{anchor}"


@functools.cache
def anchors_of(path):
    """The anchors of a page's headings, as both GitHub and MkDocs form them."""
    headings = HEADING.findall(FENCED.sub("", path.read_text(encoding="utf-8")))
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", LINK.sub("]", heading)).strip().lower()) for heading in headings}


def spoken_words(text):
    """The words of a page that are read aloud."""
    return [word for word in SILENT.sub("", text).split() if re.search(r"\w", word)]


def missing_names(line, words):
    for code in CODE.findall(line):
        if code.startswith("#include"):
            continue  # of another project, as an example
        for name in NAME.findall(code):
            if name not in words:
                yield f"the sources do not have the name {name}"


def first_match(root, path, pattern):
    match = re.search(pattern, (root / path).read_text(encoding="utf-8"), re.M)
    return match.groups() if match else (None,)


def version_faults(root):
    """The version is CMake's everywhere, and the changelog and the citation give it one date."""
    version, = first_match(root, "CMakeLists.txt", r"^project\(\w+ VERSION ([\d.]+)")
    places = {"CITATION.cff": r"^version: (\S+)", "CHANGELOG.md": r"^## \[(\d[\d.]*)\]",
              "packaging/vcpkg/sinter/vcpkg.json": r'"version": "([^"]+)"',
              "README.md": r"current release is (\d+\.\d+\.\d+)"}
    for path, pattern in places.items():
        found = first_match(root, path, pattern)[0]
        if found != version:
            yield path, 1, f"the version is {version} in CMakeLists.txt, and {found} here"
    released = first_match(root, "CHANGELOG.md", r"^## \[\d[\d.]*\] - (\S+)")[0]
    cited = first_match(root, "CITATION.cff", r"^date-released: (\S+)")[0]
    if released != cited:
        yield "CITATION.cff", 1, f"the release's date is {released} in CHANGELOG.md, and {cited} here"


def faults(root):
    files = list(files_of(root))
    words = words_of(files)
    for relative, path in files:
        if path.suffix != ".md" or relative in LOGS:
            continue
        text = path.read_text(encoding="utf-8")
        if (spoken := len(spoken_words(text))) > SPOKEN.get(relative, spoken):
            yield relative, 1, f"{spoken} words of prose, {SPOKEN[relative]} are allowed"
        for number, line in enumerate(prose_of(text).splitlines(), 1):
            missing = list(missing_paths(root, relative, line))
            if relative in ABOUT_SOURCES:
                missing += missing_names(line, words)
            for what in missing:
                yield relative, number, what
    yield from version_faults(root)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = list(faults(root))
    for relative, number, what in found:
        print(f"{relative}:{number}: {what}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

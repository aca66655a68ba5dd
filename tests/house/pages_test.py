#!/usr/bin/env python3
"""Sees to it that pages.py finds what is missing: a clean project passes, and each fault is reported."""
import pathlib
import sys
import tempfile

import pages

CLEAN = {
    "CMakeLists.txt": "# Builds it.\nproject(Sinter VERSION 0.2.0 LANGUAGES CXX)\n",
    "CITATION.cff": "version: 0.2.0\ndate-released: 2026-01-02\n",
    "CHANGELOG.md": "## [Unreleased]\n\n## [0.2.0] - 2026-01-02\n",
    "packaging/vcpkg/sinter/vcpkg.json": '{"version": "0.2.0"}\n',
    "README.md": "See [how](docs/architecture.md#how) and `bench/cases`, `build/x/bench/none`. "
        "The current release is 0.2.0.\n| " + "cell " * 300 + "|\n```cpp\n" + "code " * 300 + "\n```\n<!-- a\nb -->\n",
    "docs/architecture.md": "# How?\n`codegen/ir/graph.cpp` has `fold(groups)`. [](https://example.org/none)\n"
                            "```cpp\nanything(`bench/none`)\n```\n",
    "codegen/ir/graph.cpp": "void fold(int groups);\n",
    "bench/cases.cpp": "int main() {}\n",
}

FAULTS = [
    ("README.md", "`bench/none`. The current release is 0.2.0.\n", "there is no bench/none"),
    ("README.md", "[how](docs/none.md). The current release is 0.2.0.\n", "leads nowhere: docs/none.md"),
    ("README.md", "The current release is 0.1.0.\n", "0.1.0 here"),
    ("README.md", "[how](docs/architecture.md#why). The current release is 0.2.0.\n", "no such heading"),
    ("README.md", "The current release is 0.2.0.\n" + "One more. " * 148, "301 words of prose"),
    ("docs/architecture.md", "`fold(kernels)`\n", "the name kernels"),
    ("docs/architecture.md", "`codegen/ir/`, `codegen/none/`\n", "there is no codegen/none"),
    ("CITATION.cff", "version: 0.1.9\ndate-released: 2026-01-02\n", "0.1.9 here"),
    ("CITATION.cff", "version: 0.2.0\n", "None here"),
    ("CHANGELOG.md", "## [Unreleased]\n", "None here"),
    ("packaging/vcpkg/sinter/vcpkg.json", '{"version": "0.3.0"}\n', "0.3.0 here"),
]


def run_on(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return [what for _, _, what in pages.faults(pathlib.Path(folder))]


def main():
    failures = 0
    if found := run_on(CLEAN):
        failures += 1
        print(f"the clean project does not pass: {found}")
    for name, text, words in FAULTS:
        found = run_on({**CLEAN, name: text})
        if not any(words in what for what in found):
            failures += 1
            print(f"not found: {words}, in {name}; found were {found}")
    print(f"{len(FAULTS)} faults, {failures} of them missed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

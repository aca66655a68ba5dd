#!/usr/bin/env python3
"""Renews what the Markdown files take from the sources; with --check, only says what is out of date.

    <!-- excerpt examples/quickstart.cpp -->           the whole file, less its comment at the top, put into the code
    <!-- excerpt examples/quickstart.cpp#name -->      block that follows; with #name, the lines between two lines
                                                       that hold just `// [name]`; of a .txt file, those below
                                                       `== name`, folded where they are long
    <!-- excerpt a.txt#name from "x" to "y" -->        of these the ones from the first with x to the next with y
    <!-- ops -->  ...  <!-- /ops -->                   the op table, a section for each of its headings
    <!-- accuracy -->  ...  <!-- /accuracy -->         the largest errors measured, from tests/data/accuracy
    <!-- complex accuracy -->  ...                     those of complex operands
    <!-- reference ... -->                             see docs/reference.py
    <!-- names ... -->                                 see docs/name_pages.py
    <!-- numpy ... -->                                 see docs/numpy_names.py
    <!-- measured ... -->, <!-- figure ... -->         see docs/figures.py

It also draws the course's pictures and the plots of docs/plots.py.
"""
import itertools
import pathlib
import re
import sys
import textwrap

import catalog
import figures
import name_pages
import numpy_names
import plots
import reference
from course import pictures

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = "include/sinter/op/table.def"
ACCURACY = "tests/data/accuracy"
WIDTH = 110

EXCERPT = re.compile(r'(<!-- excerpt (\S+?)(?:#(\S+))?(?: from "([^"]+)" to "([^"]+)")? -->\n\s*```\w*\n).*?(^```$)',
                     re.S | re.M)
OPS = re.compile(r"(<!-- ops -->\n).*?(^<!-- /ops -->$)", re.S | re.M)
MEASURED = re.compile(r"(<!-- accuracy -->\n).*?(^<!-- /accuracy -->$)", re.S | re.M)
MEASURED_COMPLEX = re.compile(r"(<!-- complex accuracy -->\n).*?(^<!-- /complex accuracy -->$)", re.S | re.M)
ROW = re.compile(r"^SINTER_ROW_([A-Z]+)\s*\((.*)\)\s*$")


class problem(Exception):
    """A marker that asks for something that is not there."""


def marked(path, lines, region):
    """The lines that a region's name stands for."""
    if path.endswith(".txt"):
        begins = [i + 1 for i, line in enumerate(lines) if line == f"== {region}"]
        if len(begins) != 1:
            raise problem(f"{path} has {len(begins)} lines `== {region}`, not one")
        return list(itertools.takewhile(lambda line: not line.startswith("== "), lines[begins[0]:]))
    marks = [i for i, line in enumerate(lines) if line.strip() == f"// [{region}]"]
    if len(marks) != 2:
        raise problem(f"{path} has {len(marks)} lines `// [{region}]`, not two")
    return lines[marks[0] + 1:marks[1]]


def between(path, lines, first, last):
    """The lines from the first that holds one text to the next one that holds the other."""
    begin = next((i for i, line in enumerate(lines) if first in line), None)
    end = next((i for i, line in enumerate(lines) if begin is not None and i >= begin and last in line), None)
    if end is None:
        raise problem(f'{path} has no lines from "{first}" to "{last}"')
    return lines[begin:end + 1]


def folded(line):
    """A line of output that is too long for a page as several, the later ones further in."""
    if len(line) <= WIDTH:
        return line
    inner = re.match(r"\s*\d*\s*", line)[0]
    return textwrap.fill(line, WIDTH, subsequent_indent=" " * (len(inner) + 4), break_long_words=False)


def excerpt(path, region, first, last):
    source = ROOT / path
    if not source.is_file():
        raise problem(f"there is no file {path}")
    lines = source.read_text(encoding="utf-8").splitlines()
    if region:
        lines = marked(path, lines, region)
    else:
        while lines and lines[0].startswith("//"):
            lines.pop(0)
    lines = [line for line in lines if not re.fullmatch(r"\s*// \[\w+\]", line)]
    if first:
        lines = between(path, lines, first, last)
    lines = textwrap.dedent("\n".join(lines)).strip("\n").split("\n")
    return "\n".join(folded(line) if path.endswith(".txt") else line for line in lines) + "\n"


def code(text):
    """Text as code within a cell of a Markdown table."""
    return "`" + text.strip().replace("|", "\\|") + "`"


def rows_of(kind, text):
    """One row of the op table as a row of Markdown: how it is written, its rule, what it computes."""
    count = {"UNARY": 3, "BINARY": 3, "TERNARY": 3, "CHOICE": 3, "PREFIX": 4, "INFIX": 4, "REDUCTION": 5}[kind]
    parts = [part.strip() for part in text.split(",", count - 1)]
    name = parts[0]
    call = {"UNARY": f"{name}(x)", "BINARY": f"{name}(x, y)", "TERNARY": f"{name}(x, y, z)",
            "CHOICE": f"{name}(x, y, z)", "PREFIX": f"{parts[1]}x", "INFIX": f"x {parts[1]} y",
            "REDUCTION": f"{name}(x)"}[kind]
    if kind == "REDUCTION":
        return f"| {code(call)} | {parts[1]} | {code(parts[4])} | {parts[2]} |"
    return f"| {code(call)} | {parts[-2]} | {code(parts[-1])} |"


def written(kind, row):
    """A pattern of the calls of a row."""
    name, symbol, *_ = (part.strip() for part in row.split(","))
    return {"PREFIX": rf"{re.escape(symbol)} ?\w+", "INFIX": rf"\w+ {re.escape(symbol)} \w+"}.get(kind, rf"{name}\(.*")


def examples(section, patterns=(".*",)):
    """What docs/reference/examples/operations.cpp has run, as code with what it gives beside it."""
    path = "docs/reference/output/operations.txt"
    lines = marked(path, (ROOT / path).read_text(encoding="utf-8").splitlines(), section)
    text = []
    for pattern in patterns:
        found = [i for i, line in enumerate(lines) if re.fullmatch(rf"> {pattern}", line)]
        if not found:
            raise problem(f"{path} has no example like {pattern}")
        for i in found:
            end = next((j for j in range(i + 1, len(lines)) if lines[j].startswith("> ")), len(lines))
            value = " ".join(line.strip() for line in lines[i + 1:end])
            line = re.sub(r"^([-!~]) ", r"\1", lines[i][2:])  # a macro puts the blank there
            text.append(f"{line:<20} // {value}" if value else line)
    return "```cpp\n" + "\n".join(text) + "\n```"


def ops():
    sections, heading = [], None
    for line in (ROOT / TABLE).read_text(encoding="utf-8").splitlines():
        if match := ROW.match(line):
            if not sections or sections[-1][0] != heading:
                sections.append((heading, []))
            sections[-1][1].append((match[1], match[2]))
        elif line.startswith("// "):
            heading = line[3:].strip()
    text = [examples("operands")]
    for heading, rows in sections:
        is_reduction = rows[0][0] == "REDUCTION"
        text.append(f"\n**{heading[:1].upper()}{heading[1:]}**\n")
        text.append("| written | dtypes | folds | of no elements |\n| --- | --- | --- | --- |" if is_reduction else
                    "| written | dtypes | computes |\n| --- | --- | --- |")
        text += [rows_of(kind, rest) for kind, rest in rows]
        text.append("\n" + examples("examples", [written(kind, rest) for kind, rest in rows]))
    return "\n".join(text) + "\n\n"


def errors_of(device):
    """The largest errors by row, float32 and float64, that the tests measured on a device."""
    lines = (ROOT / ACCURACY / f"{device}.txt").read_text(encoding="utf-8").splitlines()
    return {words[0]: words[1:] for words in map(str.split, lines)}


def accuracy():
    """A line for each row that is not correctly rounded: measured, allowed and documented errors."""
    host, emulated = errors_of("host"), errors_of("emulated")
    text = ["| row | float32: host | emulated | allowed | CUDA documents | float64: host | emulated | allowed |"
            " CUDA documents |", "| --- |" + " --- |" * 8]
    for line in (ROOT / ACCURACY / "bounds.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        bounds, _, documented = line.partition("|")
        name, *allowed = bounds.split()
        if allowed[:2] == ["0.5", "0.5"]:
            continue
        first, second, *remark = documented.split() or ("", "")
        mark = " †" if "of_one" in allowed else ""
        note = " " + " ".join(remark).replace("|", "\\|") if remark else ""
        cells = [f"{cell}{mark}" for cell in allowed[:2]]
        text.append(f"| {code(name)} | {host[name][0]} | {emulated[name][0]} | {cells[0]} | {first}{note} | "
                    f"{host[name][1]} | {emulated[name][1]} | {cells[1]} | {second}{note} |")
    return "\n" + "\n".join(text) + "\n\n"


def complex_accuracy():
    """A line for each row of complex operands that rounds: measured and allowed errors."""
    host, emulated = errors_of("complex_host"), errors_of("complex_emulated")
    text = ["| row | complex64: host | emulated | complex128: host | emulated | allowed |", "| --- |" + " --- |" * 5]
    for name, (single, double, allowed) in host.items():
        text.append(f"| {code(name)} | {single} | {emulated[name][0]} | {double} | {emulated[name][1]} | {allowed} |")
    return "\n" + "\n".join(text) + "\n\n"


def unexplained_variables():
    """Environment variables that the library reads and docs/variables.md does not have."""
    read = {name for path in ROOT.glob("runtime/**/*.?pp")
            for name in re.findall(r'"(SINTER_[A-Z_]+)"', path.read_text(encoding="utf-8"))}
    explained = set(re.findall(r"SINTER_[A-Z_]+", (ROOT / "docs/variables.md").read_text(encoding="utf-8")))
    return sorted(read - explained)


def renewed(text):
    text = EXCERPT.sub(lambda m: m[1] + excerpt(m[2], m[3], m[4], m[5]) + m[6], text)
    text = MEASURED.sub(lambda m: m[1] + accuracy() + m[2], text)
    text = MEASURED_COMPLEX.sub(lambda m: m[1] + complex_accuracy() + m[2], text)
    text = numpy_names.renewed(text)
    return reference.renewed(name_pages.renewed(figures.renewed(OPS.sub(lambda m: m[1] + ops() + m[2], text))))


def main():
    check = "--check" in sys.argv[1:]
    failures = 0
    texts = {ROOT / "docs" / path: text for path, text in {**pictures.drawn(), **plots.drawn()}.items()}
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/results/*.md")]):
        try:
            texts[path] = renewed(path.read_text(encoding="utf-8"))
        except (problem, catalog.problem, figures.problem, reference.problem) as reason:
            print(f"{path.relative_to(ROOT)}: {reason}")
            failures += 1
    try:
        reference.check_headers(path.read_text(encoding="utf-8") for path in ROOT.glob("docs/reference/*.md"))
    except reference.problem as reason:
        print(reason)
        failures += 1
    for fault in name_pages.faults():
        print(fault)
        failures += 1
    for name in unexplained_variables():
        print(f"docs/variables.md does not explain {name}, which the library reads")
        failures += 1
    for number in figures.unmarked(texts[ROOT / "README.md"]):
        print(f"README.md: '{number}' is not taken from bench/results: see docs/figures.py")
        failures += 1
    for path, new in texts.items():
        name = path.relative_to(ROOT)
        old = path.read_text(encoding="utf-8") if path.exists() else None
        if new != old and check:
            print(f"{name} is out of date with the sources; `./dev docs` renews it")
            failures += 1
        elif new != old:
            path.write_text(new, encoding="utf-8")
            print(f"renewed {name}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

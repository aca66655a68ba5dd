"""The pages of docs/reference: what the headers declare, with their comments and with the examples that a test has run.

    <!-- reference reductions: reduce.hpp scan.hpp -->  ...  <!-- /reference -->

takes the public names of these headers of include/sinter and the examples of reference/output/reductions.txt. It fails
for a name without a comment, a function without an example, a page that does not say what holds of shapes, dtypes, NaN,
empty operands and errors, and a header that stands on no page.

    <!-- same reductions -->  ...  <!-- /same -->      a table of reference/output/from_numpy.txt
    <!-- same different_halves -->  ...  <!-- /same -->      one of what is different there
    <!-- same array_api_utility -->  ...  <!-- /same -->      one of reference/output/array_api.txt
    <!-- same eigen_views -->  ...  <!-- /same -->      one of reference/output/from_eigen.txt
    <!-- same cupy -->  ...  <!-- /same -->      that of reference/output/from_cupy.txt
"""
import pathlib
import re

import headers

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = re.compile(r"(<!-- reference (\w+):((?: \S+)+) -->\n).*?(^<!-- /reference -->$)", re.S | re.M)
SAME = re.compile(r"(<!-- same (\w+) -->\n).*?(^<!-- /same -->$)", re.S | re.M)
# What a section's name begins with: its file in reference/output, and the columns of its table.
SAME_AS = {"array_api": ("array_api", "NumPy | array API | Sinter | gives"),
           "eigen_different": ("from_eigen", "Eigen | gives | Sinter | gives"),
           "cupy": ("from_cupy", "CuPy | Sinter"),
           "eigen": ("from_eigen", "Eigen | Sinter | gives"),
           "different": ("from_numpy", "NumPy | gives | Sinter | gives"),
           "": ("from_numpy", "NumPy, CuPy | MatX | Sinter | gives")}
TOPICS = ["Shapes", "Dtypes", "NaN", "Empty", "Errors"]
# What the other headers are made of: nothing here is for users.
INNER = {"call", "contract", "evaluate", "lower", "misuse", "nested", "storage", "tree", "stored", "usage"}
# What only says what to write instead.
REFUSED = re.compile(r"\bWrong\b")
WITHOUT_EXAMPLE = {"mpi_mesh", "as_mdspan", "operator<<"}  # in another theme's examples


class problem(Exception):
    """What a page lacks."""


def examples_of(theme):
    """The examples of a theme: what is shown, by the names that it is about."""
    path = ROOT / f"docs/reference/output/{theme}.txt"
    found = {}
    for section in re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        lines = [without_parentheses(line[2:]) if line.startswith("> ") else f"// {line}".rstrip()
                 for line in body.splitlines()]
        for name in title.split(", "):
            found[name] = (title, "\n".join(lines))
    return found


def without_parentheses(text):
    """An example without the parentheses that keep its commas together in a macro."""
    return text[1:-1] if text.startswith("(") and headers.skip(text, 0, "()") == len(text) else text


def split_parameters(text):
    """A parameter list at its commas."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<({[") - (c in ">)}]")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def parameter(text):
    """A parameter as a caller writes it: its name, with its default."""
    if braced := re.search(r"\(&(\w+)\)|\bbraced<.*>& (\w+)$", text):
        return "{" + (braced[1] or braced[2]) + "}"
    if "runtime_axes" in text or "axes_argument" in text or text.startswith("Axes "):
        return "axis="
    if "endpoint_option" in text:
        return "endpoint=true"
    declared, _, default = text.partition(" = ")
    name = re.search(r"(\w+)\W*$", declared)
    name = "options" if name and name[1] == "Options" else name[1] if name else declared
    if "..." in declared:
        name += "..."
    return f"{name} = {default}" if default else name


def call(declaration):
    """A declaration as a caller writes it."""
    text = headers.plain(declaration)
    name = headers.name_of(declaration)
    if re.match(r"(?:class|struct|enum class)\b", text) or f"{name}(" not in text:
        text = re.sub(r" = (?!delete).*", "", text)
        return re.sub(r"\b(?:inline|constexpr) |;$|(?<= )detail::\S+ ", "", text).strip()
    at = text.index(name + "(") + len(name)
    inside = text[at + 1:headers.skip(text, at, "()") - 1]
    head = declaration[:declaration.index(text)] if text in declaration else ""
    explicit = re.match(r"template <element_type (\w+)(?:, int (Rank))?", head)
    arguments = ""
    if explicit and not re.search(rf"\b{explicit[1]}\b", inside) and "array<" not in inside:
        arguments = "<T, Rank>" if explicit[2] and "Rank" not in inside else "<T>"
    if "subscript_text" in head:
        arguments = '<"...">'
    return f"{name}{arguments}({', '.join(parameter(p) for p in split_parameters(inside))})"


def paragraphs(comment):
    """A comment as Markdown: indented lines are code; elsewhere signs that Markdown would take for its own are not."""
    lines = []
    for line in comment.split("\n"):
        parts = [line] if line.startswith("    ") else re.split(r"(`[^`]*`)", line)
        lines.append("".join(part if part.startswith(("`", "    ")) else
                             re.sub(r"<(?=\w|\")", "&lt;", part).replace("*", r"\*") for part in parts))
    return "\n".join(lines)


def members_of(entry):
    lines = []
    for member in entry.members:
        if not member.comment or "library's own" in member.comment:
            continue
        calls = dict.fromkeys(call(d) for d in member.declarations
                              if not (headers.name_of(d) or "~").startswith(("~", "operator=")))
        if calls:
            lines.append(f"- {', '.join(f'`{c}`' for c in calls)}: {paragraphs(member.comment)}")
    return lines


def about(header):
    """What a header says of itself, and how a program gets it."""
    comment = re.match(r"(?:// ?.*\n)+", (ROOT / "include/sinter" / header).read_text(encoding="utf-8"))[0]
    text = re.sub(r"^// ?", "", comment, flags=re.M).split("\n\n")[0].strip()
    everywhere = re.findall(r"include <sinter/(\S+)>", (ROOT / "include/sinter.hpp").read_text(encoding="utf-8"))
    seen = set()
    while everywhere:
        name = everywhere.pop()
        if name not in seen:
            seen.add(name)
            everywhere += re.findall(r"^#include <sinter/(\S+)>", (ROOT / "include/sinter" / name).read_text(), re.M)
    return paragraphs(text) + ("" if header in seen else f" Not in `sinter.hpp`: `#include <sinter/{header}>`.")


def reference(theme, names):
    examples, text, shown, told = examples_of(theme), [], set(), set()
    if "operands" in examples:
        text.append(f"The examples are run by a test. They begin with\n\n```cpp\n{examples['operands'][1]}\n```\n")
    for header in names:
        entries = headers.public_entries(ROOT / "include/sinter" / header)
        text.append(f"\n## {header}\n\n{about(header)}\n")
        for i, entry in enumerate(entries):
            names_here = [n for n in entry.names if n]
            if all(name.startswith("DL") for name in names_here):
                continue  # DLPack's own
            if not entry.comment and not set(names_here) <= told:
                raise problem(f"include/sinter/{header}: {', '.join(names_here)} has no comment")
            new = [name for name in names_here if name not in told]
            if new:
                text.append(f"\n### {', '.join(new)}\n")
            told.update(names_here)
            calls = dict.fromkeys(call(d) for d in entry.declarations if headers.name_of(d) and not REFUSED.search(d))
            text.append("\n```cpp\n" + "\n".join(calls) + "\n```\n")
            if entry.comment:
                text.append("\n" + paragraphs(entry.comment) + "\n")
            if members := members_of(entry):
                text.append("\n" + "\n".join(members) + "\n")
            later = {name for other in entries[i + 1:] for name in other.names}
            for name in names_here:
                if name in later:
                    continue
                if name in examples and examples[name][0] not in shown:
                    shown.add(examples[name][0])
                    text.append(f"\n```cpp\n{examples[name][1]}\n```\n")
                elif name not in examples and is_function(entry, name) and name not in WITHOUT_EXAMPLE \
                        and header != "dtype.hpp":
                    raise problem(f"docs/reference/examples/{theme}.cpp has no example of {name} ({header})")
    left = {title for title, _ in examples.values()} - shown - {"operands"}
    for title in sorted(left):
        text.append(f"\n## Besides: {title}\n\n```cpp\n{next(b for t, b in examples.values() if t == title)}\n```\n")
    return "".join(text) + "\n"


def is_function(entry, name):
    return any(headers.name_of(d) == name and not re.match(r"(?:class|struct|enum|concept)\b", headers.plain(d))
               and "(" in headers.plain(d) for d in entry.declarations)


def same(section):
    """The same in another library and Sinter, and what it gives; or what both give for what is different."""
    source, heads = next(of for start, of in SAME_AS.items() if section.startswith(start))
    text = (ROOT / f"docs/reference/output/{source}.txt").read_text(encoding="utf-8")
    body = re.search(rf"^== {section}\n(.*?)(?=^== |\Z)", text, re.S | re.M)
    if not body:
        raise problem(f"docs/reference/output/{source}.txt has no section {section}")
    rows = [f"| {heads} |", "|" + " --- |" * len(heads.split(" | "))]
    for code, value in re.findall(r"((?:^> .*\n)+)((?:^(?!> ).*\n)+)", body[1], re.M):
        cells = [line[2:] for line in code.splitlines()] + [re.sub(r"\s*\n\s*", " ", value.strip())]
        del cells[len(heads.split(" | ")):]  # what is only compiled gives nothing
        rows.append("| " + " | ".join(f"`{cell}`" if cell else "" for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def renewed(text):
    """A page with what the headers say in it."""
    text = SAME.sub(lambda m: m[1] + same(m[2]) + m[3], text)

    def replace(match):
        for topic in TOPICS:
            if f"**{topic}**" not in text[:match.start()]:
                raise problem(f"the page says nothing of **{topic}**")
        return match[1] + reference(match[2], match[3].split()) + match[4]
    return MARK.sub(replace, text)


def check_headers(pages):
    """Raises unless each header for users stands on one of the pages."""
    told = {name for text in pages for match in MARK.finditer(text) for name in match[3].split()}
    base = ROOT / "include/sinter"
    for path in [*base.glob("*.hpp"), *base.glob("op/composite/*.hpp"), base / "op/complex.hpp"]:
        if path.stem not in INNER and str(path.relative_to(base)) not in told and headers.public_entries(path):
            raise problem(f"include/sinter/{path.relative_to(base)} stands on no page of docs/reference")

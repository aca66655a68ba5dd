"""The reference by name: one page per public name on the site, and docs/reference/index.md, by task and from A to Z. In
the repository the index links to the pages of docs/reference, on the site to the name pages.

    <!-- names by task -->  ...  <!-- /names -->
    <!-- names from A to Z -->  ...  <!-- /names -->
"""
import functools
import pathlib
import re
import textwrap

import catalog
import reference

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = re.compile(r"(<!-- names (by task|from A to Z) -->\n).*?(^<!-- /names -->$)", re.S | re.M)
TOPIC = re.compile(r"^\*\*(Shapes|Dtypes|NaN|Empty|Errors|Gradients|Launches)\*\*(.*?)(?=^\*\*|^<!--|^#|\Z)",
                   re.S | re.M)
TASKS = [  # (the reader's task, the page, its headers or sections; all if empty)
    ("Make arrays and move them", "making", ["array.hpp", "create.hpp", "transfer.hpp", "host_span.hpp", "wrap.hpp",
                                             "mdspan.hpp", "shape.hpp", "expr.hpp", "print.hpp"]),
    ("Fill by a formula, a window or chance", "making", ["generate.hpp", "window_functions.hpp", "random.hpp"]),
    ("Element types", "making", ["dtype.hpp", "dtype_info.hpp"]),
    ("Operators and functions of elements", "operations", []),
    ("Functions composed of them, and your own", "functions", []),
    ("Reduce, scan, normalise", "reductions", []),
    ("Slice, reshape, join, gather, write", "views", []),
    ("Windows, padding, convolution, recurrences", "windows", []),
    ("Sort, select, search, sets", "sorting", []),
    ("Products of matrices, derivatives", "matrices", []),
    ("Linear algebra", "linalg", []),
    ("Run, explain, tune, debug", "running", []),
    ("Several devices", "sharded", []),
    ("Files and other libraries", "files", []),
]


def page_of(theme):
    """A theme's file, relative to docs/reference."""
    if theme == "operations":
        return "../operations.md"
    return next((path.name for name, path, _ in catalog.pages() if name == theme), None)


@functools.cache
def topics(theme):
    """{topic: the theme page's text about it, for all of its functions}."""
    path = ROOT / "docs/reference" / page_of(theme)
    return {m[1]: m[2].strip() for m in TOPIC.finditer(path.read_text(encoding="utf-8"))}


@functools.cache
def title(theme):
    """A page's first heading."""
    return (ROOT / "docs/reference" / page_of(theme)).read_text(encoding="utf-8").split("\n")[0].lstrip("# ")


@functools.cache
def about(header):
    return reference.about(header)


def included(one):
    if one.theme == "operations" or one.header == "op/define.hpp":
        return "`#include <sinter.hpp>`"
    apart = "Not in `sinter.hpp`" in about(one.header)
    return f"`#include <sinter/{one.header}>`" if apart else "`#include <sinter.hpp>`"


def example_text(one):
    operands, parts = catalog.examples()[one.name]
    lines = [*operands] + ([""] if operands else [])
    for code, result in parts:
        lines += textwrap.wrap(code, 110, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        lines += [f"// {line}".rstrip() for line in result.splitlines()]
    return "\n".join(lines)


def said_of_members(title, members):
    if not members:
        return []
    rows = [f"- {', '.join(f'`{c}`' for c in calls)}" + (f": {reference.paragraphs(said)}" if said else "")
            for calls, said in members]
    return [f"## {title}\n", "\n".join(rows), ""]


def page(one):
    """A name's page."""
    home = page_of(one.theme)
    text = [f"# {one.name}\n", f"{one.kind.capitalize()} · {included(one)} · [{title(one.theme)}](../{home})\n"]
    for calls, comment in one.overloads:
        text.append("```cpp\n" + "\n".join(calls) + "\n```\n")
        if comment:
            text.append(reference.paragraphs(comment) + "\n")
    text += said_of_members("Enumerators", [([name], said) for name, said in one.enumerators])
    text += said_of_members("Members", one.members)
    if catalog.examples()[one.name]:
        text += ["## Example\n", "The lines are run by a test, which compares what they print.\n",
                 "```cpp", example_text(one), "```\n"]
    if one.facts or one.kind in ("function", "operation"):
        rules = {**topics(one.theme), **{name: f": {said}" for name, said in one.facts.items()}}
        if one.name in catalog.launches():
            code, number = catalog.launches()[one.name]
            rules["Launches"] = f": `{code}` is {number}."
        text.append("## Rules\n")
        if one.kind in ("function", "operation"):
            text.append(f"Of all functions of [{title(one.theme)}](../{home}), where the text above says nothing "
                        "else:\n")
        text += [f"**{name}**{'' if said.startswith(':') else ' '}{moved(said)}\n" for name, said in rules.items()]
    if rows := catalog.numpy_of(one):
        text += ["## In NumPy\n", "| NumPy | Sinter |\n| --- | --- |"]
        text += ["| " + " | ".join("`" + c.replace("|", "\\|") + "`" for c in row) + " |" for row in rows] + [""]
    if one.neighbours:
        near = [catalog.items()[n] for n in one.neighbours if n in catalog.items()]
        text += ["## See also\n", ", ".join(map(link, near)) + "\n"]
    return "\n".join(text)


def moved(text):
    """Markdown of docs/reference with its links adapted to docs/reference/names."""
    return re.sub(r"\]\((?!https?:|#)([^)]+)\)", r"](../\1)", text)


def link(one, folder=""):
    return f"[`{one.name}`]({folder}{one.slug}.md)"


@functools.cache
def headings(home):
    return re.findall(r"^### (.*)$", (ROOT / "docs/reference" / home).read_text(encoding="utf-8"), re.M)


def anchor(one):
    """A name's location in the repository's pages: the heading of its section."""
    home = page_of(one.theme)
    if one.theme == "operations" or one.kind == "macro":
        return home
    for heading in headings(home):
        if one.plain in heading.split(", "):
            return f"{home}#{slugified(heading)}"
    return home


def slugified(heading):
    """A heading's anchor, as MkDocs and GitHub generate it."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def escaped(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def by_task():
    text = []
    known = {theme for _, theme, _ in TASKS}
    others = dict.fromkeys(one.theme for one in catalog.items().values() if one.theme not in known)
    for task, theme, names in [*TASKS, *((title(theme), theme, []) for theme in others)]:
        chosen = [one for one in catalog.items().values()
                  if one.theme == theme and (not names or one.header in names)]
        if not chosen:
            raise reference.problem(f"docs/name_pages.py: nothing is listed for '{task}'")
        text.append(f"**{task}** ([all of it]({page_of(theme)})): " +
                    ", ".join(f"[`{one.name}`]({anchor(one)})" for one in chosen) + "\n")
    return "\n".join(text)


def a_to_z():
    rows = ["| name | |", "| --- | --- |"]
    for one in sorted(catalog.items().values(), key=lambda one: (not one.name[0].isalpha(), one.name.lower())):
        rows.append(f"| [`{one.name.replace('|', chr(92) + '|')}`]({anchor(one)}) | {escaped(one.summary)} |")
    return "\n".join(rows) + "\n"


def renewed(text):
    return LIST.sub(lambda m: m[1] + (by_task() if m[2] == "by task" else a_to_z()) + m[3], text)


def on_site(text):
    """The list with links to the name pages."""
    by_name = {one.name: one for one in catalog.items().values()}

    def target(match):
        one = by_name.get(match[1].replace("\\|", "|"))
        return f"[`{match[1]}`](names/{one.slug}.md)" if one else match[0]
    return re.sub(r"\[`([^`]+)`\]\([^)]*\)", target, text)


def faults():
    """Defects that no published page may have."""
    yield from catalog.faults()
    listed = {(theme, header) for _, theme, names in TASKS for header in names}
    parted = {theme for _, theme, names in TASKS if names}
    slugs = {}
    for one in catalog.items().values():
        if one.theme in parted and (one.theme, one.header) not in listed:
            yield f"{one.name} ({one.header}) is in no task of docs/name_pages.py"
        if slugs.setdefault(one.slug.lower(), one) is not one:
            yield f"{one.name} and {slugs[one.slug.lower()].name} would have one page"
        if re.search(r"\b(?:detail|codegen)::|SINTER_DETAIL", page(one)):
            yield f"{one.name}: its page shows the library's inside"

"""All public names of the library with their documentation: the source of the name pages and of the list from A to Z.

The names come from the headers that the pages of docs/reference list, from the op table and from the macros. Their
documentation comes from the comments, the tested examples, the derivatives and the table of NumPy's names.
"""
import dataclasses
import functools
import pathlib
import re

import declared
import headers
import reference

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include/sinter"
OUTPUT = ROOT / "docs/reference/output"
SPACE = re.compile(r"^namespace (?!(?:sinter|detail|codegen|tree|op|ir|number|std)\b)(\w+) \{\n(.*?)"
                   r"^\}  // namespace \1$", re.S | re.M)
MACRO = re.compile(r"((?:^///.*\n)+)#define (SINTER_(?!DETAIL|ROW)\w+)\(([^)]*)\)", re.M)
ENUM = re.compile(r"^enum class (\w+)[^{;]*\{(.*?)\};", re.S | re.M)
ROW = re.compile(r"^SINTER_ROW_([A-Z]+)\s*\((.*)\)\s*$")
# Needs an MPI program, which the examples are not: tests/package/consumer_mpi is one.
WITHOUT_EXAMPLE = {"mpi_mesh"}
# Public only for the library's own use, so not in the reference.
INNER = {"cuda_name", "is_moments", "moments_of", "dtype_count"}
RULES = {  # the rules of include/sinter/op/row.hpp, for readers
    "same": "the common dtype of the operands, real, is the result's.",
    "numeric": "the common dtype of the operands, real and not bool, is the result's.",
    "field": "the common dtype of the operands is the result's; complex, too.",
    "ring": "the common dtype of the operands, not bool, is the result's; complex, too.",
    "floating": "floating; integers and bool give float64. Not complex.",
    "analytic": "floating and complex; integers and bool give float64.",
    "compare": "operands are compared in their common dtype, not complex; the result is bool.",
    "equality": "operands are compared in their common dtype, complex, too; the result is bool.",
    "logical": "operands count as bool, and so is the result.",
    "integral": "integers and bool, in their common dtype.",
    "integer": "integers, in their common dtype.",
    "to_bits": "floating; the result is the signed integer of its size.",
    "of_bits": "signed integers; the result is the floating dtype of its size.",
    "select": "the first operand is bool; the others have a common dtype, which is the result's.",
    "sum": "integers and bool give 64 bits, storage types are accumulated in float32; complex, too.",
    "complex_": "complex; others become complex.",
    "part": "complex; the result is of the dtype of its parts.",
}


class problem(Exception):
    """An omission in docs/catalog.py."""


@dataclasses.dataclass
class item:
    name: str  # qualified below namespace sinter: pad_mode::edge
    kind: str  # function, type, concept, constant, macro, operation
    theme: str  # the page of docs/reference, or operations
    header: str
    overloads: list = dataclasses.field(default_factory=list)  # (calls, comment)
    members: list = dataclasses.field(default_factory=list)  # (calls, comment)
    enumerators: list = dataclasses.field(default_factory=list)  # (name, comment)
    neighbours: list = dataclasses.field(default_factory=list)
    row: str = ""  # of an operator: the name of its row in the op table
    facts: dict = dataclasses.field(default_factory=dict)  # heading: text

    @property
    def slug(self):
        return re.sub(r"\W+", "-", f"operator-{self.row}" if self.row else self.name).strip("-")

    @property
    def plain(self):
        return self.name.rpartition("::")[2]

    @property
    def summary(self):
        """The first sentence."""
        text = next((comment for _, comment in self.overloads if comment), "")
        text = re.sub(r"\s+", " ", text.split("\n\n")[0])
        match = re.match(r"(?:`[^`]*`|[^.`]|\.(?!\s|$))*\.?", text)
        return (match[0] if match else text).strip()


def kind_of(declaration):
    text = headers.plain(declaration)
    if text.startswith("concept "):
        return "concept"
    if re.match(r"(?:class|struct|enum class)\b", text):
        return "type"
    return "function" if "(" in text.partition("{")[0].partition(" = ")[0] else "constant"


@functools.cache
def pages():
    """(theme, path, headers) of each page of docs/reference."""
    return [(match[2], path, match[3].split()) for path in sorted((ROOT / "docs/reference").glob("*.md"))
            for match in reference.MARK.finditer(path.read_text(encoding="utf-8"))]


def qualified(text, name, position):
    """A name qualified by its enclosing public namespaces."""
    for match in SPACE.finditer(text):
        if match.start() <= position < match.end():
            return f"{match[1]}::{name}"
    return name


def enumerators(text, name):
    """(enumerator, its line's comment) of an enumeration."""
    body = next((match[2] for match in ENUM.finditer(text) if match[1] == name), "")
    found = []
    for line in body.splitlines():
        said = re.search(r"///< ?(.*)", line)
        code = re.sub(r"//.*", "", line)
        names = [re.match(r"\w+", part.strip())[0] for part in code.split(",") if re.match(r"\w", part.strip())]
        found += [(n, said[1] if said else "") for n in names]
    return [(n, said) for n, said in found if not n.startswith("moments")]  # no array has these dtypes


def of_header(theme, header, found):
    """Adds the names of one header."""
    path = INCLUDE / header
    text = path.read_text(encoding="utf-8")
    here = []
    previous = ""
    for entry in headers.public_entries(path):
        comment = entry.comment or previous
        previous = comment
        for declaration in entry.declarations:
            name = headers.name_of(declaration)
            if not name or name.startswith("DL") or name in INNER or reference.REFUSED.search(declaration):
                continue
            full = qualified(text, name, text.find(declaration[:100]))
            one = found.setdefault(full, item(full, kind_of(declaration), theme, header))
            if full not in here:
                here.append(full)
            call = reference.call(declaration)
            if "::" in full:
                call = re.sub(rf"\b{re.escape(name)}\b", full, call, count=1)
            same = next((o for o in one.overloads if o[1] == comment), None)
            if same is None:
                one.overloads.append(([call], comment))
            elif call not in same[0]:
                same[0].append(call)
            if kind_of(declaration) == "type":
                one.members += [m for m in members_of(entry) if m not in one.members]
                one.enumerators = one.enumerators or enumerators(text, name)
    for i, name in enumerate(here):
        near = here[max(0, i - 6):i + 7]
        found[name].neighbours += [n for n in near if n != name and n not in found[name].neighbours]


def members_of(entry):
    """(calls, comment) of what users call; excludes uncommented declarations that mention internal names."""
    found = []
    for member in entry.members:
        inner = [d for d in member.declarations if not re.search(r"\b(?:codegen|detail)::|\b\w+_;", d)]
        said = member.declarations if member.comment and "library's own" not in member.comment else inner
        if "library's own" in member.comment:
            continue
        calls = list(dict.fromkeys(reference.call(d) for d in said
                                   if not (headers.name_of(d) or "~").startswith(("~", "operator="))))
        hidden = r"\b(?:codegen|detail)::" if member.comment else r"\b(?:codegen|detail)::|\((?:[^)]*[ ,(])?[A-Z]\w*\b"
        calls = [c for c in calls if not re.search(hidden, c)]
        if calls:
            found.append((calls, member.comment))
    return found


def derivatives():
    """{row: its derivatives with respect to its operands, as text}."""
    text = (INCLUDE / "op/derivatives.def").read_text(encoding="utf-8")
    found = {}
    for kind, name, rest in re.findall(r"^(DERIVATIVE_\d|FOLDED)\((\w+), (.*)\)$", text, re.M):
        parts, depth, start = [], 0, 0
        for i, c in enumerate(rest):
            depth += (c == "(") - (c == ")")
            if c == "," and depth == 0:
                parts.append(rest[start:i].strip())
                start = i + 1
        parts.append(rest[start:].strip())
        if kind in ("FOLDED", "DERIVATIVE_1"):
            found[name] = f"`{parts[0]}`"
        else:
            found[name] = ", ".join(f"`{part}` by {operand}" for part, operand in zip(parts, "xyz"))
    return found


def rows(found):
    """Adds the rows of the op table."""
    known, heading, sections = derivatives(), "", {}
    for line in (INCLUDE / "op/table.def").read_text(encoding="utf-8").splitlines():
        if line.startswith("// "):
            heading = line[3:].strip()
        if not (match := ROW.match(line)):
            continue
        count = {"UNARY": 3, "BINARY": 3, "TERNARY": 3, "CHOICE": 3, "PREFIX": 4, "INFIX": 4, "REDUCTION": 5}[match[1]]
        parts = [part.strip() for part in match[2].split(",", count - 1)]
        name, rule, body = parts[0], parts[-2], parts[-1]
        arguments = {"UNARY": "x", "BINARY": "x, y", "TERNARY": "x, y, z", "CHOICE": "x, y, z"}.get(match[1])
        call = f"{name}({arguments})"
        if match[1] in ("PREFIX", "INFIX"):
            rule, call = parts[2], f"{parts[1]}x" if match[1] == "PREFIX" else f"x {parts[1]} y"
            name = f"operator{parts[1]}" if match[1] == "INFIX" else f"operator{parts[1]} (prefix)"
        facts = {}
        if match[1] == "REDUCTION":
            rule, call = parts[1], f"{name}(x, axis=, keepdims, where=, initial=)"
            facts["Empty"] = f"of no elements, the identity, `{parts[3]}`." if parts[2] == "identity" else \
                "of no elements, throws, unless `initial=` is given."
            said = f"Folds elements with `{body}`, over the axes that `axis=` names, or all."
        else:
            said = f"Computes `{body}` for each element; operands broadcast."
        if rule not in RULES:
            raise problem(f"docs/catalog.py does not say what the rule {rule} of include/sinter/op/row.hpp is")
        facts["Dtypes"] = RULES[rule]
        if parts[0] in known:
            facts["Gradient"] = f"{known[parts[0]]}, where g is the derivative by the result r."
        one = found.setdefault(name, item(name, "operation", "operations", "op/table.def"))
        one.row = parts[0] if name.startswith("operator") else ""
        one.overloads.append(([call], said))
        one.facts.update(facts)
        sections.setdefault(heading, []).append(name)
    for names in sections.values():
        for i, name in enumerate(names):
            found[name].neighbours += [n for n in names[max(0, i - 4):i + 5] if n != name]


def macros(found):
    path = INCLUDE / "op/define.hpp"
    names = [m[2] for m in MACRO.finditer(path.read_text(encoding="utf-8"))]
    for match in MACRO.finditer(path.read_text(encoding="utf-8")):
        said = re.sub(r"^/// ?", "", match[1], flags=re.M).strip()
        call = f"{match[2]}({match[3].replace('...', 'body')})"
        found[match[2]] = item(match[2], "macro", "functions", "op/define.hpp", [([call], said)],
                               neighbours=[n for n in names if n != match[2]])


@functools.cache
def items():
    """{name: item} of all public names."""
    found = {}
    for theme, _, names in pages():
        for header in names:
            of_header(theme, header, found)
    rows(found)
    macros(found)
    return found


@functools.cache
def outputs():
    """{theme: [(title, [(code, result)])]} of the tested examples."""
    found = {}
    for path in sorted(OUTPUT.glob("*.txt")):
        if path.stem in ("from_numpy", "from_cupy", "from_eigen", "array_api"):
            continue
        sections = []
        for section in re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
            title, _, body = section.partition("\n")
            parts = re.findall(r"^> (.*)\n((?:(?!> ).*\n?)*)", body, re.M)
            sections.append((title, [(reference.without_parentheses(a), b.rstrip("\n")) for a, b in parts]))
        found[path.stem] = sections
    return found


def mentions(one, code):
    if one.name.startswith("operator"):
        symbol = re.escape(one.name.removeprefix("operator").removesuffix(" (prefix)"))
        prefix = rf"(?:^|[(=] ?|return ){symbol} ?\w"
        return re.search(prefix if "prefix" in one.name else rf"[\w)] {symbol} [\w(-]", code)
    return re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)" if "::" in one.name else
                     rf"(?<![\w:.]){re.escape(one.plain)}(?!\w)|sinter::{re.escape(one.plain)}(?!\w)", code)


@functools.cache
def examples():
    """{name: the result of example_of}."""
    return {name: example_of(one) for name, one in items().items()}


def example_of(one):
    """(operands, lines) of a name's examples: those of its own section, or else the first lines that mention it."""
    sections = outputs()
    for own in (True, False):
        for theme in dict.fromkeys([one.theme, *sections]):
            for title, parts in sections.get(theme, []):
                if title == "operands" or own != (one.plain in title.split(", ")):
                    continue
                about = [part for part in parts if mentions(one, part[0])]
                if own and one.kind in ("type", "concept"):
                    about = about or parts  # of a function that takes or returns it
                if about:
                    shown = parts if own and len(parts) <= 8 else with_declarations(parts, about)
                    return operands_of(theme, shown), shown
    for theme, parts in ((t, p) for t, s in sections.items() for title, p in s if title == "operands"):
        if about := [part for part in parts if mentions(one, part[0])]:
            return [], about
    return None


def with_declarations(parts, about):
    """Lines, preceded by those that declare the variables they read."""
    shown = list(about[:4])
    for code, result in reversed(parts):
        declared = re.match(r"(?:const )?[\w:<>, ]+?[ &](\w+)(?: = |\(|\{|;)", code)
        if (code, result) not in shown and declared and code.endswith(";") and \
                any(re.search(rf"\b{declared[1]}\b", c) for c, _ in shown):
            shown.append((code, result))
    return [part for part in parts if part in shown]


def operands_of(theme, shown):
    """The declarations of a theme's operands that the lines read."""
    declared = next((parts for title, parts in outputs()[theme] if title == "operands"), [])
    names = [(code, re.search(r"(\w+)(?: = |;|\()", code)) for code, _ in declared]
    return [code for code, name in names if name and any(re.search(rf"\b{name[1]}\b", c) for c, _ in shown)]


@functools.cache
def numpy_rows():
    """(NumPy's code, Sinter's code) of the pages that compare them."""
    found = []
    for name in ("from_numpy", "array_api"):
        text = (OUTPUT / f"{name}.txt").read_text(encoding="utf-8")
        for body in re.finditer(r"^== (\w+)\n(.*?)(?=^== |\Z)", text, re.S | re.M):
            if not body[1].startswith("different"):
                found += [(a, c) for a, _, c in re.findall(r"^> (.*)\n> (.*)\n> (.*)\n", body[2], re.M)]
    return found


def numpy_of(one):
    """The rows of these pages that mention a name."""
    found = [(a, c) for a, c in numpy_rows() if mentions(one, c)]
    direct = [(a, c) for a, c in found if re.search(rf"\b{re.escape(one.plain)}\(", a)]
    return list(dict.fromkeys(direct or found))[:2]


@functools.cache
def launches():
    """{name: (its first example, the example's number of launches)}: see docs/launches.py."""
    text = (ROOT / "docs/reference/launches.txt").read_text(encoding="utf-8")
    return {name: (code, int(number)) for name, code, number in re.findall(r"^(.*?) \| (.*) \| (\d+)$", text, re.M)}


def faults():
    """Omissions and truncated texts."""
    for one in items().values():
        if not one.overloads or not any(comment for _, comment in one.overloads):
            yield f"{one.name} ({one.header}) has no comment"
        for said, comment in one.overloads + one.members + one.enumerators:
            last = comment.rstrip().split("\n")[-1]
            is_sentence = one.kind in ("function", "type", "concept", "macro") and (said, comment) in one.overloads
            if not last.startswith("    ") and (is_sentence and not re.search(r"[.:!?)`]$", last) or re.search(
                    r"(?:[,;([]|\b(?:and|or|of|the|to|with|than|that|whose))$", last)):
                yield f"{one.name} ({one.header}): the comment ends in the middle of a sentence: {last}"
        if examples()[one.name] is None and one.name not in WITHOUT_EXAMPLE:
            yield f"{one.name} ({one.header}) has no example in docs/reference/examples"
    for name in sorted(declared_names() - {one.plain for one in items().values()} - INNER - {"std"}):
        yield f"{name} is declared in include/sinter and stands on no page"


def declared_names():
    """The names that the public headers declare, by a scan that is independent of docs/headers.py."""
    named = sorted({header for _, _, names in pages() for header in names})
    return set().union(*(declared.names_in((INCLUDE / header).read_text(encoding="utf-8")) for header in named))

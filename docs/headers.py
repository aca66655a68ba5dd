"""The public names of a header of include/sinter, with their comments: the source of the pages of docs/reference.

The headers are formatted by clang-format and follow the house rules, so a few patterns can parse them: each public
declaration has a comment of three slashes above it, and non-public declarations are in separate namespaces.
"""
import dataclasses
import re

FORWARD = re.compile(r"^namespace [\w:]+ \{\n(?:.*;\n)+\}(?:  // .*)?\n", re.M)  # forward declarations
HIDDEN = re.compile(r"^namespace ((?:sinter::)?(?:detail|codegen|tree|op|ir|number|std)\b[\w:]*) \{.*?"
                    r"^\}  // namespace \1\n", re.S | re.M)
NO_DECLARATION = re.compile(r"(?:namespace|using|static_assert|public|private|protected|friend)\b")
# A class's forward declaration, a deduction guide, a definition of a class's member, or a specialisation in std.
AHEAD = re.compile(r"(?:template <.*> )?(?:(?:class|struct) \w+;|struct std::.*)|.*\) -> \w+<.*;|[^(]*>::\w+\(.*")
NAME = re.compile(r"\b(?:class|struct|enum class) (\w+)|(operator\W+?|~?\w+)\(|constexpr [\w:<>, ]+? (\w+)(?:;| =|$)"
                  r"|^[\w:<>, ]+ (\w+)(?: = .*)?;")


@dataclasses.dataclass
class entry:
    """A comment and the declarations below it, up to an empty line."""
    comment: str
    declarations: list
    members: list  # of a class: entries

    @property
    def names(self):
        return list(dict.fromkeys(name_of(text) for text in self.declarations))


def skip(text, at, brackets="<>"):
    """The index after the bracket that opens at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == brackets[0]) - (text[i] == brackets[1])
        if depth == 0:
            return i + 1
    return len(text)


def plain(declaration):
    """A declaration without its template head and constraints."""
    text = declaration
    while text.startswith("template <"):
        text = text[skip(text, len("template ")):].lstrip()
    while match := re.match(r"(?:requires|&&|\|\|)\s*!?[\w:]*", text):
        at = match.end()
        while at < len(text) and text[at] in "<({":
            at = skip(text, at, {"<": "<>", "(": "()", "{": "{}"}[text[at]])
        text = re.sub(r"^(?:::\w+)", "", text[at:]).lstrip()
    return text


def name_of(declaration):
    """The name that a declaration declares; none if another entry declares it."""
    if AHEAD.fullmatch(declaration):
        return None
    text = plain(declaration)
    if text.startswith("concept "):
        return text.split()[1]
    match = NAME.search(text)
    return next((group for group in match.groups() if group), None) if match else None


def entries_of(text, indent=""):
    """The entries at one depth of indentation."""
    found, comment, current, fresh = [], [], None, True
    lines = iter(line for line in text.splitlines() if not re.fullmatch(r"\s*SINTER_DETAIL_\w+\(.*\)", line))
    for line in lines:
        body = line[len(indent):] if line.startswith(indent) else line.strip()
        if line.startswith(indent + "///") and not line.startswith(indent + "///<"):
            comment.append(body[3:].removeprefix(" ").rstrip())
            current = None
        elif (more := re.match(r"\s*///< ?(.*)", line)) and found:
            found[-1].comment += f" {more[1]}"  # the continuation of a comment at the end of a line
        elif not body.strip():
            current, comment = None, []
        elif line.startswith(indent) and re.match(r"[\w\[~]", body) and not NO_DECLARATION.match(body):
            declaration, inner = whole_declaration(body, lines, indent)
            beside = re.search(r";\s*///< (.*)", line)
            if current is None or beside:
                current = entry(beside[1] if beside else "\n".join(comment), [], [])
                found.append(current)
                comment = []
            current.declarations.append(declaration)
            if beside:
                current = None
            if inner is not None and re.match(r"(?:class|struct)\b", plain(declaration)):
                found[-1].members = entries_of(inner, indent + "    ")
    return found


def whole_declaration(first, lines, indent):
    """A declaration that starts at the first line, joined into one line without its body; and its body, if any."""
    parts, line = [], first
    while True:
        parts.append(re.sub(r"\s*//.*", "", line).strip())
        if parts[-1].endswith(("{", ";", "}")):
            break
        line = next(lines)
    text, inner = " ".join(parts), None
    if parts[-1].endswith("{"):
        body = []
        for line in lines:
            if line.startswith(indent + "}"):
                break
            body.append(line)
        inner = "\n".join(body)
        public = re.split(r"^\s*private:\n?", inner, flags=re.M)[0]
        inner = re.split(r"^\s*public:\n", public, flags=re.M)[-1]
    is_class = re.match(r"(?:class|struct|enum class)\b", plain(text))
    return re.sub(r"(?: : [^{;]*)?\s*\{[^{]*$" if is_class else r"\s*\{.*$", "", text), inner


def public_entries(path):
    """The entries of a header."""
    text = HIDDEN.sub("", FORWARD.sub("", path.read_text(encoding="utf-8")))
    text = re.sub(r"^#(?:.*\\\n)*.*\n", "", text, flags=re.M)
    return [e for e in entries_of(text) if any(e.names)]

"""The functions, types and constants that a header declares in namespace sinter, by a scan of its braces. It is
independent of docs/headers.py, so each finds names that the other misses."""
import re


def names_in(text):
    """The names of one header."""
    found = set()
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.S)
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", " ", text, flags=re.M)
    spaces, statement = [], ""
    for token in re.findall(r"[{};]|[^{};]+", text):
        if token == "{":
            space = re.search(r"namespace ([\w:]+)\s*$", statement)
            inside = all(spaces) and space is not None and \
                not re.search(r"detail|codegen|std|tree|\bir\b", space[1])
            if space is None and all(spaces):
                found |= declared_by(statement)
            spaces.append(inside)
            statement = ""
        elif token == "}":
            if spaces:
                spaces.pop()
            statement = ""
        elif token == ";":
            if spaces and all(spaces):
                found |= declared_by(statement)
            statement = ""
        else:
            statement += token
    return found


def after_brackets(text, at):
    """The index after the angle bracket that opens at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "<") - (text[i] == ">")
        if depth == 0:
            return i + 1
    return len(text)


def declared_by(statement):
    """The name that a definition's head defines; none for forward declarations, operators and aliases."""
    text = re.sub(r"\s+", " ", statement).strip()
    while re.match(r"template ?<", text):
        text = text[after_brackets(text, text.index("<")):].strip()
    if match := re.match(r"(?:class|struct|enum class) (\w+)(?: final)?(?: ?:.*)?$", text):
        return {match[1]}
    if match := re.match(r"inline constexpr [\w:<>, ]+? (\w+)$", text):
        return {match[1]}
    if re.match(r"(?:struct|class) std::|friend ", text):
        return set()
    match = re.match(r"(?:requires .*? )?(?:\[\[nodiscard\]\] )?(?:inline |constexpr )*(?:auto|void|bool|int|double|"
                     r"std::[\w:]+(?:<[^()]*>)?|array<[^()]*>) ?&?(\w+)\(", text)
    return {match[1]} if match and match[1] not in ("operator", "requires", "decltype") else set()

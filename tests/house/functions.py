"""Finds functions in C++ text that clang-format has laid out, by its braces."""
import re

# What begins the head of a scope whose members are looked through.
SCOPE = re.compile(r"(?:export\s+|inline\s+|typedef\s+)*(?:namespace|class|struct|union|enum|extern)\b")
TEMPLATE = re.compile(r"template\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>\s*(?:requires\s*\((?:[^()]|\([^()]*\))*\)\s*)?")
STRING = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M | re.S)
MACRO = re.compile(r"^[A-Z][A-Z0-9_]*\([^;{}]*?\)[ \t]*$", re.M)  # a row of a table, which no semicolon ends
CONTROL = {"if", "for", "while", "switch", "catch", "else", "do", "try"}


def blanked(text):
    """The text with its strings and preprocessor lines blanked out, line for line."""
    for pattern in (STRING, DIRECTIVE, MACRO):
        text = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return text


def name_of(head):
    """The function that a head declares; None for another scope or an initialiser."""
    head = TEMPLATE.sub("", head.strip(), count=1)
    if SCOPE.match(head) or "(" not in head:
        return None
    match = re.search(r"(operator\s*\S+?|~?\w+)\s*\(", head)
    return match[1] if match and match[1] not in CONTROL else None


def functions(code):
    """Yields (first line, lines, name) of each function outside another one; `code` has no comments."""
    code = blanked(code)
    head_from = 0
    depth = 0        # of braces within a function or an initialiser
    found = None
    for match in re.finditer(r"[{};]", code):
        at = match.start()
        if match[0] == "{":
            if depth > 0:
                depth += 1
            elif at > 0 and code[at - 1].isspace() and (name := name_of(code[head_from:at])):
                first = head_from + len(code[head_from:at]) - len(code[head_from:at].lstrip())
                found, depth = (code.count("\n", 0, first) + 1, name), 1
            elif re.search(r"[=\w>]\s*$", code[head_from:at]) and not SCOPE.match(
                    TEMPLATE.sub("", code[head_from:at].strip(), count=1)):
                found, depth = None, 1  # a braced initialiser
                continue
            else:
                head_from = at + 1
        elif match[0] == "}":
            if depth > 1:
                depth -= 1
            elif depth == 1:
                depth = 0
                if found:
                    yield found[0], code.count("\n", 0, at) + 2 - found[0], found[1]
                    head_from = at + 1
                found = None
            else:
                head_from = at + 1
        elif depth == 0:
            head_from = at + 1

#!/usr/bin/env python3
"""Writes sinter_all.hpp: the library and its compiled part as one header, for the host alone.

    amalgamate.py --number-text build/generated/number_text.cpp --output sinter_all.hpp

What becomes of the sources:

- each header of the project stands once, where it is first included; a .def file stands wherever it is included;
- the sources of codegen/ and runtime/ follow, less those that need a GPU, CUDA, zlib or libsodium (CUT), in whose
  place no_device.cpp is;
- fmt and oneTBB are replaced by the stand-ins in this folder, so that nothing but a C++ compiler and the headers of
  Boost.Hana is needed;
- names of unnamed namespaces that two sources declare, or a header does, get their file's name: in one translation unit
  all unnamed namespaces are one;
- public functions become inline, so that a program pays for what it uses; the host's loops, which cost the compiler
  most, are there when SINTER_ALL_EVALUATE is defined.
"""
import argparse
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent
CUT = re.compile(r"runtime/((nvrtc|cache|mpi)/.*|(cuda|distributed)/cuda_.*|launch/raw_kernel"
                 r"|io/(npz|zip_.*|checksum))\.cpp")
HOST_LOOPS = ["codegen/rows/loops.cpp", "codegen/rows/casts.cpp", "codegen/rows/pairs.cpp",
              "codegen/rows/keyed_folds.cpp", "codegen/rows/extremes.cpp", "codegen/rows/column_folds.cpp",
              "codegen/rows/divisions.cpp", "codegen/rows/widened_sums.cpp", "runtime/host/complex_tiles.cpp",
              "runtime/host/product_tiles.cpp", "runtime/host/tiny_products.cpp"]
COMPILED = ("codegen", "runtime")  # the folders of the compiled part
CUT_HEADERS = {"sinter/npz.hpp", "sinter/raw_kernel.hpp"}  # whose functions are in sources that are cut
STAND_INS = {"fmt/format.h": "format.hpp", "fmt/ranges.h": "format.hpp", "tbb/blocked_range.h": "parallel.hpp",
             "tbb/parallel_for.h": "parallel.hpp", "tbb/info.h": "parallel.hpp", "tbb/task_arena.h": "parallel.hpp"}
NAMESPACES = {"fmt": "sinter::single_header::fmt", "tbb": "sinter::single_header::tbb"}

TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/|\#[ \t]*include[^\n]*)
  | (?P<text>(?:u8|[uUL])?R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?\d(?:'?[\w.]|(?<=[eEpP])[+-])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign>::|->|\#\#|<=>|<<=|>>=|&&|\|\||[<>=!+\-*/%&|^]=|\S)
""", re.S | re.X)
INCLUDE = re.compile(r"[ \t]*#[ \t]*include[ \t]*<([^>]+)>")


class token:
    """A piece of a source: its kind, its text, and whether it stands in a line of the preprocessor."""

    def __init__(self, kind, text, directive):
        self.kind, self.text, self.directive = kind, text, directive


def tokens_of(source):
    """All of the source's pieces; joined, they are the source."""
    pieces, directive, fresh = [], False, True
    for match in TOKEN.finditer(source):
        kind, text = match.lastgroup if match.lastgroup != "mark" else "text", match[0]
        if kind == "space" and "\n" in text:
            before = pieces[-1].text if pieces else ""
            if not (directive and before == "\\"):
                directive, fresh = False, True
        elif kind != "space":
            directive = directive or (fresh and text == "#")
            fresh = False
        pieces.append(token(kind, text, directive))
    return pieces


def closing(pieces, at, opener, closer):
    """Where the bracket that opens at `at` is closed."""
    depth = 0
    for i in range(at, len(pieces)):
        depth += (pieces[i].text == opener) - (pieces[i].text == closer)
        if depth == 0:
            return i
    raise ValueError(f"unbalanced {opener}")


def declared(statement):
    """The names that a declaration at namespace scope gives. `statement` is the declaration without bodies."""
    texts = [t.text for t in statement]
    while texts and texts[0] == "template":
        depth, i = 0, 1
        while True:
            depth += (texts[i] == "<") - (texts[i] == ">")
            i += 1
            if depth == 0:
                break
        texts = texts[i:]
        if texts[:2] == ["requires", "("]:
            i = closing([token("", t, False) for t in texts], 1, "(", ")")
            texts = texts[i + 1:]
    while texts[:2] == ["[", "["]:
        texts = texts[texts.index("]") + 2:]
    if not texts or texts[0] in ("static_assert", "friend", "extern") or "operator" in texts:
        return []
    if texts[0].startswith("SINTER_"):  # a macro
        return []
    if texts[0] == "using":
        return texts[1:2] if texts[2:3] == ["="] else []
    if texts[0] in ("struct", "class", "union", "enum") and "(" not in texts:
        return [t for t in texts[1:4] if re.match(r"[A-Za-z_]", t) and t not in ("class", "struct", "alignas")][:1]
    names, depth, value = [], 0, False
    for i, text in enumerate([*texts, ";"]):
        depth += (text == "<") - (text == ">")
        if depth > 0 or i == 0 or text not in ("(", "=", "[", ",", ";"):
            continue
        name = texts[i - 1]
        usual = re.match(r"[A-Za-z_]", name) and name not in ("decltype", "alignas", "requires")
        if usual and not value and texts[i - 2] != "::":
            names.append(name)
        value = text == "=" or (value and text != ",")
        if text == "(" and not value:
            break
    return names


def declarations(pieces):
    """The declarations at namespace scope: the names of the namespaces around ("" for an unnamed one), the pieces
    without what stands in brackets, and the body that follows, or None."""
    code = [t for t in pieces if t.kind != "space" and not t.directive]
    scopes, statement, i = [], [], 0
    while i < len(code):
        text, words = code[i].text, [t.text for t in statement]
        if text == "{" and words[:1] == ["namespace"]:
            scopes.append("".join(words[1:]))
            statement = []
        elif text == "{" and words == ["extern", '"C"']:
            scopes.append("C")
            statement = []
        elif text == "{" and ":" in words and "(" in words and code[i - 1].kind == "name":
            i = closing(code, i, "{", "}")  # a member's initialiser
        elif text == "{":
            end = closing(code, i, "{", "}")
            yield scopes, statement, code[i + 1:end]
            statement, i = [], end
        elif text == "}":
            scopes.pop()
            statement = []
        elif text == ";":
            yield scopes, statement, None
            statement = []
        elif text == "(":
            end = closing(code, i, "(", ")")
            statement += [code[i], code[end]]
            i = end
        else:
            statement.append(code[i])
        i += 1


def names_at_namespace_scope(pieces):
    """Two sets of names: those declared in unnamed namespaces, and those declared in others."""
    unnamed, others = set(), set()
    for scopes, statement, body in declarations(pieces):
        names = unnamed if "" in scopes else others
        names.update(declared(statement))
        if statement and statement[0].text == "enum" and statement[1].text not in ("class", "struct"):
            names.update(t.text for i, t in enumerate(body or []) if i == 0 or body[i - 1].text == ",")
    return unnamed, others


def make_inline(pieces):
    """Marks the definitions of public functions, so that the compiler leaves out those that are not used."""
    for scopes, statement, body in declarations(pieces):
        words = [t.text for t in statement]
        is_function = body is not None and "(" in words and ("=" not in words or "operator" in words)
        special = ("template", "inline", "constexpr", "static", "catch", "struct", "class", "union", "enum")
        if is_function and "" not in scopes and not any(word in special for word in words[:2]):
            statement[0].text = "inline " + statement[0].text


def renamed(pieces, names, suffix):
    """The source with these names changed, except where they are members of something."""
    out, before, earlier = [], "", ""
    for t in pieces:
        member = before in (".", "->") or (before == "::" and earlier not in ("sinter", "codegen", "detail"))
        out.append(t.text + suffix if t.kind == "name" and t.text in names and not member else t.text)
        if t.kind != "space":
            before, earlier = t.text, before
    return "".join(out)


class amalgamation:
    def __init__(self, number_text):
        self.number_text = number_text
        self.done, self.text = set(), []

    def find(self, name):
        """The project's file of that name in angle brackets, or None for others' headers."""
        if name in STAND_INS:
            return HERE / STAND_INS[name]
        for base in (ROOT / "include", ROOT):
            if (base / name).is_file() and name.split("/")[0] in ("sinter", "sinter.hpp", *COMPILED):
                return base / name
        return None

    def add(self, path, source=None):
        """Appends a file, with what it includes in the places where it includes it."""
        if path.suffix != ".def":
            if path in self.done:
                return
            self.done.add(path)
        depth = 0
        for line in (source or path.read_text(encoding="utf-8")).splitlines(keepends=True):
            word = re.match(r"\s*#\s*(if|endif|pragma once)", line)
            depth += {"if": 1, "endif": -1}.get(word[1], 0) if word else 0
            match = INCLUDE.match(line)
            if word and word[1] == "pragma once" or match and match[1] in CUT_HEADERS:
                continue
            if match and match[1] in ("sodium.h", "zlib.h", "cuda.h", "nvrtc.h"):
                raise SystemExit(f"amalgamate.py: {path} needs <{match[1]}>; add it to CUT")
            found = self.find(match[1]) if match else None
            if not found:
                self.text.append(line)
            elif depth > 0 and found.suffix != ".def":
                raise SystemExit(f"amalgamate.py: {path} includes <{match[1]}> in a condition, which cannot be inlined")
            else:
                self.add(found)

    def sources(self):
        """The sources to add, with clashing names made different."""
        absent = [ROOT / "runtime/cuda/no_cuda.cpp", ROOT / "runtime/distributed/no_nccl.cpp"]
        paths = sorted(path for folder in COMPILED for path in (ROOT / folder).rglob("*.cpp")
                       if not CUT.fullmatch(str(path.relative_to(ROOT))) and path not in absent)
        paths = [path for path in paths if str(path.relative_to(ROOT)) not in HOST_LOOPS]
        paths += [*absent, HERE / "no_device.cpp", self.number_text]
        paths += [HERE / "no_loops.cpp", *(ROOT / path for path in HOST_LOOPS)]
        headers = [path for folder in ("include", *COMPILED) for path in (ROOT / folder).rglob("*.hpp")]
        pieces = {path: tokens_of(path.read_text(encoding="utf-8")) for path in [*paths, *headers]}
        owners = collections.defaultdict(set)  # of each name: the files that declare it
        unnamed = {}
        for path in [*paths, *headers]:
            unnamed[path], others = names_at_namespace_scope(pieces[path])
            for name in unnamed[path] | others:
                owners[name].add(path)
            unnamed[path] -= others  # overloads of the same file's public functions
        for path in paths:
            clashing = {name for name in unnamed[path] if len(owners[name]) > 1}
            compiled = any(path.is_relative_to(ROOT / folder) for folder in COMPILED)
            stem = re.sub(r"\W", "_", str(path.relative_to(ROOT).with_suffix(""))) if compiled else path.stem
            make_inline(pieces[path])
            yield path, renamed(pieces[path], clashing, "_of_" + stem)

    def make(self):
        self.add(ROOT / "include/sinter.hpp")
        declarations = "".join(self.text)
        self.text = []
        for path, source in self.sources():
            if path == HERE / "no_loops.cpp":
                self.text.append("#if !defined(SINTER_ALL_EVALUATE)\n")
            elif path == ROOT / HOST_LOOPS[0]:
                self.text.append("#else\n")
            self.add(path, source)
        self.text.append("#endif  // SINTER_ALL_EVALUATE\n")
        return declarations, "".join(self.text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number-text", type=pathlib.Path, required=True, help="made by cmake/NumberText.cmake")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    declarations, definitions = amalgamation(options.number_text).make()
    for name, full in NAMESPACES.items():
        definitions = re.sub(rf"(?<![\w:]){name}::", full + "::", definitions)
    options.output.write_text((HERE / "frame.hpp").read_text(encoding="utf-8")
                              .replace("// <declarations>\n", declarations)
                              .replace("// <definitions>\n", definitions), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks that every public function of arrays says how it is written when a call matches none of its overloads, which
else is a list of candidates: by SINTER_DETAIL_USAGE of include/sinter/misuse.hpp, or a row of the op table.

    usage.py ROOT
"""
import pathlib
import re
import sys

# Overloads of these take meshes, and say what they take.
WITHOUT = {"gather", "replicate", "scatter"}

# A template's head, and what it may return.
HEAD = r"^template <(?:detail::)?(?:operand|operand_or_scalar|element_type|class (?:C|R|T)) [^;{]*?\n" \
       r"(?:    requires[^\n]*\n)*(?:\[\[nodiscard\]\] )?"
RESULT = r"(?:auto|bool|void|std::string|DLManagedTensor\w*\*|(?:const )?T\*|array<[^\n]*>)"


def functions_of_arrays(text):
    """The functions in namespace sinter that are templates of operands, element types or containers."""
    outside = re.sub(r"namespace detail \{.*?\n\}  // namespace detail", "", text, flags=re.S)
    return set(re.findall(HEAD + RESULT + r" (\w+)\(", outside, re.M))


def explained(text):
    return set(re.findall(r"^(?:(?:SINTER_DETAIL_)?USAGE(?:_OF_NUMBERS|_OF_LOADS)?|NUMBERS|RANDOM|LOADS)\(\s*(\w+),",
                          text, re.M)) | \
        set(re.findall(r"^SINTER_ROW_\w+\s*\((\w+),", text, re.M))


def main():
    headers = sorted((pathlib.Path(sys.argv[1]) / "include/sinter").rglob("*.*p*"))
    headers += sorted((pathlib.Path(sys.argv[1]) / "include/sinter").rglob("*.def"))
    texts = [path.read_text(encoding="utf-8") for path in headers]
    functions = set().union(*map(functions_of_arrays, texts))
    if len(functions) < 150:
        sys.exit(f"only {len(functions)} functions were found: the pattern fits the headers no more")
    missing = sorted(functions - set().union(*map(explained, texts)) - WITHOUT)
    for name in missing:
        print(f"{name}: a call that matches no overload is not told how it is written: add SINTER_DETAIL_USAGE")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

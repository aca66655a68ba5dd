#!/usr/bin/env python3
"""Writes the C++ of one domain's cases: generate.py DOMAIN FILE.cpp. Needs only Python."""
import pathlib
import re
import sys

import table

HEADING = """// The cases of {domain}: bench/corpus/generate.py wrote this from bench/corpus/domains/{domain}.py.
#include <bench/corpus/program.hpp>

namespace {{

using namespace sinter;

"""


def function(case):
    """The C++ of one case."""
    body = case.cpp.strip()
    if not re.search(r"\breturn\b", body):
        body = f"return {body};"
    used = [d for d in case.dims if re.search(rf"\b{d}\b", body + " ".join(
        f"{','.join(o.extents)} {o.low} {o.high}" for o in case.operands.values()))]
    extents = "".join(f"    const std::int64_t {d} = problem[\"{d}\"];\n" for d in used)
    captures = ", ".join(d for d in used if re.search(rf"\b{d}\b", body))
    parameters = ", ".join(f"const auto& {name}" for name in case.operands)
    operands = "".join(
        f",\n        problem.operand<{table.DTYPES[o.dtype][0]}, {len(o.extents)}>({k}, shape<{len(o.extents)}>("
        f"{{{', '.join(o.extents)}}}), static_cast<double>({o.low}), static_cast<double>({o.high}))"
        for k, o in enumerate(case.operands.values()))
    small = ",".join(f"{k}={v}" for k, v in case.small.items())
    return (f"const corpus::registration {case.name}(\"{case.name}\", {{\"{small}\", {case.tolerance:g}, "
            f"[](corpus::problem& problem) {{\n{extents}"
            f"    problem.compute([{captures}]({parameters}) {{ {body} }}{operands});\n}}}});\n")


def main():
    domain, path = sys.argv[1], pathlib.Path(sys.argv[2])
    cases = "\n".join(function(c) for c in table.load([domain]))
    text = HEADING.format(domain=domain) + cases + "\n}  // namespace\n"
    if not path.exists() or path.read_text(encoding="utf-8") != text:  # an unchanged file is not recompiled
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

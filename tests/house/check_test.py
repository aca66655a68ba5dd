#!/usr/bin/env python3
"""Sees to it that every rule of check.py bites: a clean tree passes, and each breach of a rule is found."""
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).with_name("check.py")

CLEAN = {
    "include/sinter/op/table.def":
        "// Rows.\nSINTER_ROW_UNARY(exp, floating, exp(x))\nSINTER_ROW_INFIX    (add, +, same, x + y)\n",
    "include/a.hpp": "// A header.\n#pragma once\n#include <vector>\nint t[] = {\n" + "    1,\n" * 60 + "};\n" +
        "namespace n {\nstruct s {\n    void f() {\n" + "        g();\n" * 58 + "    }\n" +
        "    int x;\n" * 60 + "};\n}\n",
    "runtime/nvrtc/b.cpp": "// Compiles.\n#include <nvrtc.h>\n",
    "runtime/cuda/cuda_driver.cpp": "// Launches.\n#include <cuda.h>\n",
    "codegen/lower/c.cpp": '// Lowers for any machine; "exp" is only named here.\nint x = 1\'000;\nchar c = \'"\';\n',
    "codegen/rows/loops.cpp": '// Loops.\nconst char* name = "exp";\n',
    "codegen/ir/g.hpp": "// Includes for g.cpp.\n#include <sinter/h.hpp>\n",
    "include/sinter/h.hpp": "// Includes for g.hpp.\n#include <vector>\n",
    "codegen/ir/g.cpp": "// G, not of std::map<int, int>.\n#include <codegen/ir/g.hpp>\nstd::vector<int> v;\n",
    "tests/g_test.cpp": "// Tests g.\n#include <gmock/gmock.h>\nTEST(g, g) {}\n",
    "dev": "#!/usr/bin/env bash\n# The script.\n",
}

# Each is one file that replaces or joins the clean ones, and words of the rule that it breaks; or that another breaks.
BREACHES = [
    ("include/a.hpp", "#pragma once\n", "begins with a comment"),
    ("dev", "#!/usr/bin/env bash\nset -e\n", "begins with a comment"),
    ("include/a.hpp", "// A.\n" + "int x;\n" * 400, "longer than 400 lines"),
    ("include/a.hpp", "// A.\nclass c {\n    void f() const {\n" + "        g();\n" * 59 + "    }\n};\n", "f has 61"),
    ("include/a.hpp", "// A.\ntemplate <class T>\nvoid f(T x) {\n" + "    g({x});\n" * 58 + "}\n", "f has 61"),
    ("include/a.hpp", "// A.\nc::c(int n) : n_{n} {\n" + "    g([] {});\n" * 59 + "}\n", "c has 61"),
    ("include/a.hpp", "// " + "a" * 118 + "\n", "longer than 120 columns"),
    ("codegen/transforms/d.cpp", "// D.\n// TO" + "DO: all of it\n", "unfinished"),
    ("include/a.hpp", "// A.\n#include <iostream>\n", "does without <iostream>"),
    ("include/a.hpp", "// A.\n#include <functional>\n", "does without <functional>"),
    ("include/a.hpp", "// A.\n#include <codegen/ir/loop_nest.hpp>\n", "nothing of the inside"),
    ("include/a.hpp", "// A.\n#include <cuda.h>\n", "touch CUDA's headers"),
    ("runtime/memory/pool.cpp", "// P.\n#  include \"cuda_runtime.h\"\n", "touch CUDA's headers"),
    ("codegen/transforms/d.cpp", "// D.\n#include <mutex>\n", "a function of its arguments"),
    ("codegen/transforms/d.cpp", "// D.\n#include <tbb/task.h>\n", "a function of its arguments"),
    ("codegen/transforms/d.cpp", "// D.\n#include <codegen/schedule/e.hpp>\n", "includes run downwards"),
    ("codegen/transforms/d.cpp", "// D.\n#include <runtime/system/e.hpp>\n", "includes run downwards"),
    ("runtime/memory/pool.cpp", "// P.\n#include <runtime/launch/plan.hpp>\n", "includes run downwards"),
    ("codegen/transforms/d.cpp", "// D.\n#include <codegen/elsewhere/e.hpp>\n", "in no known folder"),
    ("codegen/schedule/e.cpp", "// E.\n#include <fmt/format.h>\n", "schedules know no text"),
    ("codegen/schedule/e.cpp", "// E.\n#include <codegen/cuda/source.hpp>\n", "includes run downwards"),
    ("codegen/lower/c.cpp", "// C.\nvoid f(const machine& m);\n", "lowering and printing decide nothing"),
    ("codegen/lower/c.cpp", "// C.\nauto s = choose_schedule(k);\n", "lowering and printing decide nothing"),
    ("codegen/lower/c.cpp", "// C.\nconst char* b = \"__syncthreads();\";\n", "CUDA's words are in codegen/cuda alone"),
    ("codegen/transforms/d.cpp", "// D.\nbool b = name == \"exp\";\n", "no op is named"),
    ("codegen/transforms/d.cpp", "// D.\nbool b = name == \"add\";\n", "no op is named"),
    ("runtime/io/i.cpp", "// I.\nconst char* p = getenv(name);\n", "the environment is read by"),
    ("runtime/io/i.cpp", "// I.\nvoid f() { tbb::parallel_for(0, n, g); }\n", "parallel loops are parallel_loop's"),
    ("examples/f.cpp", "// F.\n#include <codegen/ir/loop_nest.hpp>\n", "the public headers"),
    ("codegen/ir/g.hpp", "// Includes nothing.\n", "includes <vector>", "codegen/ir/g.cpp"),
    ("codegen/ir/g.cpp", "// G.\n#include <codegen/ir/g.hpp>\nvoid f() { throw error(t); }\n", "includes <sinter/err"),
    ("tests/g_test.cpp", "// Tests g.\n#include <codegen/ir/g.hpp>\nTEST(g, g) {}\n", "includes <gtest/gtest.h>"),
]


def run_on(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, CHECK, folder], stdout=subprocess.PIPE, text=True, check=False)


def main():
    failures = 0
    result = run_on(CLEAN)
    if result.returncode != 0:
        failures += 1
        print("the clean tree does not pass:\n" + result.stdout)
    for name, text, words, *elsewhere in BREACHES:
        result = run_on({**CLEAN, name: text})
        found = [line for line in result.stdout.splitlines() if line.startswith((elsewhere or [name])[0] + ":")]
        if result.returncode != 1 or len(found) != 1 or words not in found[0]:
            failures += 1
            print(f"{name}: expected one line with '{words}', got:\n{result.stdout}")
    print(f"{len(BREACHES) + 1} trees, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

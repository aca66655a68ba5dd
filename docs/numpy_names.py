#!/usr/bin/env python3
"""The names of NumPy that docs/from_numpy.md answers: by a row, by the same name in Sinter, by another name, or by
saying that they are not available. reference/numpy_names.txt has them.

    <!-- numpy renamed -->  ...  <!-- /numpy -->      a table: NumPy's names, and what to write
    <!-- numpy missing -->  ...  <!-- /numpy -->      a table: what is missing, NumPy's names, what helps

Run, it says which name is not answered, or answered twice, and compares the list with NumPy's where that is installed
in the version of the list; it exits with 1 if anything is wrong.
"""
import pathlib
import re
import sys
import types

import catalog

REFERENCE = pathlib.Path(__file__).resolve().parent / "reference"
TABLE = re.compile(r"(<!-- numpy (renamed|missing) -->\n).*?(^<!-- /numpy -->$)", re.S | re.M)
MODULES = {"np": "", "np.linalg": "linalg.", "np.fft": "fft.", "np.random": "random."}
HEADS = {"renamed": ["NumPy", "Sinter"], "missing": ["not available", "NumPy", "instead"]}
# Words of Sinter's code that are no public names of Sinter.
PLAIN = set("x y n m v i j mask key double float float16 std numbers false true NAN INFINITY rank size npy npz".split())
CALLED = re.compile(r"np\.((?:\w+\.)*\w+)")


def sections():
    """{section: its lines} of the list."""
    text = (REFERENCE / "numpy_names.txt").read_text(encoding="utf-8")
    found = re.findall(r"^== (\S+)\n(.*?)(?=^== |\Z)", text, re.S | re.M)
    return {name: [line for line in body.splitlines() if line and not line.startswith("#")] for name, body in found}


def public_names():
    """NumPy's names, `linalg.svd` for those of a module."""
    return [prefix + name for module, prefix in MODULES.items()
            for name in " ".join(sections()[module]).split()]


def rows(table):
    """The cells of each row; the one of NumPy's names as a list."""
    for line in sections()[table]:
        cells = [cell.strip() for cell in line.split("|")]
        at = HEADS[table].index("NumPy")
        yield [cell.split() if i == at else cell for i, cell in enumerate(cells)], at


def table(name):
    lines = ["| " + " | ".join(HEADS[name]) + " |", "|" + " --- |" * len(HEADS[name])]
    for cells, at in rows(name):
        shown = [" ".join(f"`{n}`" for n in cell) if i == at else cell for i, cell in enumerate(cells)]
        lines.append("| " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n"


def renewed(text):
    return TABLE.sub(lambda m: m[1] + table(m[2]) + m[3], text)


def called():
    """The names that the rows of the pages call."""
    pages = [REFERENCE / f"output/{page}.txt" for page in ("from_numpy", "array_api")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    methods = {name for name in re.findall(r"^> [xvifhpwtz]\.(\w+)", text, re.M)}
    return set(CALLED.findall("\n".join(re.findall(r"^> (.*)\n> .*\n> ", text, re.M)))) | methods


def unanswered(names, listed, sinters, in_rows):
    """What is wrong with the answers to NumPy's names."""
    for name in sorted({name for name in listed if listed.count(name) > 1}):
        yield f"{name} is in two rows of the tables"
    for name in sorted(set(listed) - set(names)):
        yield f"{name} is no name of NumPy"
    for name in names:
        same = name.rpartition(".")[2] in sinters
        if name not in listed and name not in in_rows and not same:
            yield f"{name} is neither in a row, nor Sinter's name, nor said to be missing"


def wrong_code(sinters):
    """Names in Sinter's column that are not Sinter's."""
    for kind in HEADS:
        for cells, _ in rows(kind):
            for code in re.findall(r"`([^`]+)`", cells[-1]):
                for word in re.findall(r"[A-Za-z_]\w*", code):
                    if word not in sinters | PLAIN:
                        yield f"Sinter has no name {word}, which stands beside {cells[0]}"


def of_numpy():
    """The names of the NumPy that is installed, if its version is that of the list."""
    try:
        import numpy as np
    except ImportError:
        return None
    listed = re.search(r"NumPy (\d+\.\d+)", (REFERENCE / "numpy_names.txt").read_text(encoding="utf-8"))[1]
    if not np.__version__.startswith(listed + "."):
        return None
    modules = {"": np, "linalg.": np.linalg, "fft.": np.fft, "random.": np.random}
    return [prefix + name for prefix, module in modules.items() for name in dir(module)
            if not name.startswith("_") and not isinstance(getattr(module, name), types.ModuleType)]


def main():
    sinters = {one.plain for one in catalog.items().values()}
    names = public_names()
    listed = [name for kind in HEADS for cells, at in rows(kind) for name in cells[at]]
    found = [*unanswered(names, listed, sinters, called()), *wrong_code(sinters)]
    installed = of_numpy()
    if installed is not None:
        found += [f"{name} is in NumPy or in the list, not in both" for name in sorted(set(names) ^ set(installed))]
    compared = "" if installed is None else ", compared with NumPy's"
    print("\n".join([*found, f"{len(names)} names{compared}, {len(found)} faults"]))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

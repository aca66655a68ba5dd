#!/usr/bin/env python3
"""Compiles and runs Eigen's column of docs/from_numpy.md: what is the same gives the elements that Sinter's does, what
is different gives what is said there of Eigen. Exits with 77 without Eigen.

    eigen_column.py COMPILER INCLUDE        the C++ compiler, and the folder that has Eigen/Dense
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# The operands of examples/from_eigen.cpp. A failed assertion throws, to be reported for its row alone.
BEGIN = r"""
#include <cstdio>
#include <stdexcept>
#define eigen_assert(condition) do { if (!(condition)) throw std::logic_error("assertion"); } while (false)
#include <Eigen/Dense>
using namespace Eigen;

template <class Derived>
void show(const DenseBase<Derived>& expression) {
    const auto value = expression.eval();
    for (Index i = 0; i < value.rows(); ++i)
        for (Index j = 0; j < value.cols(); ++j) std::printf("%.17g ", double(value(i, j)));
    std::printf("%d %d\n", int(value.rows()), int(value.cols()));
}
void show(double number) { std::printf("%.17g 1 1\n", number); }
double odds(double x) { return x / (1 + x); }

int main() {
    ArrayXXd x(2, 3);
    x << 1, 2, 3, 4, 5, 7;
    ArrayXd v(3);
    v << 3, 1, 2;
    MatrixXd a(2, 2), m(2, 2);
    a << 4, 1, 1, 3;
    m << 1, 2, 3, 4;
    VectorXd b(2);
    b << 1, 2;
    ArrayXi i(3);
    i << 7, -7, 2;
    double numbers[] = {1, 2, 3};
"""


def rows(text):
    """(Eigen's code, what is said to happen there or None, what Sinter gives) of each."""
    for body in re.finditer(r"^== (\w+)\n(.*?)(?=^== |\Z)", text, re.S | re.M):
        for cells, shown in re.findall(r"((?:^> .*\n)+)((?:^(?!> ).*\n)+)", body[2], re.M):
            code, *said = [line[2:] for line in cells.splitlines()][:-1]
            yield code, *(said or [None]), shown


def program(codes):
    lines = [f'    try {{ show({code}); }} catch (const std::logic_error&) {{ std::puts("fails an assertion"); }}'
             for code in codes]
    return BEGIN + "\n".join(lines) + "\n}\n"


def elements(shown):
    """The elements of an array as text, and its extents where it has two axes."""
    numbers = [float(word) for word in re.findall(r"[-\d.][\d.e+-]*", shown)]
    count = len(re.findall(r"\[[^][]*\]", shown))
    return numbers, (count, len(numbers) // count) if shown.lstrip().startswith("[[") else None


def agree(found, shown):
    """Whether a line of the program has the elements of what Sinter shows, and its extents."""
    if "assertion" in found or "assertion" in shown:
        return found == shown
    *numbers, height, width = map(float, found.split())
    expected, extents = elements(shown)
    return (len(numbers) == len(expected) and extents in (None, (height, width)) and
            all(abs(x - y) <= 1e-8 * max(1, abs(y)) for x, y in zip(numbers, expected)))


def main():
    compiler, include = sys.argv[1:]
    if not pathlib.Path(include, "Eigen/Dense").is_file():
        print("Eigen is not installed (Debian: libeigen3-dev): its column is not run")
        sys.exit(77)
    text = (pathlib.Path(__file__).resolve().parent / "output/from_eigen.txt").read_text(encoding="utf-8")
    table = list(rows(text))
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder, "column.cpp"), pathlib.Path(folder, "column")
        source.write_text(program([code for code, _, _ in table]), encoding="utf-8")
        subprocess.run([compiler, "-std=c++20", "-w", "-O0", "-isystem", include, source, "-o", binary], check=True)
        output = subprocess.run([binary], check=True, capture_output=True, text=True).stdout.splitlines()
    failures = len(output) != len(table) or not table
    for found, (code, said, shown) in zip(output, table):
        if not agree(found, said or shown) or (said and agree(found, shown)):
            failures += 1
            print(f"{code} gives (elements, rows, columns)\n{found}\nin Eigen, not\n{said or shown}")
            print(f"Sinter gives\n{shown}")
    print(f"{len(output)} compared")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

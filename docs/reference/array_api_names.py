"""The functions of the Python array API standard, version 2024.12, by its sections:
https://data-apis.org/array-api/2024.12/API_specification/index.html. Each is a row of examples/array_api.cpp, or stands
here with what is missing. Run, it says which is neither, and exits with 1."""
import pathlib
import re
import sys

NAMES = {
    "creation": """arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones
        ones_like tril triu zeros zeros_like""",
    "dtypes": """astype can_cast finfo iinfo isdtype result_type""",
    "elementwise": """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift
        bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide
        equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less
        less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum
        minimum multiply negative nextafter not_equal positive pow real reciprocal remainder round sign
        signbit sin sinh square sqrt subtract tan tanh trunc""",
    "indexing": """take take_along_axis""",
    "linear_algebra": """matmul matrix_transpose tensordot vecdot""",
    "manipulation": """broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat
        reshape roll squeeze stack tile unstack""",
    "searching": """argmax argmin count_nonzero nonzero searchsorted where""",
    "sets": """unique_all unique_counts unique_inverse unique_values""",
    "sorting": """argsort sort""",
    "statistics": """cumulative_prod cumulative_sum max mean min prod std sum var""",
    "utility": """all any diff""",
}
MISSING = {}  # name: why
COUNT = 133


def faults(rows):
    """What is wrong with a table of (section, name) rows."""
    listed = {name: section for section, names in NAMES.items() for name in names.split()}
    if len(listed) != COUNT:
        yield f"the list has {len(listed)} names, the standard {COUNT}"
    for section, name in rows:
        if name in MISSING or listed.get(name) != section:
            yield f"{name} is no function of the section {section}, or is said to be missing"
    for name in set(listed) - set(MISSING) - {name for _, name in rows}:
        yield f"{name} has no row in examples/array_api.cpp"


def main():
    text = (pathlib.Path(__file__).resolve().parent / "output/array_api.txt").read_text(encoding="utf-8")
    rows = [(body[1], name) for body in re.finditer(r"^== array_api_(\w+)\n(.*?)(?=^== |\Z)", text, re.S | re.M)
            for name in re.findall(r"^> np\..*\n> (\w+)\n> ", body[2], re.M)]
    found = list(faults(rows))
    print("\n".join([*found, f"{len(rows)} rows, {len(MISSING)} missing of {COUNT}"]))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

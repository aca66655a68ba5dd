"""What a file uses of the headers that are precompiled, it includes: itself, or by a header of this project.

A precompiled header hides a missing include from the compiler. This sees it: headers are known by names they declare.
"""
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)

# What sinter_precompile is given in the CMakeLists.txt, but for sinter.hpp, without which no test of it says anything.
NAMES = {header: re.compile(names) for header, names in {
    "algorithm": r"\bstd::(?:ranges::)?(?:max|min|clamp|sort|stable_sort|copy|copy_n|fill|fill_n|find|find_if|count|"
                 r"count_if|any_of|all_of|none_of|reverse|equal|transform|lower_bound|upper_bound|max_element|"
                 r"min_element|remove_if|rotate|unique|is_sorted|replace)\(",
    "cstdint": r"\bstd::u?int(?:8|16|32|64|ptr|max)_t\b",
    "functional": r"\bstd::(?:function|reference_wrapper|less|greater|plus|hash)<",
    "map": r"\bstd::(?:multi)?map<",
    "memory": r"\bstd::(?:(?:unique|shared|weak)_ptr|make_(?:unique|shared))\b",
    "mutex": r"\bstd::(?:(?:recursive_)?mutex|lock_guard|scoped_lock|unique_lock|once_flag|call_once)\b",
    "optional": r"\bstd::(?:optional|nullopt)\b",
    "string": r"\bstd::(?:string|to_string|stoi|stoll|getline)\b",
    "string_view": r"\bstd::string_view\b",
    "unordered_map": r"\bstd::unordered_map<",
    "vector": r"\bstd::vector<",
    "fmt/format.h": r"\bfmt::\w",
    "sinter/error.hpp": r"\b(?:throw|catch \(const) error\b",
    "sinter/ir/node.hpp": r"\bir::(?:node|program|scalar_bits|kind|index_map)\b",
    "gtest/gtest.h": r"\b(?:TEST(?:_[FP])?|TYPED_TEST(?:_P)?|(?:EXPECT|ASSERT)_\w+)\(",
    "tests/emulate/emulated_device.hpp": r"\bemulated_device\b",
}.items()}
FOLDERS = ("codegen/", "runtime/", "tools/", "tests/")
# By which a file may have another: GoogleMock's header is made to bring GoogleTest's.
BRINGS = {"gmock/gmock.h": {"gtest/gtest.h"}}


def headers_of(root, text, known):
    """The headers that the text includes, and those that the project's among them do."""
    all_headers = set()
    for header in INCLUDE.findall(text):
        if header not in known:
            known[header] = set(BRINGS.get(header, ()))  # before it is read: headers may include each other
            file = next((f for f in (root / "include" / header, root / header, root / "tests" / header) if f.is_file()),
                        None)
            if file:
                known[header] |= headers_of(root, file.read_text(encoding="utf-8"), known)
        all_headers |= {header} | known[header]
    return all_headers


def missing_includes(root, relative, text, code, known):
    """Rules broken by the C++ file with this text, which is `code` without its comments. `known` is kept from call to
    call."""
    if not relative.endswith(".cpp") or not relative.startswith(FOLDERS):
        return
    included = headers_of(root, text, known)
    for header, names in NAMES.items():
        if header not in included and (match := names.search(code)):
            yield code.count("\n", 0, match.start()) + 1, f"what names {match[0].rstrip('(<')} includes <{header}>"

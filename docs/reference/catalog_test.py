#!/usr/bin/env python3
"""That the reference loses nothing is a check that can fail: catalog_test.py"""
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import catalog  # noqa: E402
import declared  # noqa: E402
import headers  # noqa: E402
import name_pages  # noqa: E402
import reference  # noqa: E402

HEADER = """// What a header is for.
#pragma once

namespace sinter {
namespace detail {
struct inner {};
}  // namespace detail

/// A kind of thing.
enum class kind : std::uint8_t {
    first,  ///< the first of them
    second, third,
};

/// A class of things.
class thing {
public:
    /// Makes one.
    explicit thing(int size);
    SINTER_DETAIL_UPDATE_SYMBOLS(SINTER_DETAIL_UPDATE)
    int size() const;  ///< how many there are, of
                       ///< whatever it is
    codegen::device& get() const;

private:
    int size_;
};

/// How to do it.
namespace ways {
inline constexpr detail::way slowly{};  ///< with care
}  // namespace ways

/// Does it. Throws where it cannot
template <operand A, detail::option... Options>
[[nodiscard]] auto act(const A& a, int times = 2, const Options&...) {
    return a;
}

}  // namespace sinter
"""


def read(text):
    """The catalog of one header."""
    path = mock.Mock(read_text=lambda encoding: text)
    found = {}
    with mock.patch.object(catalog, "INCLUDE", mock.MagicMock(__truediv__=lambda self, header: path)):
        catalog.of_header("making", "thing.hpp", found)
    return found


class Catalog(unittest.TestCase):
    def setUp(self):
        self.found = read(HEADER)

    def test_names_and_kinds(self):
        kinds = {name: one.kind for name, one in self.found.items()}
        self.assertEqual(kinds, {"kind": "type", "thing": "type", "ways::slowly": "constant", "act": "function"})

    def test_enumerators_and_members(self):
        self.assertEqual(self.found["kind"].enumerators,
                         [("first", "the first of them"), ("second", ""), ("third", "")])
        self.assertEqual(self.found["thing"].members,
                         [(["thing(size)"], "Makes one."), (["size()"], "how many there are, of whatever it is")])

    def test_calls_as_they_are_written(self):
        self.assertEqual(self.found["act"].overloads,
                         [(["act(a, times = 2, options...)"], "Does it. Throws where it cannot")])

    def test_an_independent_scan_finds_the_same_names(self):
        self.assertEqual(declared.names_in(HEADER), {"kind", "thing", "slowly", "act"})

    def faults(self, *names, **changes):
        """What is wrong with a catalog of these names, and what a scan of the headers finds."""
        items = {name: catalog.items()[name] for name in names}
        examples = {n: changes.get("example", ([], [("f()", "1")])) for n in names}
        with mock.patch.object(catalog, "items", lambda: items), \
                mock.patch.object(catalog, "declared_names", lambda: changes.get("declared", set())), \
                mock.patch.object(catalog, "examples", lambda: examples):
            return list(name_pages.faults())

    def test_faults(self):
        one = catalog.items()["softmax"]
        self.assertEqual(self.faults("softmax"), [])
        self.assertIn("has no example", self.faults("softmax", example=None)[0])
        self.assertIn("stands on no page", self.faults("softmax", declared={"softmax", "hardmax"})[0])
        with mock.patch.object(one, "overloads", [(["softmax(a)"], "")]):
            self.assertIn("has no comment", self.faults("softmax")[0])
        with mock.patch.object(one, "overloads", [(["softmax(a)"], "The exponentials of")]):
            self.assertIn("in the middle of a sentence", self.faults("softmax")[0])
        with mock.patch.object(one, "overloads", [(["softmax(detail::inner)"], "Good.")]):
            self.assertIn("the library's inside", self.faults("softmax")[0])
        with mock.patch.object(one, "overloads", [(["softmax(a)"], "Throws where it cannot")]):
            self.assertIn("in the middle of a sentence", self.faults("softmax")[0])
        with mock.patch.object(one, "header", "softmax.hpp"), mock.patch.object(one, "theme", "making"), \
                mock.patch.object(name_pages, "about", lambda header: ""):
            self.assertIn("is in no task", self.faults("softmax")[0])

    def test_a_page_has_all_parts(self):
        text = name_pages.page(catalog.items()["median"])
        for part in ("# median\n", "#include <sinter/quantile.hpp>", "```cpp\nmedian(a, options...)\n", "## Example",
                     "// 2.5", "**NaN**", "**Empty**", "**Errors**", "## In NumPy", "np.median", "## See also"):
            self.assertIn(part, text)
        text = name_pages.page(catalog.items()["exp"])
        for part in ("**Dtypes**", "**Gradient**: `g * r`", "np.exp", "**Launches**: `exp(x)` is 1."):
            self.assertIn(part, text)
        self.assertIn("## Enumerators", name_pages.page(catalog.items()["quantile_method"]))
        self.assertIn("`peak_bytes()`, `reset_peak()`", name_pages.page(catalog.items()["memory_pool"]))

    def test_what_a_line_has_no_room_for(self):
        text = "/// One.\nstruct s {\n    int a;  ///< of this,\n            ///< or of that\n};\n"
        entries = headers.entries_of(text)
        self.assertEqual(entries[0].members[0].comment, "of this, or of that")

    def test_every_task_leads_to_names(self):
        for name, one in catalog.items().items():
            self.assertTrue(name_pages.page_of(one.theme), name)
        self.assertEqual(reference.parameter("const Options&..."), "options...")


if __name__ == "__main__":
    unittest.main()

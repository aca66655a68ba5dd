#!/usr/bin/env python3
"""The page that explains an expression: whole, linked, readable, without scripts: page_test.py SINTER_EXPLAIN"""
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1]
EXPRESSIONS = {
    "norm": ("sqrt(sum(x*x, axis=2))", "x:f64[1000,100,1000]"),
    "softmax": ("softmax(x, axis=1)", "x:f32[8192,4096]"),
    "long softmax": ("softmax(x, axis=1)", "x:f32[20,65536]", "--arch", "sm_90"),
    "two kernels": ("x / sum(x, axis=0, keepdims) - sum(x, axis=1, keepdims)", "x:f32[300,200]"),
    "tiled": ("x + transpose(y)", "x:f32[8192,8192]", "y:f32[8192,8192]"),
    "distances": ("sum(square(x(all, newaxis, all) - y), axis=2)", "x:f32[1024,64]", "y:f32[1024,64]"),
    "columns": ("var(x, axis=0)", "x:f32[4096,512]"),
    "operand": ("relu(matmul(exp(x), w)) / sum(x)", "x:f32[64,64]", "w:f32[64,32]"),
    "several": ("pack(min(x, axis=1), max(x, axis=1))", "x:i32[100,100]"),
    "comparison": ("where(x < 1 && x > -1, x, 0)", "x:f32[100]"),
}
VOID = {"meta", "link"}


class Page(html.parser.HTMLParser):
    """Checks that elements nest; collects what the tests ask for."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags, self.lines = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.tags.append((tag, a))
        if "id" in a:
            self.ids.append(a["id"])
        if "href" in a:
            self.links.append(a["href"])
        if tag not in VOID:
            self.open.append(tag)
        if tag == "a" and "pre" in self.open:
            self.lines.append(a)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()


def luminance(colour):
    """WCAG 2.2's relative luminance."""
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.texts = {}
        for name, arguments in EXPRESSIONS.items():
            path = pathlib.Path(cls.folder.name) / (name.replace(" ", "_") + ".html")
            result = subprocess.run([PROGRAM, *arguments, "--html", path], capture_output=True, text=True, timeout=60)
            assert (result.returncode, result.stdout, result.stderr) == (0, "", ""), (name, result)
            cls.texts[name] = path.read_text(encoding="utf-8")
        cls.pages = {name: Page(text) for name, text in cls.texts.items()}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def each(self):
        for name, page in self.pages.items():
            with self.subTest(name):
                yield name, page

    def test_elements_nest(self):
        for _, page in self.each():
            self.assertEqual(page.open, [])

    def test_ids_are_unique_and_links_resolve(self):
        for _, page in self.each():
            self.assertEqual(len(page.ids), len(set(page.ids)))
            for link in page.links:
                self.assertTrue(link == "data:," or link[1:] in page.ids, link)

    def test_every_line_of_a_kernel_is_linked_and_linked_back(self):
        for name, page in self.each():
            listings = re.findall(r'<pre class="code">(.*?)</pre>', self.texts[name], re.S)
            self.assertTrue(listings)
            for listing in listings:
                for line in listing.split("\n"):
                    self.assertRegex(line, r'^(<a id="k\d+l\d+" href="#k\d+v\d+">.+</a>)?$')
            nodes = [a for tag, a in page.tags if tag == "a" and a.get("class") == "node"]
            self.assertTrue(nodes)
            stores = re.findall(r'<a id="(k\d+v\d+)" class="node" href="#(k\d+l\d+)" aria-label="store',
                                self.texts[name])
            self.assertEqual(len(stores), len({value for value, _ in stores}))
            self.assertTrue(stores)
            for value, line in stores:
                self.assertIn(f'<a id="{line}" href="#{value}">', self.texts[name])

    def test_nothing_from_elsewhere_and_no_scripts(self):
        for name, page in self.each():
            self.assertNotIn("script", {tag for tag, _ in page.tags})
            for _, a in page.tags:
                self.assertFalse([k for k in a if k.startswith("on") or k == "src"])
            self.assertNotRegex(self.texts[name], r"(?:url\(|@import|https?://)")

    def test_landmarks_headings_and_names(self):
        for name, page in self.each():
            tags = [tag for tag, _ in page.tags]
            for landmark in ("header", "nav", "main", "title"):
                self.assertIn(landmark, tags)
            self.assertEqual(tags.count("h1"), 1)
            levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
            self.assertTrue(all(b <= a + 1 for a, b in zip(levels, levels[1:])), levels)
            for tag, a in page.tags:
                if tag == "svg":
                    self.assertTrue(a.get("aria-label"), name)
                if tag == "a" and a.get("class") == "node":
                    self.assertTrue(a.get("aria-label"))
            self.assertEqual(page.tags[0], ("html", {"lang": "en"}))

    def test_contrast(self):
        text = self.texts["softmax"]
        for cell in set(re.findall(r'fill="(#[0-9a-f]{6})"', text)):
            self.assertGreaterEqual(contrast("#1b1b1b", cell), 7, cell)
        light, dark = text[:text.index("@media (prefers")], text[text.index("@media (prefers"):]
        for scheme in light, dark:
            colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", scheme))
            self.assertEqual(len(colours), 16)
            for background in ("paper", "panel", "hover", "mark", "added", "removed", "node"):
                self.assertGreaterEqual(contrast(colours["ink"], colours[background]), 7, background)
            for colour, background in (("link", "paper"), ("quiet", "node"), ("quiet", "mark")):
                self.assertGreaterEqual(contrast(colours[colour], colours[background]), 4.5, colour)

    def test_what_it_says(self):
        self.assertIn("The whole expression is one kernel", self.texts["softmax"])
        self.assertIn("sum axis=0 keepdims of (300, 200) keeps other axes than sum axis=1 keepdims of (300, 200)",
                      self.texts["two kernels"])
        self.assertIn("Kernel 2 of 2", self.texts["two kernels"])
        self.assertRegex(self.texts["norm"], r"launches</th><td>1</td><td>3</td>")
        self.assertIn("elements kept in registers", self.texts["softmax"])
        self.assertIn("rows: a cluster of 8 blocks per row, 512 threads per block", self.texts["long softmax"])
        self.assertIn("exp of (64, 64) is an operand of a matrix product", self.texts["operand"])
        self.assertIn("product of (64, 32) is a matrix product", self.texts["operand"])

    def test_the_way_of_the_elements_is_drawn(self):
        for name, way in {
            "softmax": "memory: reads 134.218 MB; then registers of a thread: 16 elements kept, 4 accesses of 4 "
                       "elements, 8 accumulators; then lanes of a warp: 32 threads shuffle; then shared memory: 8 "
                       "results of warps, folded to one; then memory: writes 134.218 MB",
            "long softmax": "then shared memory: 16 results of warps, folded to one; then shared memory of a cluster: "
                            "8 results of blocks, each block reads and folds all; then memory: writes 5.243 MB",
            "tiled": "then shared memory: 1 load, transposed; then registers of a thread",
            "distances": "then shared memory: slices of both operands, 8 steps long; then registers of a thread: 4 x 4",
            "columns": "then memory, for other blocks: ",
            "comparison": "then registers of a thread: 4 results; then memory: writes 0.000 MB",
        }.items():
            drawn = [a["aria-label"] for tag, a in self.pages[name].tags if tag == "svg"]
            self.assertTrue(any(way in label for label in drawn), (name, drawn))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""The page that explains an expression, and the playground, in a real browser: browser_test.py SINTER_EXPLAIN

Opens a copy of it in headless Chromium, which must print nothing on the console, and runs page_checks.js there:
contrast, in light and dark, keyboard, links, and that it fits a narrow window. SINTER_AXE=axe.min.js runs axe-core's
rules, too.
Skipped, exit status 77, where there is no Chromium.
"""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from serving import playground

PROGRAM = sys.argv[1]
BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser",
                                                 "google-chrome"))), None)
CHECKS = pathlib.Path(__file__).with_name("page_checks.js").read_text(encoding="utf-8")
EXPRESSIONS = {
    "norm": ("sqrt(sum(x*x, axis=2))", "x:f64[1000,100,1000]"),
    "softmax": ("softmax(x, axis=1)", "x:f32[8192,4096]"),
    "long softmax": ("softmax(x, axis=1)", "x:f32[20,65536]", "--arch", "sm_90"),
    "layer_norm": ("layer_norm(x, axis=1) * w + b", "x:f32[16384,4096]", "w:f32[4096]", "b:f32[4096]"),
}


# Fills the playground's form, and sends it.
ASK = """<script>
document.querySelector("form").action = ADDRESS;
document.querySelector("#e").value = "softmax(x, axis=1)";
document.querySelector("#o").value = "x:f32[8192,4096]";
document.querySelector("#arch").value = "sm_80";
document.querySelector("form button").click();
</script>"""


def opened(page, width=1280, dark=False):
    """The document after all scripts have run, and the lines of the console."""
    with tempfile.TemporaryDirectory() as profile:
        result = subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom",
             f"--blink-settings=preferredColorScheme={0 if dark else 1}", f"--user-data-dir={profile}",
             f"--window-size={width},900", "--virtual-time-budget=20000",
             page if isinstance(page, str) else page.as_uri()],
            capture_output=True, text=True, timeout=120)
    return result.stdout, [line for line in result.stderr.splitlines() if "CONSOLE" in line]


class InABrowser(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def page(self, name, *options):
        path = pathlib.Path(self.folder.name) / f"{name}.html"
        subprocess.run([PROGRAM, *EXPRESSIONS[name], "--html", path, *options], check=True, timeout=60)
        return path

    def problems(self, page, text, width=1280, dark=False):
        axe = os.environ.get("SINTER_AXE")
        scripts = [pathlib.Path(axe).read_text(encoding="utf-8")] if axe else []
        page.write_text(text + "".join(f"<script>{s}</script>" for s in [*scripts, CHECKS]), encoding="utf-8")
        document, said = opened(page, width, dark)
        self.assertEqual(said, [])
        found = re.search(r'<p id="found">(.*?)</p>', document)
        self.assertTrue(found, "the checks did not run to their end")
        return json.loads(html.unescape(found[1]))

    def test_pages(self):
        for name in EXPRESSIONS:
            width = 500 if name == "softmax" else 1280  # one of them in a narrow window
            with self.subTest(name):
                page = self.page(name)
                text = page.read_text(encoding="utf-8")
                self.assertIn(f"<h1><code>{html.escape(EXPRESSIONS[name][0])}", text)
                self.assertEqual(self.problems(page, text, width), [])

    def test_dark_pages(self):
        page = self.page("layer_norm")
        text = page.read_text(encoding="utf-8")
        self.assertEqual(self.problems(page, text, dark=True), [])
        dark = text.replace("--ink: #e6e6e3", "--ink: #333333")  # the check can fail
        self.assertIn("contrast 1.", "\n".join(self.problems(page, dark, dark=True)))

    def test_the_playground(self):
        with playground(PROGRAM) as port:
            address = f"http://127.0.0.1:{port}/"
            form, said = opened(address)
            self.assertEqual(said, [])
            path = pathlib.Path(self.folder.name) / "form.html"
            ask = ASK.replace("ADDRESS", json.dumps(address))
            path.write_text(form.replace("</body>", ask + "</body>"), encoding="utf-8")
            explained, said = opened(path)
            self.assertEqual(said, [])
            for part in ("A100", "__global__", 'value="softmax(x, axis=1)"', 'id="roofline"'):
                self.assertIn(part, explained)
            query = "?e=softmax(x,axis%3D1)&o=x:f32[8192,4096]"
            for page, width, dark in ((form, 1280, False), (form, 400, True), (opened(address + query)[0], 1280, True),
                                      (opened(address + "?e=squrt(x)")[0], 1280, True)):
                self.assertEqual(self.problems(path, page, width, dark), [])

    def test_the_checks_can_fail(self):
        page = self.page("norm")
        text = page.read_text(encoding="utf-8")
        bad = (text.replace("pre.code a { color: var(--ink)", "pre.code a { color: #bbbbbb")
               .replace(":focus-visible { outline: 3px", ":focus { outline: 0")
               .replace("pre.code a:target { background: var(--mark); }", ""))
        bad = re.sub(r'href="#k0v\d+">(const|\s*double)', r'href="#nowhere">\1', bad, count=1)
        found = "\n".join(self.problems(page, bad))
        for problem in ("contrast 1.", "no outline", "leads nowhere", "is not marked"):
            self.assertIn(problem, found)


if __name__ == "__main__":
    if BROWSER is None:
        print("skipped: there is no Chromium")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])

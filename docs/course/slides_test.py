#!/usr/bin/env python3
"""The slides have what the chapters have, load nothing, and fit their pages: a browser prints one page per slide."""
import html.parser
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import slides

BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser",
                                                 "google-chrome"))), None)
VOID = {"meta", "br", "img", "link"}


class Reader(html.parser.HTMLParser):
    """The tags in their order, and the text outside of code."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text, self.faults = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        if not {"code", "style"} & set(self.open):
            self.text.append(data)


class Slides(unittest.TestCase):
    def each(self):
        for path in slides.chapters():
            text = path.read_text(encoding="utf-8")
            yield path, text, slides.deck(text)

    def test_sections_pictures_and_summary_are_there(self):
        for _, text, deck in self.each():
            for heading in re.findall(r"^## (.*)$", text, re.M):
                self.assertIn(f"<h2>{slides.inline(heading)}</h2>", deck)
            for path in re.findall(r"^!\[.*?\]\((.*?)\)", text, re.M):
                self.assertIn((slides.COURSE / path).read_text(encoding="utf-8"), deck)
            summary = re.search(r"^## Summary\n(.*?)^## ", text, re.S | re.M)[1]
            for item in slides.items(summary.strip().split("\n")):
                self.assertIn(f"<li>{slides.inline(item)}</li>", deck)

    def test_it_is_html_that_loads_nothing(self):
        for _, _, deck in self.each():
            read = Reader(deck)
            self.assertEqual((read.open, read.faults), ([], []))
            self.assertNotIn("script", {tag for tag, _ in read.tags})
            for tag, attributes in read.tags:
                self.assertFalse({"src", "srcset"} & set(attributes) or tag == "link", (tag, attributes))
            for mark in ("**", "```", "<!--", "](", "| ---"):
                self.assertNotIn(mark, "".join(read.text))

    @unittest.skipUnless(BROWSER, "there is no Chromium here")
    def test_each_slide_fits_its_page(self):
        with tempfile.TemporaryDirectory() as folder:
            for path, _, deck in self.each():
                page, printed = pathlib.Path(folder, f"{path.stem}.html"), pathlib.Path(folder, f"{path.stem}.pdf")
                page.write_text(deck, encoding="utf-8")
                subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu",
                                f"--user-data-dir={folder}/profile", f"--print-to-pdf={printed}", page.as_uri()],
                               check=True, capture_output=True, timeout=100)
                self.assertEqual(len(re.findall(rb"/Type /Page\n", printed.read_bytes())), deck.count("<section>"))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Checks pages of the built site in Chromium, light and dark: contrast, and that nothing is wider than the window.

    site_test.py SITE    prints PAGE: the problem; exits 1 when there is one, 77 where there is no browser
"""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CHECKS = pathlib.Path(__file__).resolve().parent.parent / "tests/tools/page_checks.js"
PAGES = ["index", "install", "kernel", "from_numpy", "course/4_reductions", "reference/index",
         "reference/names/softmax"]


def problems(browser, page, dark):
    """What the script finds in a page; it is written beside the page, whose style sheets it loads."""
    text = page.read_text(encoding="utf-8")
    # The theme's own controls are not checked, only what the pages have written.
    script = f"<script>window.text_alone = true;\n{CHECKS.read_text(encoding='utf-8')}</script></body>"
    staged = page.with_suffix(".check.html")
    staged.write_text(text.replace("</body>", script), encoding="utf-8")
    try:
        with tempfile.TemporaryDirectory() as profile:
            document = subprocess.run(
                [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", f"--user-data-dir={profile}",
                 f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--window-size=1280,900",
                 "--virtual-time-budget=20000", staged.as_uri()],
                capture_output=True, text=True, timeout=120, check=True).stdout
    finally:
        staged.unlink()
    found = re.search(r'<p id="found">(.*?)</p>', document)
    return json.loads(html.unescape(found[1])) if found else ["the checks did not run to their end"]


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    browser = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser",
                                                     "google-chrome"))), None)
    if browser is None:
        sys.exit(77)
    failures = 0
    for name in PAGES:
        for dark in (False, True):
            for problem in problems(browser, site / f"{name}.html", dark):
                print(f"{name}, {'dark' if dark else 'light'}: {problem}")
                failures += 1
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks pages of the site in Chromium, light and dark: contrast, and that nothing is wider than the window.

    site_test.py SITE          checks what is built there
    site_test.py --build SITE  builds it there first, without a warning

Prints PAGE: the problem; exits 1 when there is one, 77 where there is no MkDocs or no browser.
"""
import concurrent.futures
import html
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKS = ROOT / "tests/tools/page_checks.js"
# Those that are also checked in the dark, one of each kind; a page per public name looks like every other.
IN_THE_DARK = {"index", "install", "kernel", "from_numpy", "course/4_reductions", "course/10_attention",
               "reference/index", "reference/names/softmax"}


def build(site):
    """The site, as ./dev docs builds it; exits at a warning, since mkdocs.yml is strict."""
    if importlib.util.find_spec("mkdocs") is None:
        print("MkDocs is not installed here")
        sys.exit(77)
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", site], cwd=ROOT,
                          env=dict(os.environ, NO_MKDOCS_2_WARNING="1"))
    if done.returncode != 0:
        sys.exit(1)


def problems(browser, page, dark):
    """What the script finds in a page; it is written beside the page, whose style sheets it loads."""
    text = page.read_text(encoding="utf-8")
    # The theme's own controls are not checked, only what the pages have written.
    script = f"<script>window.text_alone = true;\n{CHECKS.read_text(encoding='utf-8')}</script></body>"
    staged = page.with_suffix(".dark.check.html" if dark else ".check.html")
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


def pages_of(site):
    """(name, dark) of each page that is checked."""
    names = {path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")}
    light = {n for n in names if not n.startswith("reference/names/") and n != "404"} | IN_THE_DARK
    return sorted([(name, False) for name in light] + [(name, True) for name in IN_THE_DARK])


def main():
    site = pathlib.Path(sys.argv[-1]).resolve()
    if "--build" in sys.argv:
        build(site)
    browser = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser",
                                                     "google-chrome"))), None)
    if browser is None:
        print("There is no browser here")
        sys.exit(77)
    pages = pages_of(site)
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda page: problems(browser, site / f"{page[0]}.html", page[1]), pages)
        for (name, dark), all_problems in zip(pages, found):
            for problem in all_problems:
                print(f"{name}, {'dark' if dark else 'light'}: {problem}")
                failures += 1
    print(f"{len(pages)} pages, {failures} problems")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

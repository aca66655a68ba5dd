#!/usr/bin/env python3
"""Renders the pictures of docs/explain.md with Chromium: explain_pictures.py SINTER_EXPLAIN

    python3 docs/explain_pictures.py build/quick/tools/sinter-explain
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "explain"
# file: (expression and operands, the picture's height, the link to follow, CSS that hides what does not belong in the
# picture: content below its height must not be scrolled to)
PICTURES = {
    "norm": (("sqrt(sum(x*x, axis=2))", "x:f64[1000,100,1000]"), 1180, "", ""),
    "softmax": (("softmax(x, axis=1)", "x:f32[8192,4096]"), 900, "k0v8",
                "header, section:not([aria-labelledby=kernel0]), [aria-label='Pictures of the schedule'] "
                "{ display: none; } pre.code { height: 400px; overflow: hidden; } body { padding-bottom: 0; }"),
    "layer_norm": (("layer_norm(x, axis=1) * w + b", "x:f32[16384,4096]", "w:f32[4096]", "b:f32[4096]"), 1040, "",
                   "header, section[aria-labelledby=expression], section[aria-labelledby=kernel0] { display: none; }"),
}


def take(program, browser, name, folder):
    arguments, height, marked, style = PICTURES[name]
    page = folder / f"{name}.html"
    subprocess.run([program, *arguments, "--arch", "sm_90", "--html", page], check=True)
    staged = f"<style>{style}</style>"
    if marked:
        staged += f'<script>location.hash = "{marked}"; document.activeElement.blur(); scrollTo(0, 0);</script>'
    page.write_text(page.read_text(encoding="utf-8") + staged, encoding="utf-8")
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    f"--user-data-dir={folder / 'profile'}", f"--window-size=1280,{height}",
                    f"--screenshot={FOLDER / name}.png", page.as_uri()], check=True, capture_output=True)


def main():
    browser = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser",
                                                     "google-chrome"))), None)
    if len(sys.argv) != 2 or browser is None:
        sys.exit(__doc__ if browser else "there is no Chromium: apt-get install chromium")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in PICTURES:
            take(sys.argv[1], browser, name, pathlib.Path(folder))
            print(f"{FOLDER / name}.png")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Renders the pictures of docs/explain.md with Chromium: explain_pictures.py [--check] SINTER_EXPLAIN

    python3 docs/explain_pictures.py build/quick/tools/sinter-explain

With --check it compares them with those that are there, and exits with 1 where they differ in more than a few pixels,
with 77 where there is no Chromium or other fonts.
"""
import base64
import html
import json
import pathlib
import re
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


FONTS = {"sans-serif": "DejaVuSans.ttf", "monospace": "DejaVuSansMono.ttf"}  # those of the pictures that are there
MOST_DIFFERENT = 0.002  # of all pixels: Chromium's versions draw edges differently
# Counts the pixels of two pictures that are not alike.
COMPARE = """<canvas></canvas><p id="found"></p><img src="data:image/png;base64,%s"><img src="data:image/png;base64,%s">
<script>
addEventListener("load", () => {
    const canvas = document.querySelector("canvas");
    const [a, b] = [...document.images].map(image => {
        [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, canvas.width, canvas.height).data;
    });
    let different = a.length === b.length ? 0 : a.length;
    for (let i = 0; i < a.length && a.length === b.length; i += 4)
        if ([0, 1, 2].some(c => Math.abs(a[i + c] - b[i + c]) > 64)) ++different;
    document.querySelector("#found").textContent = JSON.stringify(different / (a.length / 4));
});
</script>"""


def run(browser, folder, *arguments):
    return subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                           f"--user-data-dir={folder / 'profile'}", *arguments], check=True, capture_output=True,
                          text=True, timeout=120).stdout


def take(program, browser, name, folder, into):
    arguments, height, marked, style = PICTURES[name]
    page = folder / f"{name}.html"
    subprocess.run([program, *arguments, "--arch", "sm_90", "--html", page], check=True)
    staged = f"<style>{style}</style>"
    if marked:
        staged += f'<script>location.hash = "{marked}"; document.activeElement.blur(); scrollTo(0, 0);</script>'
    page.write_text(page.read_text(encoding="utf-8") + staged, encoding="utf-8")
    run(browser, folder, f"--window-size=1280,{height}", f"--screenshot={into / name}.png", page.as_uri())


def difference(browser, name, folder):
    """The share of pixels in which a new picture differs from the one that is there."""
    both = [base64.b64encode(path.read_bytes()).decode() for path in (FOLDER / f"{name}.png", folder / f"{name}.png")]
    page = folder / "compare.html"
    page.write_text(COMPARE % tuple(both), encoding="utf-8")
    document = run(browser, folder, "--virtual-time-budget=20000", "--dump-dom", page.as_uri())
    return json.loads(html.unescape(re.search(r'<p id="found">(.*?)</p>', document)[1]))


def has_fonts():
    if shutil.which("fc-match") is None:
        return False
    return all(subprocess.run(["fc-match", family], capture_output=True, text=True).stdout.startswith(file)
               for family, file in FONTS.items())


def main():
    browser = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser",
                                                     "google-chrome"))), None)
    check = "--check" in sys.argv
    if check and (browser is None or not has_fonts()):
        print("There is no Chromium here, or other fonts than those of the pictures")
        sys.exit(77)
    if browser is None:
        sys.exit("there is no Chromium: apt-get install chromium")
    FOLDER.mkdir(exist_ok=True)
    stale = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name in PICTURES:
            take(sys.argv[-1], browser, name, folder, folder if check else FOLDER)
            share = difference(browser, name, folder) if check else 0
            print(f"{FOLDER / name}.png" + (f": {share:.2%} of its pixels differ" if check else ""))
            if share > MOST_DIFFERENT:
                stale.append(name)
    if stale:
        sys.exit(f"{', '.join(stale)}: the pictures show something else than today's pages; this script without "
                 "--check renews them")


if __name__ == "__main__":
    main()

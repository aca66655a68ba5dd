#!/usr/bin/env python3
"""Slides of the course, made from its chapters: slides.py FOLDER [CHAPTER ...]

Writes a file per chapter, which a browser shows and prints, one slide per page. It is HTML without scripts that loads
nothing. The slides of a section have the first sentence of each
paragraph and those in bold, and its lists, tables, pictures and short code. The whole text is below them, as the
speaker's notes, which are not printed.
"""
import html
import pathlib
import re
import sys

COURSE = pathlib.Path(__file__).resolve().parent
LONGEST = 26  # lines of code that fit a slide
STYLE = """
@page { size: 254mm 143mm; margin: 0 }
body { margin: 0; font: 20px/1.35 system-ui, sans-serif; color: #1a202c; background: #e2e8f0 }
section { box-sizing: border-box; width: 254mm; height: 142.5mm }
section { padding: 9mm 12mm; margin: 6mm auto; background: #fff }
h1 { font-size: 38px; margin: 26mm 0 6mm } h2 { font-size: 27px; margin: 0 0 4mm; color: #2b5c94 }
p, ul, ol { margin: 0 0 3mm } li { margin-bottom: 1.5mm } em { font-style: italic }
pre { margin: 0; background: #f4f6fa; padding: 3mm; border-radius: 4px }
code { font-family: ui-monospace, monospace; font-size: 0.88em }
table { border-collapse: collapse; font-size: 0.8em }
td, th { border: 1px solid #cbd5e0; padding: 1mm 2mm; text-align: left }
svg { display: block; margin: auto; max-width: 100%; height: auto; max-height: 96mm }
details { width: 254mm; margin: 0 auto; font-size: 15px } .small { font-size: 16px }
@media print { body { background: #fff } details { display: none } section { margin: 0; break-after: page } }
"""


def inline(text):
    """A line of Markdown as HTML."""
    codes = []

    def kept(match):
        codes.append(f"<code>{html.escape(match[1])}</code>")
        return f"\0{len(codes) - 1}\0"

    text = html.escape(re.sub(r"`([^`]+)`", kept, re.sub(r"<!--.*?-->", "", text)), quote=False)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"\*(.+?)\*", r"<em>\1</em>", text)
    return re.sub("\0(\\d+)\0", lambda match: codes[int(match[1])], text)


def blocks(text):
    """(kind, lines) of each block: code, table, list, picture, heading, quote, text."""
    text = re.sub(r"^[ \t]*<!-- .*? -->\n", "", text, flags=re.M)
    for match in re.finditer(r"^```\w*\n(.*?)^```$|((?:^(?!```)[^\n]+\n?)+)", text, re.S | re.M):
        if match[2] is None:
            yield "code", match[1].rstrip("\n").split("\n")
            continue
        lines = match[2].rstrip("\n").split("\n")
        first = lines[0]
        kind = ("heading" if first.startswith("#") else "table" if first.startswith("|") else
                "picture" if first.startswith("![") else "quote" if first.startswith("> ") else
                "list" if re.match(r"(- |\d+\. )", first) else "text")
        yield kind, lines


def items(lines):
    """The items of a list, each as one line."""
    made = []
    for line in lines:
        if re.match(r"(- |\d+\. )", line):
            made.append(re.sub(r"^(- |\d+\. )", "", line))
        else:
            made[-1] += " " + line.strip()
    return made


def sentences(text):
    """The first sentence, and those in bold."""
    first = re.match(r".*?[.:?](?=\s|$)", text, re.S)
    bold = re.findall(r"\*\*[^*]+[.?]\*\*", text)
    return [first[0] if first else text] + [b for b in bold if not first or b not in first[0]]


def table(lines):
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]
    cells = ["".join(f"<{tag}>{inline(cell)}</{tag}>" for cell in row)
             for tag, row in [("th", rows[0]), *(("td", row) for row in rows[2:])]]
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def picture(line):
    says, path = re.match(r"!\[(.*?)\]\((.*?)\)", line).groups()
    return (COURSE / path).read_text(encoding="utf-8"), f"<p class='small'>{inline(says)}</p>"


def code(lines):
    """Code in a size in which it fits; nothing where that could not be read."""
    if len(lines) > LONGEST:
        return None
    size = min(19, int(440 / (len(lines) * 1.35)), int(1400 / max(map(len, lines + [""]), default=1)))
    return f"<pre style='font-size: {max(size, 9)}px'><code>{html.escape(chr(10).join(lines))}</code></pre>"


def section(heading, body):
    return f"<section>\n<h2>{inline(heading)}</h2>\n{body}\n</section>\n"


def slides_of(heading, parts):
    """The slides of one section, and its text as notes."""
    text = [" ".join(lines) for kind, lines in parts if kind == "text"]
    points, made = [], []
    for kind, lines in parts:
        if kind == "text":
            points += sentences(" ".join(lines))
        elif kind == "quote":
            points.append(" ".join(line.lstrip("> ") for line in lines))
        elif kind == "list":
            made.append(section(heading, list_of(items(lines), lines[0][0].isdigit())))
        elif kind == "table":
            made.append(section(heading, table(lines)))
        elif kind == "picture":
            made.append(section(heading, "".join(picture(lines[0]))))
        elif kind == "code" and (shown := code(lines)):
            made.append(section(heading, shown))
    if points:
        made.insert(0, section(heading, list_of(points[:7], False)))
    notes = "".join(f"<p>{inline(paragraph)}</p>" for paragraph in text)
    return "".join(made) + (f"<details><summary>Notes: {inline(heading)}</summary>{notes}</details>\n" if notes else "")


def list_of(points, numbered):
    tag, long = "ol" if numbered else "ul", sum(map(len, points)) > 900
    return f"<{tag}{' class=small' if long else ''}>" + "".join(f"<li>{inline(p)}</li>" for p in points) + f"</{tag}>"


def deck(text):
    """A chapter's slides as one HTML page."""
    parts = list(blocks(text))
    title = parts[0][1][0].lstrip("# ")
    aims = [part for part in parts if part[0] == "text" and part[1][0].startswith("*") and part[1][-1].endswith("*")]
    opening = "".join(f"<p>{inline(' '.join(lines))}</p>" for _, lines in aims)
    made, heading, current = [f"<section>\n<h1>{inline(title)}</h1>\n{opening}\n</section>\n"], title, []
    for kind, lines in parts[1:] + [("heading", [""])]:
        if kind == "heading":
            made.append(slides_of(heading, current))
            heading, current = lines[0].lstrip("# "), []
        elif (kind, lines) not in aims:
            current.append((kind, lines))
    return (f"<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n<title>{html.escape(title)}</title>\n"
            f"<style>{STYLE}</style>\n</head>\n<body>\n{''.join(made)}</body>\n</html>\n")


def chapters():
    return sorted(COURSE.glob("[0-9]*.md"), key=lambda path: int(path.name.split("_")[0]))


def main(folder, *names):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for path in chapters():
        if not names or path.stem in names:
            (folder / f"{path.stem}.html").write_text(deck(path.read_text(encoding="utf-8")), encoding="utf-8")
            print(folder / f"{path.stem}.html")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])

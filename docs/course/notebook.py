#!/usr/bin/env python3
"""The lab sheet, docs/course/lab.md, as a Jupyter notebook: notebook.py FILE

Python blocks become code cells, all else text. The format is nbformat 4.5's (https://nbformat.readthedocs.io).
"""
import json
import pathlib
import re
import sys

SHEET = pathlib.Path(__file__).resolve().parent / "lab.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n^```text\n(.*?)^```\n)?", re.S | re.M)


def code_cells(text):
    """(code, what it prints) of each cell, in order."""
    return [(match[1].rstrip("\n"), match[2] or "") for match in BLOCK.finditer(text)]


def cells(text):
    """(kind, text) of each cell."""
    end = 0
    for match in BLOCK.finditer(text):
        yield "markdown", text[end:match.start()].strip()
        yield "code", match[1].rstrip("\n")
        end = match.end()
    yield "markdown", text[end:].strip()


def notebook(text):
    made = []
    for number, (kind, source) in enumerate(cells(text)):
        cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": source.splitlines(keepends=True)}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        made.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    page = notebook(SHEET.read_text(encoding="utf-8"))
    pathlib.Path(sys.argv[1]).write_text(json.dumps(page, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

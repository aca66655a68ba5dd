#!/usr/bin/env python3
"""Runs the lab sheet's cells, whose output must be what the page shows: lab_test.py SINTER_EXPLAIN

SINTER_UPDATE_GOLDEN=1 writes it into the page. With nbclient installed, Jupyter runs the notebook, too.
"""
import contextlib
import io
import json
import os
import pathlib
import sys
import unittest

import notebook

PROGRAM = pathlib.Path(sys.argv[1]).resolve()


class Lab(unittest.TestCase):
    def setUp(self):
        self.text = notebook.SHEET.read_text(encoding="utf-8")
        os.environ["SINTER_EXPLAIN"] = str(PROGRAM)

    def printed(self):
        """What each cell prints; they share their names, as in a notebook."""
        names = {"__name__": "lab"}
        for code, _ in notebook.code_cells(self.text):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(code, "lab.md", "exec"), names)
            yield out.getvalue()

    def test_cells_print_what_the_page_shows(self):
        printed = list(self.printed())
        if os.environ.get("SINTER_UPDATE_GOLDEN"):
            left = iter(printed)
            notebook.SHEET.write_text(notebook.BLOCK.sub(
                lambda match: f"```python\n{match[1]}```\n\n```text\n{next(left)}```\n", self.text), encoding="utf-8")
            return
        self.assertEqual(printed, [shown for _, shown in notebook.code_cells(self.text)])

    def test_the_notebook_has_the_page(self):
        made = notebook.notebook(self.text)
        self.assertEqual((made["nbformat"], made["nbformat_minor"]), (4, 5))
        codes = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
        self.assertEqual(codes, [code for code, _ in notebook.code_cells(self.text)])
        self.assertGreater(len(codes), 4)
        words = "\n".join("".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "markdown")
        for line in self.text.splitlines():
            if line.startswith(("#", "*Question")):
                self.assertIn(line, words)
        with contextlib.suppress(ImportError):
            import nbclient
            import nbformat

            page = nbformat.reads(json.dumps(made), as_version=4)
            nbformat.validate(page)
            nbclient.NotebookClient(page, timeout=200).execute()
            printed = ["".join(out["text"] for out in cell.outputs) for cell in page.cells if cell.cell_type == "code"]
            self.assertEqual(printed, [shown for _, shown in notebook.code_cells(self.text)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

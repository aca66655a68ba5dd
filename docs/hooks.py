"""MkDocs hooks for the site. Each public name gets a page (docs/name_pages.py). Links to files outside docs/, which
exist in the repository but not on the site, become plain text; a broken link is an error."""
import logging
import pathlib
import re
import sys

from mkdocs.structure.files import File

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import catalog  # noqa: E402
import name_pages  # noqa: E402

log = logging.getLogger("mkdocs.hooks")
ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((\.\./[^)#\s]*)(?:#[^)\s]*)?\)")


def on_files(files, config):
    for one in catalog.items().values():
        files.append(File.generated(config, f"reference/names/{one.slug}.md", content=name_pages.page(one)))
    return files


def on_page_markdown(markdown, page, **_):
    if page.file.src_uri == "reference/index.md":
        markdown = name_pages.on_site(markdown)
    folder = (ROOT / "docs" / page.file.src_uri).parent

    def text_of(link):
        target = (folder / link[2]).resolve()
        if target.is_relative_to(ROOT / "docs"):
            return link[0]
        if not target.exists():
            log.warning(f"{page.file.src_uri} links to {link[2]}, which is not in the repository")
        return link[1] if link[1].startswith("`") else f"`{link[1]}`"

    return LINK.sub(text_of, markdown)

"""What MkDocs does besides for the site: links to files outside docs/, which a reader of the repository follows and the
site does not have, become their text; one that leads nowhere is an error."""
import logging
import pathlib
import re

log = logging.getLogger("mkdocs.hooks")
ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((\.\./[^)#\s]*)(?:#[^)\s]*)?\)")


def on_page_markdown(markdown, page, **_):
    folder = (ROOT / "docs" / page.file.src_uri).parent

    def text_of(link):
        target = (folder / link[2]).resolve()
        if target.is_relative_to(ROOT / "docs"):
            return link[0]
        if not target.exists():
            log.warning(f"{page.file.src_uri} links to {link[2]}, which is not in the repository")
        return link[1] if link[1].startswith("`") else f"`{link[1]}`"

    return LINK.sub(text_of, markdown)

"""The site's navigation, read from the index (docs/README.md), and its links into the repository; a hook of mkdocs."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#]+)(#[^)]*)?\)")


def on_config(config: Any) -> Any:
    """Each heading of the index is a section; its pages come in the order of the links."""
    index = Path(config.docs_dir, "README.md").read_text(encoding="utf-8")
    head, *sections = re.split(r"^## ", index, flags=re.MULTILINE)
    nav: list[Any] = ["README.md", *_pages(head)]
    seen = set(nav)
    for section in sections:
        pages = [page for page in dict.fromkeys(_pages(section)) if page not in seen]
        seen.update(pages)
        nav.append({section.partition("\n")[0]: pages})
    config.nav = nav
    return config


def _pages(text: str) -> list[str]:
    return [
        found[2]
        for found in _LINK.finditer(text)
        if found[2].endswith(".md") and not found[2].startswith("..")
    ]


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """A link by the name of a page gets its title. Links to files outside of docs/ become text: the site does not have them."""

    def inside(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), found[2]))
        if target.startswith(".."):
            return found[1]
        if not found[1].endswith(".md"):
            return found[0]
        title = Path(config.docs_dir, target).read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
        return f"[{title}]({found[2]}{found[3] or ''})"

    return _LINK.sub(inside, markdown)

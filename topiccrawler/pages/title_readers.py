"""The title readers by name (`TOPIC_TITLE_READER`): each gives a page's title from its HTML and its parse."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from topiccrawler.pages.document import Document
from topiccrawler.pages.skyreach_title import skyreach_title
from topiccrawler.pages.title import title_of

TITLE_TAG, SKYREACH = "title_tag", "skyreach"


def _by_tag(_: str, document: Document) -> str:
    return title_of(document)


def _by_look(html: str, document: Document) -> str:
    """SkyReach's; where no line is marked, by the <title> element."""
    return skyreach_title(html) or title_of(document)


TITLE_READERS: Mapping[str, Callable[[str, Document], str]] = {
    TITLE_TAG: _by_tag,
    SKYREACH: _by_look,
}

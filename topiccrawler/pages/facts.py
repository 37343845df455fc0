"""What a page says of itself besides title and text: day, language, keywords, description, author."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from topiccrawler.pages.date import published
from topiccrawler.pages.document import Document
from topiccrawler.pages.language import language_of

LONGEST_FACT = 1_000  # characters


@dataclass(frozen=True, slots=True)
class Facts:
    """Each empty when the page does not say."""

    published: str = ""  # YYYY-MM-DD
    language: str = ""  # zh-Hans, zh-Hant, ja, en …; und
    keywords: str = ""
    description: str = ""
    author: str = ""
    canonical: str = ""  # as written: the caller makes it absolute


def facts_of(document: Document, main_text: str, url: str, today: date | None = None) -> Facts:
    """The facts of one page; `main_text` may be empty."""
    metas = document.metas
    return Facts(
        published=published(document, url, today),
        language=language_of(main_text or document.text, document.lang or metas.get("og:locale", "")),
        keywords=_tidy(metas.get("keywords", "")),
        description=_tidy(metas.get("description") or metas.get("og:description", "")),
        author=_tidy(metas.get("author") or metas.get("article:author", "")),
        canonical=document.canonical_href or metas.get("og:url", ""),
    )


def words_about(document: Document) -> Facts:
    """Keywords and description alone, which page classifiers read: cheap."""
    metas = document.metas
    about = metas.get("description") or metas.get("og:description", "")
    return Facts(keywords=_tidy(metas.get("keywords", "")), description=_tidy(about))


def _tidy(text: str) -> str:
    return " ".join(text[: 2 * LONGEST_FACT].split())[:LONGEST_FACT]

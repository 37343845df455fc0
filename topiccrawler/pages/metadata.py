"""Metadata of a page: what it declares, and a summary for a topic.

`Facts` are what a page says of itself besides title and text: days (pages.days), authors (pages.authors), language (pages.languages), keywords, description.

`http_time` reads the date in an HTTP header.

`Summariser` chooses the best sentences of a page for a topic, and keeps their order. The first sentences of an article are often a place
and a date. So the sentences with most topic words are chosen; among equals the earlier ones win.
Formula    value(s) = Σ_k w_k · (1 - 2^-n_k) / (1 + length / TYPICAL_LENGTH) · (1 + LEAD / (1 + place)), n_k = times keyword k
           occurs in s, w_k its weight in the topic; the best are chosen within MOST_CHARACTERS, and put in text order.
Parameters MOST_CHARACTERS 200 (one sentence may be longer), TYPICAL_LENGTH 60, LEAD 0.5 (by reading the summaries of a few pages).
Cost       one regular expression over the folded text: 0.1 ms for 2,000 characters.
But        keywords are found as characters, not as segmented words: a summary need not be exact, and segmenting the text
           again would cost more. Without any keyword the opening is the summary.
Reference  sentence extraction (Luhn 1958), with the topic's words in place of the frequent ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date
from email.utils import parsedate_to_datetime
from itertools import islice

from topiccrawler.pages.declarations import declarations_of
from topiccrawler.pages.document import Document
from topiccrawler.pages.languages import language_of
from topiccrawler.pages.licence import licence_of
from topiccrawler.text.segmenter import fold


def http_time(header: str) -> float | None:
    """The date in an HTTP header in seconds since the epoch, None for an invalid one. HTTP dates are in UTC, also without a zone."""
    try:
        moment = parsedate_to_datetime(header)
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, OSError):
        return None


LONGEST_FACT = 1_000  # characters


@dataclass(frozen=True, slots=True)
class Facts:
    """What a page declares or shows of itself. A field is empty when the page does not say."""

    published: str = ""  # YYYY-MM-DD
    modified: str = ""  # YYYY-MM-DD
    language: str = ""  # zh-Hans, zh-Hant, ja, en …; und
    keywords: str = ""
    description: str = ""
    author: str = ""
    canonical: str = ""  # the canonical URL, absolute if it can be resolved
    licence: str = ""  # with its evidence (pages.licence)


def facts_of(
    document: Document,
    main_text: str,
    url: str,
    title: str = "",
    today: date | None = None,
    *,
    is_list: bool = False,
) -> Facts:
    """The facts of one page; `main_text` may be empty. `today`: the day it was fetched, by default the current one, UTC. `is_list`: it is
    no article, so that the days in it may be those of other pages."""
    # with the first page kept: their patterns take 20 ms to compile, and few short crawls keep a page
    from topiccrawler.pages.authors import author_of
    from topiccrawler.pages.days import days_of

    metas = document.metas
    declared = declarations_of(document)
    days = days_of(document, declared, title, url, today, is_list=is_list)
    return Facts(
        published=days.published,
        modified=days.modified,
        language=language_of(main_text or document.text, declared_language(document)),
        keywords=_tidy(metas.get("keywords", "")),
        description=_tidy(metas.get("description") or metas.get("og:description", "")),
        author=author_of(document, declared),
        canonical=document.absolute(document.canonical_href or metas.get("og:url", ""), url),
        licence=licence_of(document, declared, url),
    )


def declared_language(document: Document) -> str:
    """The language that a page declares, as written; "" where it declares none."""
    return document.lang or document.metas.get("og:locale", "")


def words_about(document: Document) -> Facts:
    """Only keywords and description, which page classifiers read. Cheaper than `facts_of`."""
    metas = document.metas
    about = metas.get("description") or metas.get("og:description", "")
    return Facts(keywords=_tidy(metas.get("keywords", "")), description=_tidy(about))


def _tidy(text: str) -> str:
    return " ".join(text[: 2 * LONGEST_FACT].split())[:LONGEST_FACT]


MOST_CHARACTERS = 200
TYPICAL_LENGTH = 60
LEAD = 0.5
MOST_SENTENCES = 300
MOST_KEYWORDS = 150  # those of largest weight: a summary does not need all
SHORTEST = 6  # characters of a sentence; a shorter one is a label
_SENTENCE = re.compile(r"[^。！？!?\n]+(?:[。！？!?]+[”’」』）)]*)?")
GAP = "……"


class Summariser:
    """Makes summaries for one topic, of whose keywords it has the weights."""

    def __init__(self, keywords: Mapping[str, float]) -> None:
        self._weights: dict[str, float] = {}
        for keyword, weight in keywords.items():
            if fold(keyword).strip():
                self._weights[fold(keyword)] = max(weight, self._weights.get(fold(keyword), 0.0))
        weightiest = sorted(self._weights, key=lambda word: (-self._weights[word], word))[:MOST_KEYWORDS]
        # Longest keyword first. One branch for each first character, because most characters of a text begin no keyword.
        branches: dict[str, list[str]] = {}
        for word in sorted(weightiest, key=lambda word: (-len(word), word)):
            branches.setdefault(word[0], []).append(re.escape(word[1:]))
        pattern = "|".join(f"{re.escape(first)}(?:{'|'.join(rests)})" for first, rests in branches.items())
        self._pattern = re.compile(pattern) if pattern else None

    def summary(self, text: str) -> str:
        """The best sentences of a text, at most MOST_CHARACTERS besides the gaps; "" for a text without sentences."""
        text = text[: MOST_SENTENCES * TYPICAL_LENGTH]
        folded = fold(text)  # folding keeps offsets
        sentences, values = [], []
        for found in islice(_SENTENCE.finditer(text), MOST_SENTENCES):
            if len(sentence := found[0].strip()) >= SHORTEST:
                sentences.append(sentence)
                values.append(self._value(folded, *found.span(), len(sentences) - 1))
        order = sorted(range(len(sentences)), key=lambda place: (-values[place], place))
        chosen: list[int] = []
        room = MOST_CHARACTERS
        for place in order:
            if chosen and (
                len(sentences[place]) > room or (values[place] == 0.0 and values[chosen[0]] > 0.0)
            ):
                continue
            chosen.append(place)
            room -= len(sentences[place])
        return _set(sentences, sorted(chosen))

    def _value(self, folded: str, start: int, end: int, place: int) -> float:
        keywords = self._pattern.findall(folded, start, end) if self._pattern is not None else []
        if not keywords:
            return 0.0
        weight = sum(self._weights[word] * (1 - 0.5**count) for word, count in Counter(keywords).items())
        return weight / (1 + (end - start) / TYPICAL_LENGTH) * (1 + LEAD / (1 + place))


def _set(sentences: list[str], chosen: list[int]) -> str:
    pieces: list[str] = []
    before = -1
    for place in chosen:
        if pieces and place != before + 1:
            pieces.append(GAP)
        pieces.append(sentences[place])
        before = place
    joined = "".join(pieces)
    return joined if len(joined) <= 2 * MOST_CHARACTERS else joined[:MOST_CHARACTERS] + GAP

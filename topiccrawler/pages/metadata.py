"""Metadata of a page: what it declares, its language, and a summary for a topic.

`Facts` are what a page says of itself besides title and text: days (pages.days), authors (pages.authors), language, keywords, description.

`language_of` finds the language of a text, as a short tag: zh-Hans, zh-Hant, ja, ko, ru, en … or und. `lang` attributes are often wrong
("en" on Chinese pages). So the characters decide between scripts, and the declaration only among languages that share one.
Formula    shares among the letters of a sample of SAMPLE_CHARACTERS: kana > .05 -> ja; hangul > .3 -> ko; Han > .15 -> zh,
           Hant when more than .06 of its Han characters have a simplified form, else Hans; Cyrillic > .5 -> ru, or the Cyrillic
           language declared; Latin > .5 -> the language declared, unless that is en and the function words are
           another's (text.languages); without one, that of the function words; else en when common English words occur in it; else und.
Parameters by trial on sentences (tests/pages/test_language.py).

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

import numpy as np

from topiccrawler.pages.declarations import declarations_of
from topiccrawler.pages.document import Document
from topiccrawler.text.characters import script_counts
from topiccrawler.text.languages import language_by_words
from topiccrawler.text.segmenter import fold
from topiccrawler.urls.redirect_targets import redirect_target


def http_time(header: str) -> float | None:
    """The date in an HTTP header in seconds since the epoch, None for an invalid one. HTTP dates are in UTC, also without a zone."""
    try:
        moment = parsedate_to_datetime(header)
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, OSError):
        return None


SAMPLE_CHARACTERS = 1_000
LEAST_LETTERS = 10
UNKNOWN = "und"
_HAN = re.compile(r"[㐀-䶿一-鿿]+")
_TAG = re.compile(r"^[a-z]{2,3}$")
_ENGLISH = re.compile(
    r"\b(?:the|and|of|to|in|for|with|is|on|by|from|our|your|you|we|are|at)\b", re.IGNORECASE
)
_CYRILLIC = frozenset({"ru", "uk", "bg", "sr", "mk", "be", "kk", "mn"})
_NOT_LATIN = frozenset({"zh", "ja", "ko", "ar", "he", "th", "el", "und"}) | _CYRILLIC


def language_of(text: str, declared: str = "") -> str:
    """The language tag of a text, "und" when unknown. `declared`: the language that the page declares (`<html lang>`)."""
    sample = text[:SAMPLE_CHARACTERS]
    counts = script_counts(sample)
    # Count words, not letters: a Latin or Cyrillic word has some five letters, a Han or Hangul word two.
    counts["latin"] = counts["latin"] * 2 // 5
    counts["cyrillic"] = counts["cyrillic"] * 2 // 5
    letters = sum(counts.values())
    tag = declared.strip().lower().replace("_", "-").partition("-")[0]
    tag = tag if _TAG.match(tag) else ""
    if sample.count("\ufffd") * 50 > len(sample):
        return UNKNOWN  # the bytes were not text
    if letters < LEAST_LETTERS:
        return tag if tag and tag != "zh" else UNKNOWN
    share = {name: count / letters for name, count in counts.items()}
    if share["kana"] > 0.05:
        return "ja"
    if share["hangul"] > 0.3:
        return "ko"
    if share["han"] > 0.15:
        return "zh-Hant" if _is_traditional(sample) else "zh-Hans"
    return _alphabetic(sample, tag, share)


def _alphabetic(sample: str, tag: str, share: dict[str, float]) -> str:
    """The language of a text in Latin or Cyrillic letters. `tag`: the declared one; `share`: share of the letters by script."""
    if share["cyrillic"] > 0.5:
        found = "" if tag in _CYRILLIC else language_by_words(sample)
        return tag if tag in _CYRILLIC else found if found in _CYRILLIC else "ru"
    if share["latin"] <= 0.5:
        return UNKNOWN
    is_declared = tag and tag not in _NOT_LATIN
    if is_declared and tag != "en":  # "en" is what templates declare
        return tag
    if (found := language_by_words(sample)) or is_declared:
        return found or tag
    is_english = len(_ENGLISH.findall(sample)) * 12 >= len(sample.split())
    return "en" if is_english else UNKNOWN


def _is_traditional(sample: str) -> bool:
    han = "".join(_HAN.findall(sample))
    folded = fold(han)
    if folded == han:
        return False
    written, simplified = (np.frombuffer(text.encode("utf-32-le"), dtype="<u4") for text in (han, folded))
    return bool(np.count_nonzero(written != simplified) > 0.06 * len(han))


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
        canonical=_absolute(document, document.canonical_href or metas.get("og:url", ""), url),
    )


def _absolute(document: Document, written: str, url: str) -> str:
    base = redirect_target(url, document.base_href) if document.base_href else None
    return (redirect_target(base or url, written) or written) if written else ""


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

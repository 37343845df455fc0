"""The features of a link: three sets of words, one for each field.

Scoring has 4 µs a link, and the addresses and menus of one portal say nothing about the next site. So features are plain
words in three fields, each with a table of its own; how much a field counts is a number of the model.

    anchor    words of the anchor text (of the title attribute when there is none)
    context   words of the text on both sides
    url       Latin words of the host (without its last label) and of the first directory; Han words of the whole path

Group 1 of the paper is the field `anchor`. Group 2 is `anchor` + `context`, each with the flag LEXICON when a word of
the topic's dictionary stands in it. `url` is ours.

In an anchor a lexicon word that the tokenizer cuts is matched over neighbouring words ("上市" + "公司"); in a context,
where neighbours may belong to two links, it is not.
But: words with digits are no features: 15 and 2013 learned from one site mislead on the next. So do the directories
    below the first, and the query.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote

from topiccrawler.model import Link
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.text.tokenise import is_whole

FEATURES = "link-words-4"  # stands in every model; goes up with any change below
FIELDS = ("anchor", "context", "url")
GROUP_2 = ("anchor", "context")
LEXICON = "@lexicon"

_LINK = "\0"  # stands for the link itself, between the text before it and the text after it
_LONGEST_URL = 300
_LATIN = re.compile(r"(?<![a-z])[a-z]{2,12}(?![a-z])")
_NO_HAN = re.compile(r"[^一-鿿]+")
_ESCAPE = re.compile(r"%[0-9a-f]{2}")
_CHANNEL = re.compile(r"https?://([^/?#]*)\.[^./?#]*/?(?:([^/?#]*)/)?")
_SAY_NOTHING = frozenset({"http", "https", "www", "com", "cn", "net", "org", "gov", "edu"}) | frozenset(
    {"html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "do"}
    | {"index", "default", "list", "detail", "doc", "id", "page"}
)


class LinkWords(NamedTuple):
    """The words of one link, with repeats, in their order."""

    anchor: Sequence[str]
    context: Sequence[str]
    url: Sequence[str]


def words_of_links(links: Sequence[Link], segmenter: Segmenter) -> list[LinkWords]:
    """The words of all links of a page; two calls of the segmenter at most."""
    anchors = [anchor_of(link) for link in links]
    contexts = ["|".join(context_pieces(context_of(link))) for link in links]
    addresses = words_of_addresses([link.url for link in links], segmenter)
    found = segmenter.words_of([*anchors, *contexts])
    count = len(links)
    return [LinkWords(*fields) for fields in zip(found[:count], found[count:], addresses, strict=True)]


def anchor_of(link: Link) -> str:
    """The link's own text: its anchor, else its title."""
    return link.anchor or link.title


def context_of(link: Link) -> str:
    """The text on both sides as one."""
    return f"{link.before}|{_LINK}|{link.after}"


def context_pieces(context: str) -> list[str]:
    """The text on both sides, piece by piece, without what the window's edges cut in two if there are others."""
    pieces = context.split("|")
    before = pieces.index(_LINK)
    after = len(pieces) - before - 1
    if after > 2 or (after == 2 and pieces[-2]):
        del pieces[-1]
    del pieces[before]
    if before > 2 or (before == 2 and pieces[1]):
        del pieces[0]
    return pieces


def channel_of(url: str) -> str:
    """As much of an address as its words come from: host and first directory, or all of it where it may hold Han."""
    if "%" in url or not url.isascii():
        return url
    parts = url.split("/", 4)
    return f"{parts[0]}//{parts[2]}/{parts[3]}/" if len(parts) > 4 else url


def words_of_addresses(urls: Sequence[str], segmenter: Segmenter) -> list[list[str]]:
    """What the field `url` holds."""
    of_paths = segmenter.words_of([han_path(url) for url in urls])
    return [[*channel_words(url), *han] for url, han in zip(urls, of_paths, strict=True)]


def url_words(url: str) -> list[str]:
    """Latin words of the whole address without its query."""
    address = url[:_LONGEST_URL].lower().partition("?")[0]
    if "%" in address:
        address = _ESCAPE.sub(" ", address)
    return [word for word in _LATIN.findall(address) if word not in _SAY_NOTHING]


def channel_words(url: str) -> list[str]:
    """Latin words of host and first directory: the part of an address whose words carry over to other sites."""
    found = _CHANNEL.match(url[:_LONGEST_URL].lower())
    if not found:
        return []
    host, directory = found.groups()
    if directory and "%" in directory:
        directory = _ESCAPE.sub(" ", directory)
    address = f"{host} {directory}" if directory else host
    return [word for word in _LATIN.findall(address) if word not in _SAY_NOTHING]


def han_path(url: str) -> str:
    """The Han words of a whole path, unescaped, between blanks; empty where there are none."""
    if "%" not in url and url.isascii():
        return ""
    return _NO_HAN.sub(" ", unquote(url[:_LONGEST_URL]))


class Lexicon:
    """A topic's dictionary, matched over words and over neighbouring words."""

    def __init__(self, entries: Iterable[str], segmenter: Segmenter = PLAIN) -> None:
        self.entries = tuple(sorted({entry.strip() for entry in entries if entry.strip()}))
        single, pairs = set(), set()
        for entry, parts in zip(self.entries, segmenter.words_of(self.entries), strict=True):
            if not is_whole(entry, parts):
                continue
            if len(parts) == 1:
                single.add(parts[0])
            elif len(parts) == 2:
                pairs.add((parts[0], parts[1]))
        self._single, self._pairs = frozenset(single), frozenset(pairs)
        self._begin = self._single | {first for first, _ in pairs}

    def __bool__(self) -> bool:
        return bool(self._begin)

    def among(self, words: Sequence[str]) -> bool:
        """Is one of the words an entry, as the tokenizer cuts it?"""
        return not self._single.isdisjoint(words)

    def in_words(self, words: Sequence[str]) -> bool:
        """Does an entry stand in them, whole or cut in two?"""
        if self._begin.isdisjoint(words):
            return False
        return not self._single.isdisjoint(words) or not self._pairs.isdisjoint(pairwise(words))


def fields(words: LinkWords, lexicon: Lexicon) -> dict[str, set[str]]:
    """The features of a link by field, for training: words without digits, and the lexicon flags."""
    found = {name: {word for word in words[place] if word.isalpha()} for place, name in enumerate(FIELDS)}
    if lexicon.in_words(words.anchor):
        found["anchor"].add(LEXICON)
    if lexicon.among(words.context):
        found["context"].add(LEXICON)
    return found

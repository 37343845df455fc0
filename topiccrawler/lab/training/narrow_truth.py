"""Reads which pages of a labelled web are about a narrow topic: from their titles, first headings and declared tags, and a reader's answers.

A page is on the topic when the topic's expression matches one of these texts, less what the site writes on very many of its pages. An answer
(URL -> 0 or 1) takes precedence. The truth is a lower bound: a page need not say in its title what it is about.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser
from w3lib.encoding import http_content_type_encoding

from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.lab.recorded_web import CONTENT, RecordedPages, label_rows
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.text.characters import decode

SEEDS = {"blogs": "http://daohang.example/", "portal": "http://www.sina.com.cn/"}
BOILERPLATE_SHARE, BOILERPLATE_PAGES = 0.3, 5  # of a host: what more of its pages say is about the site
MOST_CHARACTERS = 400  # of a title, heading or list of tags
_BETWEEN = re.compile(r"\s*[|\-–—_·«»/,，、:：]\s*")


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of a user's own."""

    name: str
    web: str  # folder of its web
    words: str  # what the user types
    match: str  # expression that tells pages about it

    @property
    def keywords(self) -> str:
        """As `-a keywords=` takes them."""
        return ",".join(self.words.split())


@dataclass(frozen=True, slots=True)
class LabelledWeb:
    """A recorded web with what its pages say of themselves."""

    paths: tuple[Path, ...]
    pages: RecordedPages
    seeds: tuple[str, ...]
    kinds: Mapping[int, str]  # of the labelled pages
    texts: Mapping[int, tuple[str, ...]]  # title, first heading, tags; less what the site writes everywhere

    def about(self, topic: Topic, judged: Mapping[str, int]) -> frozenset[int]:
        """The labelled pages on the topic; `judged`: URL -> 0 or 1."""
        matches = re.compile(topic.match, re.IGNORECASE).search
        found = {page for page, texts in self.texts.items() if any(map(matches, texts))}
        for url, answer in judged.items():
            page = self.pages.number_of_any(url)
            if page is not None and page in self.kinds:
                found = found | {page} if answer else found - {page}
        return frozenset(found)


def read_topics(path: Path, part: Sequence[str] = ()) -> list[Topic]:
    """The topics of a file, or those of them that are named."""
    found = {name: Topic(name, **fields) for name, fields in read_json(path).items()}
    if missing := [name for name in part if name not in found]:
        raise ArgumentError(f"--part {','.join(missing)}", f"not in {path}", f"there are {', '.join(found)}")
    return [found[name] for name in part or found]


def read_json(path: Path) -> dict[str, Any]:
    with file_faults(ArgumentError, str(path), "cannot be read as JSON", "name another file"):
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def read_web(folder: Path) -> LabelledWeb:
    """Read the titles and tags of all labelled pages."""
    paths = tuple(sorted(folder.glob("*.warc*")))
    pages = RecordedPages(RecordedWeb(paths))
    kinds: dict[int, str] = {}
    for row in label_rows(folder / "labels.tsv"):
        page = pages.number_of_any(row[0])
        if page is not None and len(row) > 3:
            kinds[page] = row[3]
    texts = {page: texts_of(pages, page, kind) for page, kind in kinds.items()}
    return LabelledWeb(paths, pages, seeds_of(folder), kinds, without_boilerplate(texts, pages.hosts))


def seeds_of(folder: Path) -> tuple[str, ...]:
    """Where crawls of a web begin."""
    file = folder / "seeds.tsv"
    found = [row[1] for row in label_rows(file) if row[0] == "all"] if file.exists() else []
    found = found or [SEEDS[name] for name in [folder.name] if name in SEEDS]
    if not found:
        raise ArgumentError(str(folder), "has no seeds", "write lines all TAB url to its seeds.tsv")
    return tuple(found)


def texts_of(pages: RecordedPages, page: int, kind: str) -> tuple[str, ...]:
    """Title, first heading and declared tags of a page. Keywords are those of a page only where it is one text."""
    recorded = pages.web.response(pages.recorded[page])
    if recorded is None:
        return ()
    tree = LexborHTMLParser(decode(recorded.body, http_content_type_encoding(recorded.content_type))[0])
    tags = [node.text() for node in tree.css("a[rel~=tag]")]
    declared = [*tree.css("meta[property='article:tag']")]
    if kind == CONTENT:
        declared += tree.css("meta[name=keywords i]")
    tags += [node.attributes.get("content") or "" for node in declared]
    firsts = [node.text() if (node := tree.css_first(name)) is not None else "" for name in ("title", "h1")]
    return tuple(" ".join(text.split())[:MOST_CHARACTERS] for text in (*firsts, " / ".join(tags)))


def without_boilerplate(
    texts: Mapping[int, tuple[str, ...]], hosts: Sequence[str]
) -> dict[int, tuple[str, ...]]:
    """The texts without the parts that very many pages of their host have."""
    pages_of = Counter(hosts[page] for page in texts)
    having = Counter(
        (hosts[page], part) for page, of_page in texts.items() for part in parts_of(" / ".join(of_page))
    )
    most = {host: max(BOILERPLATE_PAGES, BOILERPLATE_SHARE * count) for host, count in pages_of.items()}

    def cut(host: str, text: str) -> str:
        return " - ".join(part for part in _BETWEEN.split(text) if having[host, part] <= most[host])

    return {page: tuple(cut(hosts[page], text) for text in of_page) for page, of_page in texts.items()}


def parts_of(text: str) -> set[str]:
    """What stands between separators."""
    return set(_BETWEEN.split(text))

"""Reads seeds: the URLs where a crawl begins, and URLs of pages known to be off topic.

Seeds come from a text, from URLs in one argument, or from the topic (files: seeding.seed_files). A wrong one is reported before the
first request. A line that begins with `-` is a labelled negative: `link_model` learns from it, and it is never fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from topiccrawler.errors import SeedsError, shortened
from topiccrawler.patterns import lazy_pattern
from topiccrawler.resources import folder
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import canonical, has_known_suffix, host_of

CLASS_NAME = "clc-"  # prefix of the name of a library class's topic, before the code


@dataclass(frozen=True, slots=True)
class Seeds:
    """URLs to begin with, and URLs labelled as off topic; each once, in the order of the source."""

    positive: list[str]
    negative: list[str]


def seeds_of_addresses(source: str) -> Seeds:
    """The seeds in a string of URLs or hosts (`are_hosts`), separated by commas or blanks; SeedsError for a wrong one."""
    return _checked(((f"seed {number}", part) for number, part in _pieces(source)), "seeds")


def seeds_of_text(text: str, what: str) -> Seeds:
    """The seeds in a text of one URL a line, with comments behind `#`. `what` names the text in the SeedsError for a wrong one."""
    seeds = (re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip() for line in text.splitlines())
    return _checked(((f"{what} line {number}", seed) for number, seed in enumerate(seeds, 1) if seed), what)


def seeds_of_topic(topic: Topic) -> Seeds:
    """The seeds of a topic itself, else of the shipped list of its name; SeedsError when there is neither."""
    if topic.seeds:
        return _checked(
            ((f"seeds of topic {topic.display_name}", one) for one in topic.seeds),
            f"topic {topic.display_name}",
        )
    listed = folder("seeds").joinpath(f"{topic.name}.txt")
    if not listed.is_file():
        remedy = "give seeds=FILE or seeds=URL,URL, add seeds to the topic file, or have some proposed by scrapy seeds"
        if topic.name.startswith(CLASS_NAME):
            code = topic.name.removeprefix(CLASS_NAME).upper()
            remedy = (
                f"type -a seeds=URL,URL or -a seeds=FILE; scrapy seeds clc:{code} --out FILE proposes some"
            )
        raise SeedsError(f"topic {topic.display_name}", "has no seeds", remedy)
    return seeds_of_text(listed.read_text(encoding="utf-8"), f"seeds/{topic.name}.txt")


def are_hosts(source: str) -> bool:
    """Whether a string names hosts, `www.example.cn` or `www.example.cn/news`, separated by commas or blanks, rather than a file."""
    pieces = [piece for piece in _SEPARATORS.split(source) if piece]
    return bool(pieces) and all(_is_host(piece.removeprefix("-")) for piece in pieces)


_SEPARATORS = lazy_pattern(r"[,;，；\s]+")
_ADDRESS = re.compile(r"https?://[^\s/]\S*", re.IGNORECASE)
_HOST = lazy_pattern(r"[^\s/?#@:\\]+(?::\d{1,5})?(?:[/?#]\S*)?")  # without a scheme


def _is_host(text: str) -> bool:
    url = canonical(f"http://{text}") if _HOST.fullmatch(text) else None
    return url is not None and has_known_suffix(host_of(url))


def _pieces(source: str) -> Iterable[tuple[int, str]]:
    # A URL may contain a comma; only a comma before the next URL separates.
    if "://" not in source:
        return enumerate(filter(None, _SEPARATORS.split(source)), 1)
    parts = re.split(r"(?i)[,;，；]?\s+|[,;，；](?=-?[a-z][a-z0-9+.-]*://)|[,;，；]+$", source.strip())
    return enumerate(filter(None, parts), 1)


def _checked(rows: Iterable[tuple[str, str]], what: str) -> Seeds:
    positive: dict[str, None] = {}
    negative: dict[str, None] = {}
    for place, seed in rows:
        target = negative if seed.startswith("-") else positive
        target[_address(place, seed.removeprefix("-").strip())] = None
    if not positive:
        raise SeedsError(what, "holds no seed to begin with", "give one http(s) address a line")
    return Seeds(list(positive), list(negative))


def _address(place: str, seed: str) -> str:
    written = f"http://{seed}" if "://" not in seed and _is_host(seed) else seed
    url = canonical(written) if _ADDRESS.fullmatch(written) else None
    if url is None:
        fault = f"{shortened(seed, 100)} is no http(s) address"
        raise SeedsError(place, fault, "write it as http://host/path")
    return url

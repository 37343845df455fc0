"""Decides which responses of a crawl are no pages: by the page itself (pages.challenge_signs) and by what its host answers for other URLs.

A challenge is not the fault of its URL: the URL is fetched again when its host is ready, MOST_TRIES times in all. A text that says that
something is not there is a soft 404 from the SAME_TEXTS-th URL of the host on that gets it. A text with too few signs of a challenge is one
from the SAME_CHALLENGES-th URL on. Shorter memories than a crawl's suffice for all of this, so they are bounded and not stored.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from topiccrawler.messages import Message
from topiccrawler.pages.challenge_signs import (
    CHALLENGE,
    LOGIN_WALL,
    SOFT_404,
    UNKNOWN,
    Challenge,
    Signs,
    challenge_of,
)
from topiccrawler.urls.canonical import host_of

MOST_TRIES = 3  # challenges in place of one URL; then it is given up
SAME_TEXTS = 5  # URLs of a host with one text
SAME_CHALLENGES = 3
MOST_REMEMBERED = 20_000  # texts, URLs
MOST_SITES = 5  # listed in the summary
_LINES = {
    CHALLENGE: "{count} pages of {host} were challenges ({names})",
    LOGIN_WALL: "{count} pages of {host} were login walls",
    SOFT_404: "{count} pages of {host} were soft 404s",
}

Key = TypeVar("Key")
Value = TypeVar("Value")


class _Latest(OrderedDict[Key, Value], Generic[Key, Value]):
    """A mapping that forgets the entries that were set first."""

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        while len(self) > MOST_REMEMBERED:
            self.popitem(last=False)


class Challenges:
    """The responses of one run that are no pages."""

    def __init__(self) -> None:
        self.by_host: dict[str, Counter[str]] = {}  # host -> number of responses by reason
        self._texts: _Latest[tuple[str, int], frozenset[str]] = _Latest()  # the first URLs with a text
        self._tries: _Latest[str, int] = _Latest()
        self._led_to: _Latest[str, Challenge] = _Latest()

    def of(self, signs: Signs | None, url: str, headers: Iterable[tuple[str, str]] = ()) -> Challenge | None:
        """What a response is, if it is no page. `headers`: lower-case names and values; those in challenge_signs.verdict_headers count."""
        if signs is None:
            return None
        if (found := challenge_of(signs, headers)) is not None or not (signs.is_gone or signs.is_suspect):
            return found
        key = host_of(url), signs.text
        urls = self._texts.get(key, frozenset())
        if len(urls) < SAME_TEXTS:
            self._texts[key] = urls = urls | {url}
        if signs.is_suspect and len(urls) >= SAME_CHALLENGES:
            return Challenge(CHALLENGE, UNKNOWN, ("repeated",))
        if signs.is_gone and len(urls) >= SAME_TEXTS:
            return Challenge(SOFT_404, "", ("repeated",))
        return None

    def count(self, url: str, challenge: Challenge) -> None:
        """Count a response that is no page, for the summary."""
        self.by_host.setdefault(host_of(url), Counter())[challenge.reason] += 1

    def is_tried_again(self, url: str, led_to: Iterable[str], challenge: Challenge) -> bool:
        """Count a challenge in place of a URL; return whether the URL is to be fetched again. `led_to`: the URLs it redirected to."""
        for target in led_to:
            self._led_to[target] = challenge
        self._tries[url] = tries = self._tries.get(url, 0) + 1
        if tries < MOST_TRIES:
            return True
        del self._tries[url]
        return False

    def behind(self, target: str) -> Challenge | None:
        """The challenge to which a URL was found to lead before; None for any other URL."""
        return self._led_to.get(target)

    def lines(self) -> list[str]:
        """Lines for the end of the run: how many responses of a site were no pages, the sites with most of them first."""
        return list(_lines(self.by_host))


def _lines(by_host: Mapping[str, Counter[str]]) -> Iterator[str]:
    hosts = sorted(by_host, key=lambda host: (-by_host[host].total(), host))
    for host in hosts[:MOST_SITES]:
        kinds: dict[str, list[str]] = {}
        for reason, _ in by_host[host].most_common():
            kind, _, name = reason.partition(": ")
            kinds.setdefault(kind, []).append(name)
        for kind, names in kinds.items():
            count = sum(number for reason, number in by_host[host].items() if reason.startswith(kind))
            yield Message(_LINES[kind], count=count, host=host, names=", ".join(names))
    if rest := hosts[MOST_SITES:]:
        count = sum(by_host[host].total() for host in rest)
        yield Message(
            "{count} pages of {sites} more sites were challenges, login walls or soft 404s",
            count=count,
            sites=len(rest),
        )

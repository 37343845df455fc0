"""What a user has blocked while the crawl runs: URLs by pattern, and whole sites. Kept in a note of the queue, so it outlives a restart.

A pattern matches a whole URL; `*` stands for any characters, all else for itself. Without a `*` it means the URLs that begin with it.
A site is a host with all its subdomains.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.base import Notes
from topiccrawler.frontier.exchange import Exchange
from topiccrawler.model import Link
from topiccrawler.urls.canonical import host_of

logger = logging.getLogger(__name__)

NOTE = "blocks"
LONGEST = 2000  # characters


@dataclass(frozen=True, slots=True)
class Block:
    """One of the two is given. ArgumentError for none, both, or what would match everything."""

    pattern: str = ""
    site: str = ""

    def __post_init__(self) -> None:
        if bool(self.pattern) == bool(self.site) or len(self.text) > LONGEST:
            raise ArgumentError(
                "block", "needs a URL pattern or a site", "block 'http://host/path/*' or block --site HOST"
            )
        if self.pattern and not self.pattern.strip("*"):
            raise ArgumentError(f"block {self.pattern}", "matches everything", "use stop to end the crawl")
        if self.site and (set(self.site) & set("/:*? ") or self.site != self.site.lower()):
            raise ArgumentError(
                f"block --site {self.site}", "is no host", "write it as news.example.com, in small letters"
            )

    @property
    def text(self) -> str:
        """As the user gave it."""
        return self.pattern or self.site

    @property
    def reason(self) -> str:
        """For the URLs that it drops."""
        return f"blocked: {self.text}"

    def matches(self, url: str) -> bool:
        """Whether a URL is blocked; O(length), whatever the pattern."""
        if self.site:
            host = host_of(url).partition(":")[0]
            return host == self.site or host.endswith(f".{self.site}")
        first, *rest = self.pattern.split("*")
        if not url.startswith(first):
            return False
        if not rest:
            return True
        place, last = len(first), rest.pop()
        for part in rest:
            found = url.find(part, place)
            if found < 0:
                return False
            place = found + len(part)
        return len(url) - place >= len(last) and url.endswith(last)


class Blocks:
    """Of one crawl; with an `exchange` what one process is told to block counts for all."""

    def __init__(self, notes: Notes, exchange: Exchange | None = None) -> None:
        self._notes, self._exchange = notes, exchange
        self._heard = 0  # announcements
        try:
            kept = json.loads(notes.get(NOTE) or "[]")
            self._blocks = [Block(**block) for block in kept]
        except (ValueError, TypeError, ArgumentError) as error:
            raise StateError("the job's blocks", f"are damaged ({error})", "choose another JOBDIR") from None

    def add(self, block: Block) -> None:
        """From now on."""
        if self._keep(block) and self._exchange is not None:
            self._exchange.announce(json.dumps({NOTE: asdict(block)}, ensure_ascii=False))

    def reason(self, url: str) -> str | None:
        """Why a URL is blocked; None when it is not."""
        self._hear()
        return next((block.reason for block in self._blocks if block.matches(url)), None)

    def admitted(self, links: Sequence[Link]) -> Sequence[Link]:
        """Those links that are not blocked."""
        self._hear()
        return [link for link in links if self.reason(link.url) is None] if self._blocks else links

    def _keep(self, block: Block) -> bool:
        """False when it was there."""
        if block in self._blocks:
            return False
        self._blocks.append(block)
        self._notes.put(NOTE, json.dumps([asdict(one) for one in self._blocks], ensure_ascii=False))
        return True

    def _hear(self) -> None:
        """What other processes were told."""
        if self._exchange is None or self._heard == len(self._exchange.announced):
            return
        new = self._exchange.announced[self._heard :]
        self._heard += len(new)
        for text in new:
            try:
                block = Block(**json.loads(text)[NOTE])
            except (ValueError, TypeError, KeyError, ArgumentError) as error:
                logger.warning("A block that another process told of is damaged (%s): passed over", error)
                continue
            if self._keep(block):
                logger.info("Another process was told to block %s", block.text)

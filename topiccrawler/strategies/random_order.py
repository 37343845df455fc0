"""Random order: the result of a crawl that uses no information."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Knowledge, Strategy


@dataclass
class RandomOrder(Strategy):
    """Fetch queued links in an order that is random, but the same for the same seed.

    Idea: the lower bound of a comparison: a strategy must do better than chance.
    Formula: score = BLAKE2b(seed, URL) / 2^64, in 0..1.
    Parameters: none; the seed is the crawl's (setting TOPIC_SEED, default 0).
    Reads: the URL as a number.
    Cost: O(links) a page, no refresh, no state.
    But: a link met again keeps its number, so a URL with many links is no likelier than one with few.
    Reference: a baseline (Cho, Garcia-Molina & Page 1998).
    """

    name: ClassVar[str] = "random_order"
    share_names: ClassVar[tuple[str, ...]] = ("draw",)
    _key: bytes = field(default=b"0", init=False, repr=False)

    def prepare(self, knowledge: Knowledge) -> None:
        self._key = str(knowledge.seed).encode()[:64]

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        return [Score(link.url, self._draw(link.url)) for link in links]

    def _draw(self, url: str) -> float:
        digest = hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8, key=self._key).digest()
        return int.from_bytes(digest, "big") / 2**64

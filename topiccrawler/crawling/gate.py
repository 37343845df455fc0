"""Which links are queued at all, and the last look at them before they are fetched.

The conflict: most of a queue is never fetched, but a crawl that only follows good links never finds what lies behind a poor one;
and what was right when a link was queued may be wrong by now. So the gate keeps out only what the link model holds hopeless (its
threshold keeps 98 % of relevant links that the model had not seen), looks again before a link is fetched, by what is known
*then*, and now and then lets a poor link through as a tunnel step, the same ones each time the crawl is run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from topiccrawler.crawling.site_listings import LISTING
from topiccrawler.model import Link
from topiccrawler.strategies.base import LinkScorer
from topiccrawler.text.odds import logistic

REFUSED = "below link threshold"
OPEN = "the gate stands open"
SEED = "a seed"
OF_SITE = "a listing of a site with relevant pages"


@dataclass(frozen=True, slots=True)
class GateDecision:
    """What the gate says of one link."""

    passed: bool
    tunnel: int = 0  # tunnel steps in a row, this one included, when it is let through
    probability: float | None = None  # P(+|link); None when the gate stands open and did not look
    reason: str = ""  # why


@dataclass(slots=True)
class LinkGate:
    """Refuses links whose probability lies under the threshold.

    `threshold`: 0..1, 0 = open; a running crawl may be given another one. `tunnel_probability`: 0..1, share of poor links that get a second chance.
    `tunnel_depth`: how many second chances in a row a path may use.
    A URL's hash decides about its second chance, so that a run repeats. Source: SkyReach §2.3.4, MySpider §2.4.
    """

    scorer: LinkScorer | None = None
    threshold: float = 0.0
    tunnel_probability: float = 0.0
    tunnel_depth: int = 0

    def decide(self, link: Link, tunnel: int = 0) -> GateDecision:
        """Look at a link; `tunnel` = tunnel steps in a row that led to the page it stands on."""
        if link.kind == LISTING:
            return GateDecision(True, reason=OF_SITE)
        if self.threshold <= 0.0 or self.scorer is None or not link.source_url:
            return GateDecision(True, reason=SEED if not link.source_url else OPEN)
        return self._decided(link, self.scorer.log_odds([link])[0], tunnel)

    def passing(self, links: Sequence[Link], tunnel: int = 0) -> Sequence[Link]:
        """Those links of a page that are to be queued."""
        if self.threshold <= 0.0 or self.scorer is None or not links:
            return links
        odds = self.scorer.log_odds(links)
        return [
            link
            for link, of_link in zip(links, odds, strict=True)
            if not link.source_url or self._decided(link, of_link, tunnel).passed
        ]

    def _decided(self, link: Link, log_odds: float, tunnel: int) -> GateDecision:
        probability = logistic(log_odds)
        if probability >= self.threshold:
            return GateDecision(True, 0, probability, f"at or above the threshold {self.threshold:g}")
        if tunnel < self.tunnel_depth and _share(link.url) < self.tunnel_probability:
            return GateDecision(True, tunnel + 1, probability, f"second chance, tunnel step {tunnel + 1}")
        return GateDecision(False, 0, probability, REFUSED)


OPEN_GATE = LinkGate()


def _share(url: str) -> float:
    """A number in 0..1 that depends on the URL alone."""
    return (
        int.from_bytes(hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        / 2**64
    )

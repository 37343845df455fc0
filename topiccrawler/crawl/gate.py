"""The last look at a link before it is fetched.

The conflict: a score was right when the link was queued, but classifier, topic or threshold may have changed since;
and a crawl that only follows good links never finds what lies behind a poor one. So the gate decides by what is
known *now*, and now and then lets a poor link through as a tunnel step, the same ones each time the crawl is run.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from topiccrawler.model import Link
from topiccrawler.strategies.base import LinkScorer
from topiccrawler.text.odds import logistic

REFUSED = "below link threshold"
OPEN = "the gate stands open"
SEED = "a seed"


@dataclass(frozen=True, slots=True)
class GateDecision:
    """What the gate says of one link."""

    passed: bool
    tunnel: int = 0  # tunnel steps in a row, this one included, when it is let through
    probability: float | None = None  # P(+|link); None when the gate stands open and did not look
    reason: str = ""  # why


@dataclass(frozen=True, slots=True)
class LinkGate:
    """Refuses links whose probability lies under the threshold.

    `threshold`: 0..1, 0 = open. `tunnel_probability`: 0..1, share of poor links that get a second chance.
    `tunnel_depth`: how many second chances in a row a path may use.
    A URL's hash decides about its second chance, so that a run repeats. Source: SkyReach §2.3.4, MySpider §2.4.
    """

    scorer: LinkScorer | None = None
    threshold: float = 0.0
    tunnel_probability: float = 0.0
    tunnel_depth: int = 0

    def decide(self, link: Link, tunnel: int = 0) -> GateDecision:
        """Look at a link; `tunnel` = tunnel steps in a row that led to the page it stands on."""
        if self.threshold <= 0.0 or self.scorer is None or not link.source_url:
            return GateDecision(True, reason=SEED if not link.source_url else OPEN)
        probability = logistic(self.scorer.log_odds([link])[0])
        if probability >= self.threshold:
            return GateDecision(True, 0, probability, f"at or above the threshold {self.threshold:g}")
        if tunnel < self.tunnel_depth and _share(link.url) < self.tunnel_probability:
            return GateDecision(True, tunnel + 1, probability, f"second chance, tunnel step {tunnel + 1}")
        return GateDecision(False, 0, probability, REFUSED)


def _share(url: str) -> float:
    """A number in 0..1 that depends on the URL alone."""
    return (
        int.from_bytes(hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        / 2**64
    )

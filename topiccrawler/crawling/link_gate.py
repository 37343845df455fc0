"""Drops links that probably lead to irrelevant pages.

The conflict: most of a queue is never fetched, but a crawl that only follows
good links never finds what is behind a poor one; and a decision made when a link was queued may be wrong when it is fetched. So the gate
refuses only links to which the link model gives a very low probability (its threshold admits 98 % of the relevant links in held-out data).
It decides again before a link is fetched, with the current link model, topic and threshold. It admits a few poor links as tunnel steps, the
same ones in each run.

Reference: Li, Zhao & Yu, SkyReach, 2003, §3.4, step 5; MySpider thesis (2009) §2.4.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topiccrawler.model import LISTING, Link
from topiccrawler.strategies.base import LinkScorer
from topiccrawler.strategies.link_features import probability


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision of a rule on one link."""

    passed: bool
    tunnel: int = 0  # consecutive tunnel steps, this one included; 0 = no tunnel step
    probability: float | None = None  # P(+|link); None when the gate did not score the link
    reason: str = ""  # why it passed or was refused
    postpones: bool = False  # a refused URL keeps waiting, and its host is skipped


PASSED = Decision(True)

REFUSED = "below link threshold"
OPEN = "the gate is open"
SEED = "a seed"
OF_SITE = "a listing of a site with relevant pages"
OF_TUNNEL = "the redirect of a tunnel step"


@dataclass(slots=True)
class LinkGate:
    """Refuses links whose probability is below the threshold.

    `threshold`: 0..1, 0 = open; a running crawl may change it. `tunnel_probability`: 0..1, share of poor links that get a second chance.
    `tunnel_depth`: how many consecutive second chances a path may use.
    The hash of a URL decides whether it gets a second chance, so that runs are repeatable. Source: SkyReach §2.3.4, MySpider §2.4.
    """

    scorer: LinkScorer | None = None
    threshold: float = 0.0
    tunnel_probability: float = 0.0
    tunnel_depth: int = 0

    @property
    def is_open(self) -> bool:
        """Whether it admits all links of a page."""
        return self.threshold <= 0.0 or self.scorer is None

    def decide(self, link: Link, tunnel: int = 0) -> Decision:
        """The decision on one link. `tunnel`: consecutive tunnel steps that led to the page of the link."""
        return self.decided([link], tunnel)[0]

    def decided(self, links: Sequence[Link], tunnel: int = 0) -> list[Decision]:
        """The decisions on links of one page; one call of the scorer scores them all."""
        scorer = None if self.is_open else self.scorer
        if scorer is None:
            return [_EXEMPT.get(_exempt(link), _OPEN) for link in links]
        exempt = list(map(_exempt, links))
        judged = [link for link, why in zip(links, exempt, strict=True) if not why] if any(exempt) else links
        probabilities = iter(probability(np.array(scorer.log_odds(judged))).tolist() if judged else ())
        return [
            _EXEMPT[why] if why else self._decided(link, next(probabilities), tunnel)
            for link, why in zip(links, exempt, strict=True)
        ]

    def decided_when_sent(self, link: Link, tunnel: int = 0, *, is_redirect: bool = False) -> Decision:
        """The decision on one link whose request is about to be sent. It is scored in any case, also by an open gate, but a seed is not: it
        has neither anchor nor context.

        `is_redirect`: `link` is the target of a redirect. After a tunnel step it belongs to that step and passes.
        """
        if not link.source_url or self.scorer is None:
            return _EXEMPT.get(_exempt(link), _OPEN)
        scored = float(probability(np.array(self.scorer.log_odds([link])))[0])
        if link.kind == LISTING:
            return Decision(True, probability=scored, reason=OF_SITE)
        if is_redirect and tunnel:
            return Decision(True, tunnel, scored, OF_TUNNEL)
        if self.threshold <= 0.0:
            return Decision(True, probability=scored, reason=OPEN)
        return self._decided(link, scored, tunnel)

    def best_first(self, links: Sequence[Link]) -> list[int]:
        """The positions of links of one page, the most probable first; in the order of the page without a model."""
        if self.scorer is None:
            return list(range(len(links)))
        order: list[int] = np.argsort(-np.array(self.scorer.log_odds(links)), kind="stable").tolist()
        return order

    def passing(self, links: Sequence[Link], tunnel: int = 0) -> Sequence[Link]:
        """The links that pass. `tunnel`: consecutive tunnel steps that led to their page."""
        decided = self.decided(links, tunnel)
        return [link for link, verdict in zip(links, decided, strict=True) if verdict.passed]

    def _decided(self, link: Link, probability: float, tunnel: int) -> Decision:
        if probability >= self.threshold:
            return Decision(True, 0, probability, f"at or above the threshold {self.threshold:g}")
        if tunnel < self.tunnel_depth and _share(link.url) < self.tunnel_probability:
            return Decision(True, tunnel + 1, probability, f"second chance, tunnel step {tunnel + 1}")
        return Decision(False, 0, probability, REFUSED)


_OPEN = Decision(True, reason=OPEN)
_EXEMPT = {OF_SITE: Decision(True, reason=OF_SITE), SEED: Decision(True, reason=SEED)}


def _exempt(link: Link) -> str:
    """The reason why the gate admits a link without scoring it; empty when the gate scores it."""
    return OF_SITE if link.kind == LISTING else "" if link.source_url else SEED


def _share(url: str) -> float:
    """A pseudo-random number in 0..1 that depends on the URL alone."""
    return int.from_bytes(hashlib.blake2b(url.encode(), digest_size=8).digest(), "big") / 2**64

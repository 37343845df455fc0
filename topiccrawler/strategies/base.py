"""Defines the interface of a strategy: `visit`, called once for each page, and an optional `refresh` every so many pages.

Strategies need very different inputs (none, the parent page, link text, the whole graph), but the caller does not know
which strategy it drives. The caller follows these rules for all of them:

- a score from `visit` can only raise the score of a queued URL (the maximum counts); a score from `refresh` replaces it;
- a link without a score is not queued;
- seeds are the out-links of a virtual root page (`ROOT_URL`, similarity 1, depth -1);
- a page whose fetch failed is never passed to `visit`, because it has no links and no label; `ended` reports that its URL has left
  the queue.

`packed` stores the shares of which a score is the sum. They are queued with the score, because the weights may have changed by the time
`scrapy explain` reads it. All shares but the last are stored as 32-bit floats; the last is the score minus the others. A single
share is not stored.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from struct import pack, unpack
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from topiccrawler.errors import StrategyError
from topiccrawler.links.columns import plain, restored
from topiccrawler.links.extract import ContextMaker
from topiccrawler.model import Link, Page, Score
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.text.thesaurus import Thesaurus, shipped
from topiccrawler.topics.topic import Breadth, Topic

Shares = list[tuple[str, float]]
"""Pairs of name and share, in the order of the strategy's `share_names`. The shares add up to the score."""


def packed(*parts: float) -> bytes:
    """Return the shares of one score as bytes. The last share is not passed: it is the score minus the others."""
    return pack(f"<{len(parts)}f", *parts)


def unpacked(shares: bytes, score: float, names: Sequence[str]) -> Shares:
    """Return the named shares of a score, or a single share if another strategy packed them."""
    if len(shares) != 4 * (len(names) - 1):
        return [(SCORE, score)]
    parts = unpack(f"<{len(names) - 1}f", shares)
    return list(zip(names, [*parts, score - sum(parts)], strict=True))


Expand = Literal["all", "relevant"]
OfferedLinks = Literal["all", "waiting", "new"]
"""Which links of a page are passed to `visit`: "all"; "waiting" = links to new or queued URLs; "new" = of these, the links with an anchor
that the URL was not seen with before."""

ROOT_URL = "root:"

SEED = "seed"  # the single share of a seed's score
SCORE = "score"  # the single share of a score whose shares are not known
OF_ITS_PAGE = "score of its page"  # the single share of a link that no strategy scored (site listings)
ROOT = Page(url=ROOT_URL, depth=-1, similarity=1.0, is_target=True, relevance=1.0)


class LinkScorer(Protocol):
    """The part of a link classifier's interface that strategies use (topiccrawler.link_model.classifier.LinkClassifier)."""

    def log_odds(self, links: Sequence[Link]) -> list[float]: ...


@runtime_checkable
class Explainer(Protocol):
    """A scorer that can explain its scores."""

    def explain(self, link: Link) -> list[tuple[str, float]]: ...


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The input that a strategy gets before the crawl."""

    similarity_threshold: float = 0.5  # a page with this similarity is as likely on topic as off topic
    link_scorer: LinkScorer | None = None
    seed: int = 0
    topic: Topic | None = None
    thesaurus: Thesaurus = field(default_factory=shipped)
    off_topic: Sequence[str] = ()  # URLs known to be off topic, never fetched: seed lines that begin with "-"

    @property
    def segmenter(self) -> Segmenter:
        """The segmenter for the texts of links: the same one that segments pages."""
        return PLAIN if self.topic is None else self.topic.segmenter


@dataclass
class Strategy:
    """Base class of all strategies. Subclasses are dataclasses; their public fields are the strategy's parameters.

    A strategy is deterministic for a given `Knowledge.seed`. Its learned state can be saved and loaded during a crawl.
    """

    name: ClassVar[str]
    needs_link_scorer: ClassVar[bool] = False
    # how the texts around links are cut that it reads; None = as the link model was trained
    context: ClassVar[ContextMaker | None] = None
    prunes: ClassVar[bool] = False  # whether the link gate applies; baselines are never pruned
    # gate thresholds (0..1) by the topic's breadth, for a strategy that scores links for the gate itself (`current_scorer`);
    # {} = the link model scores links for the gate
    own_thresholds: ClassVar[Mapping[Breadth, float]] = {}
    reads_terms: ClassVar[bool] = True  # whether it reads `Page.terms`; if so, a job stores them to resume
    refresh_every: ClassVar[int] = 0  # pages; 0 = never
    # parameters that are read again at each page, so a running crawl may change them
    changeable: ClassVar[frozenset[str]] = frozenset()
    learned: ClassVar[tuple[str, ...]] = ()  # attributes with what it has learned, which `save` stores
    share_names: ClassVar[tuple[str, ...]] = (SCORE,)  # names of the shares that add up to a score
    # which pages' links are followed, as in its paper unless TOPIC_EXPAND is set: "all" (soft focus), or "relevant" those of relevant
    # pages and of seeds only (hard focus: other pages are passed to it without links)
    expand: Expand = field(default="all", init=False, repr=False)

    def prepare(self, knowledge: Knowledge) -> None:
        """Set up the strategy from what is known before the crawl. Called once, before any other method."""

    @property
    def observes(self) -> bool:
        """Whether `observe` teaches the strategy as much as `visit` does. If not, it needs each page with all its links."""
        return type(self).observe is not Strategy.observe

    @property
    def offered_links(self) -> OfferedLinks:
        """Which links of a page are passed to `visit`."""
        return "all"

    @property
    def needs_detail(self) -> bool:
        """Whether the strategy reads `Page.is_detail`, which costs time to compute."""
        return False

    @property
    def reads_sample_anchors(self) -> bool:
        """Whether its link scorer is the classifier of anchors (relevance.published), for topics that have sample anchors."""
        return False

    @property
    def current_scorer(self) -> LinkScorer | None:
        """The scorer that the link gate uses, with what was learned so far; None = the configured link model."""
        return None

    @property
    def least_score(self) -> float:
        """The lowest score that is fetched: a URL with a lower score is discarded when it is leased. Seeds are never discarded."""
        return -math.inf

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        """Return scores for the links of a page that was just read. Called once for each page."""
        raise NotImplementedError(f"{type(self).__name__}.visit")

    def ended(self, url: str) -> None:
        """Notify the strategy that a URL has left the queue: it was fetched, whether its page was visited or not, or refused on lease."""

    def refresh(self, queued: Iterable[Link]) -> Iterable[Score]:
        """Score queued links again. Called every `refresh_every` pages.

        The caller consumes one slice of the scores for each page read (crawling.checkpoints), so yield them one by one, in the order of
        the queue. Learning here must use earlier calls of `visit`, not `queued`, and must end before the first score: a
        resumed crawl repeats this call, with an empty queue if the refresh had ended.
        """
        return ()

    def shares(self, link: Link, score: float, kept: bytes) -> Shares:
        """Return the named shares that add up to the score of a queued link. `kept` is the stored `Score.shares`."""
        if len(self.share_names) > 1:
            unscored = OF_ITS_PAGE if link.source_url else SEED
            return unpacked(kept, score, self.share_names) if kept else [(unscored, score)]
        return [(self.share_names[0] if link.source_url else SEED, score)]

    def current(self, link: Link) -> Score | None:
        """Return the score that a queued link would get now, or None if its score in the queue is still valid."""
        return None

    def worth(self, value: float) -> float:
        """Map a score to 0..1, increasing with the score. A crawl with patience delays a poor URL while a host with a much better one is
        about to become ready. By default every score maps to 0, and no URL is delayed.
        """
        return 0.0

    def observation(self) -> Any:
        """Return what the last `visit` learned from its page, as JSON values. If None, page and links are stored instead until the next
        `save`. When several processes share a crawl, one process observes the pages of all; their scores are in the queue already.
        """
        return None

    def observe(self, observation: Any) -> None:
        """Learn from a value that `observation` returned, after a restart or in another process."""

    def save(self) -> Mapping[str, Any]:
        """Return the learned state as JSON values."""
        return {name: plain(getattr(self, name)) for name in self.learned}

    def load(self, state: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned. Raises ValueError, LookupError or TypeError for values that are no such state."""
        for name in self.learned:
            setattr(self, name, restored(getattr(self, name), state[name]))


def link_scorer_of(knowledge: Knowledge, strategy: str) -> LinkScorer:
    """Return the link model. Raises StrategyError, which names the command that trains one, if there is none."""
    if knowledge.link_scorer is None:
        raise StrategyError(
            f"strategy {strategy!r}", "needs a link model", "train one: scrapy train TOPIC --links FILE"
        )
    return knowledge.link_scorer


def topic_of(knowledge: Knowledge, strategy: str) -> Topic:
    """Return the topic. Raises StrategyError if there is none."""
    if knowledge.topic is None:
        raise StrategyError(
            f"strategy {strategy!r}", "needs a topic", "prepare it with Knowledge(topic=load_topic(NAME))"
        )
    return knowledge.topic


def check_range(strategy: str, key: str, value: float, low: float, high: float = math.inf) -> None:
    """Raise StrategyError for a parameter value outside low..high."""
    if not low <= value <= high:
        bounds = f"from {low:g} to {high:g}" if high < math.inf else f"of at least {low:g}"
        raise StrategyError(
            f"strategy parameter {key}={value}",
            f"{strategy} wants a number {bounds}",
            f"for example strategy_{key}={low:g}",
        )

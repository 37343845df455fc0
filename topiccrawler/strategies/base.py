"""What a strategy is: one batch call a page, one optional call every so many pages.

Strategies need very different things (nothing, the parent, link text, the whole graph), but the caller does not know
which one it drives. The caller keeps these rules, so that no strategy has a special case:

- `visit` scores only raise the score of a queued URL (the maximum counts); `refresh` scores replace it;
- a link without a score is not queued;
- seeds are the out-links of a virtual root page (`ROOT_URL`, similarity 1, depth -1);
- a page whose fetch failed is never passed to a strategy: it has no links and no label; `ended` says that its URL waits no more.

A score that is a sum of several shares is queued with them, because the weights may have changed when `scrapy explain` reads
it. `packed` stores all shares but the last as 32-bit floats; the last is the score less the others. One share is not packed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from struct import pack, unpack
from typing import Any, ClassVar, Literal, Protocol

from topiccrawler.errors import StrategyError
from topiccrawler.model import Link, Page, Score
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.text.thesaurus import Thesaurus, shipped
from topiccrawler.topics.topic import Breadth, Topic

Shares = list[tuple[str, float]]
"""Name and share, in the strategy's order; together the score."""


def packed(*parts: float) -> bytes:
    """All shares of one score but the last."""
    return pack(f"<{len(parts)}f", *parts)


def unpacked(shares: bytes, score: float, names: Sequence[str]) -> Shares:
    """The shares under their names; one share when they were packed by another version of the strategy."""
    if len(shares) != 4 * (len(names) - 1):
        return [(EARLIER, score)]
    parts = unpack(f"<{len(names) - 1}f", shares)
    return list(zip(names, [*parts, score - sum(parts)], strict=True))


Expand = Literal["all", "relevant"]
OfferedLinks = Literal["all", "waiting", "new"]
"""All links of a page; those to URLs that wait or are new; of these, those with an anchor that the URL was not seen with before."""

FORMER_HOOKS = {"taken": "observation", "take": "observe", "takes": "observes", "shown": "offered_links"}

ROOT_URL = "root:"

SEED = "seed"  # the one share of a seed's score
EARLIER = "by an earlier version"  # the one share of a score whose shares cannot be read
OF_ITS_PAGE = "score of its page"  # the one share of a link that no strategy scored (crawling.site_listings)
ROOT = Page(url=ROOT_URL, depth=-1, similarity=1.0, is_target=True, relevance=1.0)


class LinkScorer(Protocol):
    """What strategies need of a link classifier (topiccrawler.link_model.classifier.LinkClassifier)."""

    def log_odds(self, links: Sequence[Link]) -> list[float]: ...


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The input of a strategy before the crawl."""

    similarity_threshold: float = 0.5  # a page of this similarity is as likely on topic as not
    link_scorer: LinkScorer | None = None
    seed: int = 0
    topic: Topic | None = None
    thesaurus: Thesaurus = field(default_factory=shipped)
    off_topic: Sequence[str] = ()  # URLs known to be off topic, never fetched: seed lines that begin with "-"

    @property
    def segmenter(self) -> Segmenter:
        """Cuts the texts of links, as pages are cut."""
        return PLAIN if self.topic is None else self.topic.segmenter


@dataclass
class Strategy:
    """Base of every strategy. Subclasses are dataclasses; their fields are the strategy's parameters.

    Deterministic under `Knowledge.seed`; what it learns can be saved and loaded in the middle of a crawl.
    """

    name: ClassVar[str]
    needs_link_scorer: ClassVar[bool] = False
    prunes: ClassVar[bool] = False  # the link gate applies to this strategy; baselines are never pruned
    # where it scores links for the gate itself (current_scorer): 0..1 by the topic's breadth; {} = the link model does
    own_thresholds: ClassVar[Mapping[Breadth, float]] = {}
    reads_terms: ClassVar[bool] = True  # it reads page.terms, which are then kept for a resumed crawl
    refresh_every: ClassVar[int] = 0  # pages; 0 = never
    # of what `save` and `observation` return; raise it when `load` or `observe` reads a former one no more, or wrongly: a job that
    # goes on then learns again from its crawl log
    state_version: ClassVar[int] = 1
    # parameters that it reads anew at each page: a running crawl may change them
    changeable: ClassVar[frozenset[str]] = frozenset()
    share_names: ClassVar[tuple[str, ...]] = ("score",)  # what its scores add up from
    expand: ClassVar[Expand] = "all"  # whose links are followed when TOPIC_EXPAND does not say

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in FORMER_HOOKS.keys() & vars(cls).keys():
            fault = f"defines {name}, which is not called any more"
            raise StrategyError(f"strategy class {cls.__name__}", fault, f"rename it to {FORMER_HOOKS[name]}")

    def prepare(self, knowledge: Knowledge) -> None:
        """Set up from what is known before the crawl. Called once, before anything else."""

    @property
    def learns(self) -> bool:
        """Pages change its state, which is saved with the queue."""
        return type(self).save is not Strategy.save

    @property
    def observes(self) -> bool:
        """It learns as much from `observe` as from `visit`; else it needs each page with all links."""
        return type(self).observe is not Strategy.observe

    @property
    def offered_links(self) -> OfferedLinks:
        """Which links of a page are passed to `visit`."""
        return "all"

    @property
    def needs_detail(self) -> bool:
        """It reads `Page.is_detail`, which costs time to compute."""
        return False

    @property
    def current_scorer(self) -> LinkScorer | None:
        """The link model with what was learned so far, for the gate; None = the model as configured."""
        return None

    @property
    def least_score(self) -> float:
        """A link whose score in the queue is below it is discarded when its turn comes; seeds are not."""
        return -math.inf

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        """Score the links of a page just read. Called once a page."""
        raise NotImplementedError(f"{type(self).__name__}.visit")

    def ended(self, url: str) -> None:
        """A queued URL waits no more: it was fetched, with or without a page that was visited, or refused when its turn came."""

    def refresh(self, queued: Iterable[Link]) -> Iterable[Score]:
        """Score queued links again. Called once in `refresh_every` pages.

        The caller consumes the scores a slice a page (crawling.checkpoints), so yield them one by one, in the queue's order. What
        is learned here must come from earlier calls of `visit`, not from `queued`, and before the first score: a resumed crawl
        calls this again, with an empty queue for a refresh that has ended.
        """
        return ()

    def shares(self, link: Link, score: float, kept: bytes) -> Shares:
        """What the score of a queued link is made of: names and numbers that add up to it. `kept`: `Score.shares`."""
        if len(self.share_names) > 1:
            unscored = OF_ITS_PAGE if link.source_url else SEED
            return unpacked(kept, score, self.share_names) if kept else [(unscored, score)]
        return [(self.share_names[0] if link.source_url else SEED, score)]

    def current(self, link: Link) -> Score | None:
        """The score of a queued link if it were scored now; None: the score in the queue holds."""
        return None

    def worth(self, value: float) -> float:
        """How good a score is, 0..1, rising with it. With patience a poor page waits while a host with a much better URL is
        about to be ready. By default all scores are worth 0, and no page waits.
        """
        return 0.0

    def observation(self) -> Any:
        """What the last `visit` learned from its page, as JSON values. None: page and links are stored instead, until the next
        `save`. Where several processes share a crawl, one of them observes the pages of all; their scores are in the queue already.
        """
        return None

    def observe(self, observation: Any) -> None:
        """Learn from what `observation` returned, after a kill or in another process."""

    def save(self) -> Mapping[str, Any]:
        """What was learned so far, as JSON values."""
        return {}

    def load(self, state: Mapping[str, Any]) -> None:
        """Restore what `save` returned."""


def link_scorer_of(knowledge: Knowledge, strategy: str) -> LinkScorer:
    """The link model, or the error that says how to get one."""
    if knowledge.link_scorer is None:
        raise StrategyError(
            f"strategy {strategy!r}", "needs a link model", "train one: scrapy train TOPIC --links FILE"
        )
    return knowledge.link_scorer


def topic_of(knowledge: Knowledge, strategy: str) -> Topic:
    """The topic, or the error that says it is missing."""
    if knowledge.topic is None:
        raise StrategyError(
            f"strategy {strategy!r}", "needs a topic", "prepare it with Knowledge(topic=load_topic(NAME))"
        )
    return knowledge.topic


def check_range(strategy: str, key: str, value: float, low: float, high: float = math.inf) -> None:
    """Refuse a parameter outside low..high."""
    if not low <= value <= high:
        bounds = f"from {low:g} to {high:g}" if high < math.inf else f"of at least {low:g}"
        raise StrategyError(
            f"strategy parameter {key}={value}",
            f"{strategy} wants a number {bounds}",
            f"for example strategy_{key}={low:g}",
        )

"""Implements the strategies `fish_search`, `shark_search` and `relevance_weighting`, which score a link by its path or by single words.

`FishSearch` follows paths through relevant pages further than others. In `SharkSearch` a link inherits a relevance that decays
along the path. `RelevanceWeighting` scores a link by the similarity of its words to the topic's words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from topiccrawler.link_model.classifier import words_of_links
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Knowledge, LinkScorer, Strategy, check_range, packed, topic_of
from topiccrawler.strategies.features import TopicSimilarity, WordSimilarity, shown_words
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.text.weights import log_odds
from topiccrawler.topics.topic import Breadth


@dataclass
class FishSearch(Strategy):
    """Fetch the first links of relevant pages at once, then those of others; leave a path that stays poor.

    Idea: the links of a relevant page get full depth; those of an irrelevant page get one less than the page had.
    Formula: relevant page: its first a * width links score 1 + pages seen so far (newest first), with full
        depth; other page: its first width links score 0.5, with one depth less; all further links score 0,
        with the depth of their page; a link with depth 0 is not queued; all links of a slow page get depth
        0. relevant -> `Page.is_target`; depth left -> `page.via.carry`; slow -> `Page.seconds` >
        slow_seconds.
    Parameters: width 10, depth 3, a 1.5 (De Bra & Post 1994; MySpider); slow_seconds 10 (ours, no value
        given).
    Reads: whether the parent is relevant, and how long its download took; no link text.
    Cost: O(links) a page, no refresh.
    But: all seeds go to the front, whatever the width.
    Reference: De Bra et al., RIAO 1994; MySpider thesis (2009) §3.2.1.
    """

    name: ClassVar[str] = "fish_search"
    changeable = frozenset({"width", "depth", "a", "slow_seconds"})
    learned: ClassVar[tuple[str, ...]] = ("_pages",)
    share_names: ClassVar[tuple[str, ...]] = ("place in line",)
    width: int = 10
    depth: int = 3
    a: float = 1.5
    slow_seconds: float = 10.0
    _pages: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "width", self.width, 1, 1e9)
        check_range(self.name, "depth", self.depth, 1, 1e9)
        check_range(self.name, "a", self.a, 1.0, 1e9)
        check_range(self.name, "slow_seconds", self.slow_seconds, 0.0)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        if page.depth < 0:
            return [Score(link.url, 1.0, float(self.depth)) for link in links]
        self._pages += 1
        depth_left = self.depth if page.via is None else int(page.via.carry)
        if page.is_target:
            followed, value, depth_left = int(self.a * self.width), 1.0 + self._pages, self.depth
        else:
            followed, value, depth_left = self.width, 0.5, depth_left - 1
        if depth_left <= 0 or page.seconds > self.slow_seconds:
            return []
        return [
            Score(link.url, value if place < followed else 0.0, float(depth_left))
            for place, link in enumerate(links)
        ]


@dataclass
class SharkSearch(Strategy):
    """Fetch links first that are on relevant pages or on paths from these, and whose text is near the topic.

    Idea: fish search with graded instead of binary relevance. A page passes a share of its relevance on to its
        links; an irrelevant page passes on a share of what it inherited. The link's own text adds to it.
    Formula: score = gamma * inherited + (1 - gamma) * neighbourhood
        inherited = delta * sim(parent) if sim(parent) > 0 else delta * inherited(parent)
        neighbourhood = beta * anchor + (1 - beta) * (1 if anchor > 0 else context)
        sim(parent) -> `Page.similarity`; inherited(parent) -> `page.via.carry`;
        anchor, context -> similarity to the topic (strategies.features), 0..1.
    Parameters: delta 0.5, beta 0.8 (Hersovici et al. 1998); gamma 0.95 (ours; theirs is 0.8).
    Reads: the parent's relevance; anchor and context; the topic's keywords; no trained model.
    Cost: one call of the segmenter and O(words) a page, no refresh.
    But: similarity comes from this crawler's page classifier, so that links and pages are measured alike. gamma
        was chosen on a web of blogs; on a portal 0.8 is better (docs/lab.md).
    Reference: Hersovici et al., "The shark-search algorithm", WWW 1998; MySpider thesis (2009) §3.2.1.
    """

    name: ClassVar[str] = "shark_search"
    changeable = frozenset({"delta", "gamma", "beta"})
    share_names: ClassVar[tuple[str, ...]] = ("inherited", "anchor", "context")
    delta: float = 0.5
    gamma: float = 0.95
    beta: float = 0.8
    _similarity: TopicSimilarity | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        for key in ("delta", "gamma", "beta"):
            check_range(self.name, key, getattr(self, key), 0.0, 1.0)

    def prepare(self, knowledge: Knowledge) -> None:
        self._similarity = TopicSimilarity(topic_of(knowledge, self.name))

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        assert self._similarity is not None, "prepare comes first"  # noqa: S101 a fault of the caller's, not of the user's
        if page.similarity > 0:
            inherited = self.delta * page.similarity
        else:
            inherited = self.delta * (page.via.carry if page.via else 0.0)
        scores = []
        for link, (anchor, context) in zip(links, self._similarity.links(links), strict=True):
            neighbourhood = self.beta * anchor + (1 - self.beta) * (1.0 if anchor > 0 else context)
            value = self.gamma * inherited + (1 - self.gamma) * neighbourhood
            own = packed(self.gamma * inherited, (1 - self.gamma) * self.beta * anchor)
            scores.append(Score(link.url, value, inherited, own))
        return scores

    def worth(self, value: float) -> float:
        return value


@dataclass
class RelevanceWeighting(Strategy):
    """Fetch links first whose text has a word with the same meaning as a topic word, or nearly the same.

    Idea: a link may be about the topic without its keywords; a thesaurus gives the similarity of its words.
    Formula: m = max over words w of M(url) and topic words k of sim(w, k); RW = m if m >= c else 0.
        M(url) -> anchor and context, the extended metadata of §3.6.1; sim -> text.thesaurus, 0..1 (setting
        TOPIC_THESAURUS); c -> `c`.
    Parameters: c 0.6, in the range of near words (the paper leaves it to the user); top_words 60, the heaviest
        words of the topic (more change little; MySpider); with_context true: the text around the link counts too.
    Pruned: by the paper's ranges (synonyms 1, near words .5 to 1, distant words 0 to .5): links with m below .25,
        the middle of the distant words, for a broad topic; below .5, the limit of the near words, for a normal
        one; below .75, their middle, for a specific one; except in tunnels (crawling.admission).
    Reads: anchor and context, topic keywords, thesaurus; not the parent.
    Cost: one call of the segmenter a page; a word is compared with the topic once, then cached.
    But: the paper's "extended metadata" of a link is read as anchor and context; links with equal RW go first
        in, first out. With the anchor alone fewer relevant links are found (docs/lab.md).
    Reference: Li, Zhao & Yu, SkyReach, 2003, eq. 1.
    """

    name: ClassVar[str] = "relevance_weighting"
    share_names: ClassVar[tuple[str, ...]] = ("nearest topic word",)
    prunes: ClassVar[bool] = True
    own_thresholds: ClassVar[Mapping[Breadth, float]] = {"broad": 0.25, "normal": 0.5, "specific": 0.75}
    c: float = 0.6
    top_words: int = 60
    with_context: bool = True
    _segmenter: Segmenter = field(default=PLAIN, init=False, repr=False)
    _word_similarity: WordSimilarity | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "c", self.c, 0.0, 1.0)
        check_range(self.name, "top_words", self.top_words, 1)

    def prepare(self, knowledge: Knowledge) -> None:
        self._segmenter = knowledge.segmenter
        self._word_similarity = WordSimilarity(
            topic_of(knowledge, self.name), knowledge.thesaurus, self.top_words
        )

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        return [Score(link.url, weight) for link, weight in zip(links, self.weights(links), strict=True)]

    def weights(self, links: Sequence[Link]) -> list[float]:
        """Return RW of each link of a page, 0..1."""
        return [nearest if nearest >= self.c else 0.0 for nearest in self.similarities(links)]

    def similarities(self, links: Sequence[Link]) -> list[float]:
        """Return m, 0..1, for each link: the largest similarity of one of its words to a topic word."""
        assert self._word_similarity is not None, "prepare comes first"  # noqa: S101 a fault of the caller's, not of the user's
        return [
            self._word_similarity.of_words(shown_words(words, with_context=self.with_context))
            for words in words_of_links(links, self._segmenter)
        ]

    @property
    def current_scorer(self) -> LinkScorer:
        return _OfSimilarity(self)

    def worth(self, value: float) -> float:
        return value


@dataclass(frozen=True)
class _OfSimilarity:
    """The link gate's scorer: the log-odds of m."""

    weighting: RelevanceWeighting

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [log_odds(nearest) for nearest in self.weighting.similarities(links)]

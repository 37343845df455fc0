"""Relevance weighting: a link is scored by its word that is most similar to a topic word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from topiccrawler.links.features import words_of_links
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Knowledge, LinkScorer, Strategy, check_range, topic_of
from topiccrawler.strategies.shared.topic_similarity import WordSimilarity, shown_words
from topiccrawler.text.odds import log_odds
from topiccrawler.topics.topic import Breadth


@dataclass
class RelevanceWeighting(Strategy):
    """Fetch links first whose text holds a word that means the same as a topic word, or nearly.

    Idea: a link may be about the topic without its keywords; a thesaurus gives the similarity of its words.
    Formula: m = max over words w of the link and topic words k of sim(w, k); RW = m if m >= c else 0.
        sim -> text.thesaurus, 0..1 (setting TOPIC_THESAURUS); c -> `c`.
    Parameters: c 0.6, from near words upwards (the paper leaves it to the user); top_words 60, the topic's
        heaviest (more change little; MySpider); with_context true: the text around the link counts too.
    Pruned: under .4 for a broad topic, .6 for a normal, .8 for a specific one, but for tunnels (crawl.gate).
    Reads: anchor and context, topic keywords, thesaurus; not the parent.
    Cost: one call of the segmenter a page; a word is compared with the topic once, then remembered.
    But: the paper's "extended metadata" of a link is read as anchor and context; links with equal RW go first
        in, first out. With the anchor alone fewer links are found (docs/lab/strategies.md).
    Reference: Li, Zhao & Yu, SkyReach, 2003, eq. 1.
    """

    name: ClassVar[str] = "relevance_weighting"
    share_names: ClassVar[tuple[str, ...]] = ("nearest topic word",)
    prunes: ClassVar[bool] = True
    own_thresholds: ClassVar[Mapping[Breadth, float]] = {"broad": 0.4, "normal": 0.6, "specific": 0.8}
    c: float = 0.6
    top_words: int = 60
    with_context: bool = True
    _nearness: WordSimilarity | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "c", self.c, 0.0, 1.0)
        check_range(self.name, "top_words", self.top_words, 1)

    def prepare(self, knowledge: Knowledge) -> None:
        self._nearness = WordSimilarity(topic_of(knowledge, self.name), knowledge.thesaurus, self.top_words)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        return [Score(link.url, weight) for link, weight in zip(links, self.weights(links), strict=True)]

    def weights(self, links: Sequence[Link]) -> list[float]:
        """RW of each link of a page."""
        return [nearest if nearest >= self.c else 0.0 for nearest in self.similarities(links)]

    def similarities(self, links: Sequence[Link]) -> list[float]:
        """m of each link."""
        assert self._nearness is not None, "prepare comes first"  # noqa: S101 a fault of the caller's, not of the user's
        return [
            self._nearness.of_words(shown_words(words, with_context=self.with_context))
            for words in words_of_links(links)
        ]

    @property
    def current_scorer(self) -> LinkScorer:
        return _OfSimilarity(self)

    def worth(self, value: float) -> float:
        return value


@dataclass(frozen=True)
class _OfSimilarity:
    """m as the gate wants it: its log-odds."""

    weighting: RelevanceWeighting

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [log_odds(nearest) for nearest in self.weighting.similarities(links)]

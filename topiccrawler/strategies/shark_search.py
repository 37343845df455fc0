"""Shark search: relevance is inherited along paths and decays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Knowledge, Strategy, check_range, topic_of
from topiccrawler.strategies.shared.topic_similarity import TopicSimilarity
from topiccrawler.strategies.shares import packed


@dataclass
class SharkSearch(Strategy):
    """Fetch links first that stand on relevant pages, or descend from such, and whose text is near the topic.

    Idea: fish search with shades instead of yes and no: a page hands a share of its relevance down to its
        links, an irrelevant page hands down a share of what it inherited; the link's own text adds to it.
    Formula: score = gamma * inherited + (1 - gamma) * neighbourhood
        inherited = delta * sim(parent) if sim(parent) > 0 else delta * inherited(parent)
        neighbourhood = beta * anchor + (1 - beta) * (1 if anchor > 0 else context)
        sim(parent) -> `Page.similarity`; inherited(parent) -> `page.via.carry`;
        anchor, context -> similarity to the topic (strategies.shared.topic_similarity), 0..1.
    Parameters: delta 0.5, beta 0.8 (Hersovici et al. 1998); gamma 0.95 (ours; theirs is 0.8).
    Reads: the parent's relevance; anchor and context; the topic's keywords; no trained model.
    Cost: one call of the segmenter and O(words) a page, no refresh.
    But: similarity is this crawler's page classifier, so that links and pages are measured alike. gamma was
        chosen on a web of blogs; on a portal 0.8 is better (docs/lab/strategies.md).
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

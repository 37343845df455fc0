"""Implements the strategy `naive_bayes`, which scores a link by its own words, independent of its page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ClassVar

from topiccrawler.errors import StrategyError
from topiccrawler.link_model.classifier import LinkClassifier
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import (
    Knowledge,
    LinkScorer,
    OfferedLinks,
    Shares,
    Strategy,
    check_range,
    link_scorer_of,
)
from topiccrawler.strategies.learning import HALF_LIFE_PAGES, Explainer, LinkLearner
from topiccrawler.strategies.numbering import label_of
from topiccrawler.text.weights import logistic

_PIECE = 250  # links rescored in one call
_EXACT = 1e-6
LEARNED = "learned in this crawl"
ANOTHER_MODEL = "a link model of another time"


OVERCONFIDENCE = 4.0  # words are not independent: with log-odds of -15, a URL with -3 is worth waiting for


@dataclass
class NaiveBayes(Strategy):
    """Fetch the links first that a trained classifier holds most likely to lead to the topic.

    Idea: anchor text and the text around it announce the target; a classifier trained on labelled links
        evaluates them.
    Formula: score = ln P(+|F) - ln P(-|F) = prior + sum over features f of ln P(f|+)/P(f|-); F are the words
        of anchor and context (topiccrawler.link_model.classifier); with `learn`, plus the log-odds that words,
        sites and linking pages have shown in this crawl (strategies.learning).
    Parameters: learn false; true: every page read labels the link that led to it, and the queue is rescored
        during the crawl; half_life_pages 500: after so many pages an observation counts half (ours);
        every_link false; true: each link to a waiting URL is scored, as in algorithm 1; probability false;
        true: the score is P(+|F), as algorithm 1 prints it, first in, first out where it is 1. Everything else
        belongs to the model (`scrapy train`): TOPIC_LINK_MODELS=paper is the published one, none the keywords'.
    Reads: anchor, context and title of the link; not its page. With `learn`, also title and relevance of
        pages.
    Cost: one batch call to the classifier a page; with `learn`, also a slice of the queue.
    But: the paper queues the probability; the log-odds give the same order and do not tie at 1.0. A link found
        again keeps the larger score, as in algorithm 1; without `every_link` a URL is scored once for each
        different anchor, so that a single context among a hundred copies of a menu does not decide
        (docs/lab/experiments.md). Learning is ours.
    Reference: Han et al., "Naive Bayes classifier guided focused crawling", 2010 (algorithm 1, eq. 1-2).
    """

    name: ClassVar[str] = "naive_bayes"
    share_names: ClassVar[tuple[str, ...]] = ("prior", "anchor", "context", "url", LEARNED)
    needs_link_scorer: ClassVar[bool] = True
    prunes: ClassVar[bool] = True
    reads_terms: ClassVar[bool] = False
    refresh_every: ClassVar[int] = 50  # with `learn`; else nothing is rescored
    learn: bool = False
    half_life_pages: float = HALF_LIFE_PAGES
    every_link: bool = False
    probability: bool = False
    _scorer: LinkScorer | None = field(default=None, init=False, repr=False)
    _learner: LinkLearner | None = field(default=None, init=False, repr=False)
    _similarity_threshold: float = field(default=0.5, init=False, repr=False)
    _observation: list[Any] = field(default_factory=list, init=False, repr=False)  # of the page visited last

    def __post_init__(self) -> None:
        check_range(self.name, "half_life_pages", self.half_life_pages, 1.0)

    def prepare(self, knowledge: Knowledge) -> None:
        self._scorer = link_scorer_of(knowledge, self.name)
        self._similarity_threshold = knowledge.similarity_threshold
        if self.learn:
            self._scorer = self._learner = LinkLearner(
                self._scorer, segmenter=knowledge.segmenter, half_life_pages=self.half_life_pages
            )

    @property
    def learns(self) -> bool:
        return self.learn

    @property
    def offered_links(self) -> OfferedLinks:
        # learning may have changed the score of the same words
        return "waiting" if self.learn or self.every_link else "new"

    @property
    def current_scorer(self) -> LinkScorer | None:
        return self._scorer

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        self._observation = []
        if self._learner is not None and page.via is not None:
            self._observation = [
                page.via.link,
                label_of(page.similarity, self._similarity_threshold),
                page.title,
                page.url,
            ]
            self._learner.learn(*self._observation)
        return self._scores(links)

    def observation(self) -> list[Any]:
        return self._observation

    def observe(self, observation: Any) -> None:
        if self._learner is not None and observation:
            fields, label, title, url = observation
            self._learner.learn(Link(*fields), float(label), title, url)

    def refresh(self, queued: Iterable[Link]) -> Iterator[Score]:
        if self._learner is None:
            return
        links = iter(queued)
        while piece := list(islice(links, _PIECE)):
            yield from self._scores(piece)

    def shares(self, link: Link, score: float, kept: bytes) -> Shares:
        """Return the model's shares by field. The rest of the score is what had been learned when the link was scored."""
        model = self._learner.base if self._learner is not None else self._scorer
        of_fields = dict.fromkeys(self.share_names[:-1], 0.0)
        for name, share in _explained(model, link):
            of_fields[name.partition(":")[0]] += share
        if self._learner is not None:
            scale = self._learner.bounded_share(sum(of_fields.values()))
            of_fields = {name: share * scale for name, share in of_fields.items()}
        left = 0.0 if self.probability else score - sum(of_fields.values())
        last = (
            []
            if self._learner is None and abs(left) < _EXACT
            else [(LEARNED if self.learn else ANOTHER_MODEL, left)]
        )
        return [*of_fields.items(), *last]

    def current(self, link: Link) -> Score | None:
        return self._scores([link])[0] if self.learn else None

    def worth(self, value: float) -> float:
        return value if self.probability else logistic(value / OVERCONFIDENCE)

    def save(self) -> Mapping[str, Any]:
        return {"learned": self._learner.save()} if self._learner is not None else {}

    def load(self, state: Mapping[str, Any]) -> None:
        learned = state.get("learned")
        if (learned is not None) != (self._learner is not None):
            was, now = ("true", "false") if learned is not None else ("false", "true")
            fault = f"this job was begun with learn={was}"
            raise StrategyError(f"strategy parameter learn={now}", fault, "keep to that")
        if self._learner is not None and learned is not None:
            self._learner.load(learned)

    def _scores(self, links: Sequence[Link]) -> list[Score]:
        if self._scorer is None:
            remedy = "call prepare(Knowledge(...)) first"
            raise StrategyError("strategy 'naive_bayes'", "was not prepared", remedy)
        odds = self._scorer.log_odds(links)
        values = map(logistic, odds) if self.probability else odds
        return [Score(link.url, value) for link, value in zip(links, values, strict=True)]


def _explained(model: object, link: Link) -> Shares:
    """Return the shares of a link's score by field, else by word; empty if the model cannot explain its scores."""
    if isinstance(model, LinkClassifier):
        return model.by_field(link)
    return model.explain(link) if isinstance(model, Explainer) else []

"""What learns from each page of a crawl besides its strategy: the topic that grows, the threshold that sets itself, what linking pages say."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from topiccrawler.crawling.assemble import Parts, sets_threshold
from topiccrawler.crawling.growth import Growth
from topiccrawler.crawling.growths import Growths
from topiccrawler.crawling.linking_pages import LinkingPages, linking_page_weight
from topiccrawler.crawling.threshold import ThresholdLearner
from topiccrawler.frontier.base import Notes
from topiccrawler.model import Visit
from topiccrawler.relevance.growing import GrowingClassifier

Learner = Growth | ThresholdLearner | LinkingPages


def learners_of(
    parts: Parts,
    notes: Notes,
    kept: Callable[[Growths], None] = lambda _: None,
    *,
    durable: bool = False,
    visits: Iterable[Visit] | None = None,
) -> list[Learner]:
    """Those of a crawl of these parts; they begin where the notes say, if they are `durable`. `kept`: hears of what the topic grew.
    `visits`: of earlier runs of a crawl that keeps pages; None = it keeps none."""
    found: list[Learner] = []
    classifier = parts.page_classifier
    if isinstance(classifier, GrowingClassifier):
        found.append(Growth(classifier, notes, kept, durable=durable))
    if sets_threshold(parts.recipe) and classifier.threshold > 0:
        found.append(ThresholdLearner(classifier.threshold, notes, durable=durable))
    weight = linking_page_weight(parts.recipe)
    if visits is not None and weight > 0:
        found.append(LinkingPages(weight, notes, visits))
    return found

"""What decides that a page is kept, for live crawls and replays alike."""

from collections.abc import Sequence
from typing import ClassVar

import pytest

from topiccrawler.crawling.page_filter import PageFilter, Restrictions
from topiccrawler.pages.read import PageWords


class Counting:
    """A page classifier by hand: the share of 基金 among the words of the body."""

    threshold: ClassVar[float] = 0.5
    reads_segments: ClassVar[bool] = False
    similarity_threshold = 0.5

    def __init__(self) -> None:
        self.asked = 0

    def similarity(self, words: PageWords) -> float:
        return self.relevance(words)

    def relevance(self, words: PageWords) -> float:
        self.asked += 1
        return list(words.body).count("基金") / max(1, len(words.body))

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        return []


def words(*body: str) -> PageWords:
    return PageWords(body=body)


@pytest.mark.parametrize(("body", "expected"), [(["基金", "天气"], (0.5, True)), (["天气"], (0.0, False))])
def test_a_page_is_kept_from_the_classifiers_threshold_on(
    body: Sequence[str], expected: tuple[float, bool]
) -> None:
    made = PageFilter.of(Counting(), Restrictions())
    assert made.verdict(words(*body)) == expected


def test_a_relevance_that_was_computed_before_is_not_computed_again() -> None:
    classifier = Counting()
    made = PageFilter.of(classifier, Restrictions())
    assert made.verdict(words("天气"), 0.7) == (0.7, True)
    assert classifier.asked == 0
    made.threshold = 0.71
    assert made.verdict(None, 0.7) == (0.7, False)

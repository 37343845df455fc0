"""The threshold of a crawl that sets its own: moves, is kept with the queue, left to a person who sets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from topiccrawler.crawling.threshold import EVERY_PAGES, NOTE, ThresholdLearner, kept_threshold
from topiccrawler.errors import StateError
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Page


def read(learner: ThresholdLearner, first: int, last: int) -> None:
    """Pages whose links looked good from relevance .25 on."""
    for number in range(first, last):
        relevance = 0.4 * (number * 7919 % 1000) / 1000
        learner.read(Page(f"http://a.example/{number}", relevance=relevance), float(relevance >= 0.25))


def test_it_moves_until_a_person_sets_it() -> None:
    learner = ThresholdLearner(0.15, MemoryFrontier().notes)
    read(learner, 0, 1000 + EVERY_PAGES - 1)
    before = learner.value
    assert 0.18 < before < 0.25
    read(learner, 1000 + EVERY_PAGES - 1, 1000 + EVERY_PAGES)
    assert learner.value != before
    assert learner.figures() == {"topic/page_threshold": round(learner.value, 4)}
    learner.stop()
    before = learner.value
    read(learner, 1100, 1500)
    assert learner.value == before
    assert learner.figures() == {}


def test_a_crawl_that_goes_on_has_its_threshold(tmp_path: Path) -> None:
    whole = ThresholdLearner(0.15, MemoryFrontier().notes)
    read(whole, 0, 900)
    place = tmp_path / "frontier.sqlite"
    for first, last in ((0, 330), (330, 720), (720, 900)):
        with SqliteFrontier(place) as frontier:
            learner = ThresholdLearner(0.15, frontier.notes)
            read(learner, first, last)
            frontier.commit()
    assert learner.value == whole.value
    with SqliteFrontier(place) as frontier:
        assert kept_threshold(frontier.notes) == whole.value
        assert ThresholdLearner(0.15, frontier.notes).value == whole.value
        assert ThresholdLearner(0.2, frontier.notes).value == 0.2  # the topic was given another one
        assert ThresholdLearner(0.15, frontier.notes, durable=False).value == 0.15
        frontier.notes.put(NOTE, "{}")
        with pytest.raises(StateError, match="the crawl's page threshold: is damaged"):
            ThresholdLearner(0.15, frontier.notes)

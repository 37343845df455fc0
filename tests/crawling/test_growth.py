"""A topic that grows while its crawl runs: in rounds, the same after a kill, frozen and taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from topiccrawler.crawling.growth import EVERY_PAGES, FIRST_PAGES, NOTE, Growth
from topiccrawler.crawling.growths import Growths, read_growth, write_growth
from topiccrawler.errors import StateError
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Page, Via
from topiccrawler.relevance.growing import GrowingClassifier
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.topic import make_topic


def classifier(name: str = "tea") -> GrowingClassifier:
    return GrowingClassifier(VsmClassifier(make_topic({"name": name, "keywords": {"茶叶": 1.0}}, "topic")))


def page(number: int) -> Page:
    """By turns about tea and about something else, of seven sites; late pages about tea say 紫砂 too."""
    words = {"茶叶": 3, "龙井": 2} if number % 2 else {"足球": 3, "球队": 2}
    if number % 2 and number > FIRST_PAGES:
        words = {**words, "紫砂": 3}
    url = f"http://site{number % 7}.example/{number}"
    return Page(url, terms=words, via=Via(Link(url, f"site{number % 7}.example"), 1.0))


def read(growth: Growth, first: int, last: int) -> None:
    for number in range(first, last):
        growth.read(page(number), 0.5)


def test_it_grows_in_rounds_and_says_since_when() -> None:
    heard: list[Growths] = []
    growth = Growth(one := classifier(), MemoryFrontier().notes, heard.append)
    read(growth, 0, FIRST_PAGES - 1)
    assert not one.grown
    read(growth, FIRST_PAGES - 1, FIRST_PAGES)
    assert one.grown_words == {"龙井"}
    read(growth, FIRST_PAGES, FIRST_PAGES + EVERY_PAGES)
    assert one.grown_words == {"龙井", "紫砂"}
    state = growth.state
    assert (state.rounds, state.pages) == (2, FIRST_PAGES + EVERY_PAGES)
    assert dict(state.since) == {"龙井": FIRST_PAGES, "紫砂": FIRST_PAGES + EVERY_PAGES}
    assert heard[-1] == state
    assert one.topic.reasons["龙井"].endswith(f"of 7 sites, since page {FIRST_PAGES}")
    assert growth.figures() == {"growth/words": 2, "growth/rounds": 2}


def test_off_keeps_the_words_undo_takes_them_back_on_goes_on() -> None:
    growth = Growth(one := classifier(), MemoryFrontier().notes)
    read(growth, 0, FIRST_PAGES)
    growth.change("off")
    read(growth, FIRST_PAGES, FIRST_PAGES + EVERY_PAGES)
    assert one.grown_words == {"龙井"}
    growth.change("undo")
    assert not one.grown
    assert not growth.state.grows
    growth.change("on")
    assert one.grown_words == {"龙井", "紫砂"}


def opened(tmp_path: Path) -> SqliteFrontier:
    return SqliteFrontier(tmp_path / "frontier.sqlite")


def test_a_crawl_that_goes_on_grows_as_one_that_never_stopped(tmp_path: Path) -> None:
    last = FIRST_PAGES + 2 * EVERY_PAGES + 30
    whole = Growth(classifier(), MemoryFrontier().notes)
    read(whole, 0, last)
    for first, end in ((0, 150), (150, FIRST_PAGES + 40), (FIRST_PAGES + 40, last)):
        with opened(tmp_path) as frontier:
            growth = Growth(one := classifier(), frontier.notes)
            assert one.grown == (first > FIRST_PAGES)  # with the words it had
            read(growth, first, end)
            frontier.commit()
    assert growth.state == whole.state
    with opened(tmp_path) as frontier:
        assert Growth(classifier("coffee"), frontier.notes).state.rounds == 0  # another topic
        frontier.notes.put(NOTE, json.dumps({"topic": "tea"}))
        with pytest.raises(StateError, match="what the topic grew: is damaged"):
            Growth(classifier(), frontier.notes)


def test_of_a_crawl_of_several_processes_nothing_is_kept() -> None:
    notes = MemoryFrontier().notes
    read(Growth(one := classifier(), notes, durable=False), 0, FIRST_PAGES)
    assert one.grown
    assert not notes.all("growing")  # other processes have the same notes


@pytest.mark.parametrize("damage", ["{", '{"version": 1}', '{"version": 1, "words": 3}'])
def test_what_people_read(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "growth.json"
    assert read_growth(path) is None
    growth = Growth(classifier(), MemoryFrontier().notes, lambda state: write_growth(state, path))
    read(growth, 0, FIRST_PAGES)
    assert read_growth(path) == growth.state
    path.write_text(damage, encoding="utf-8")
    with pytest.raises(StateError, match=r"growth\.json"):
        read_growth(path)

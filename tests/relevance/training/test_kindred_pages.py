"""The catalogue's topic that example pages belong to, how far, and what a topic learned from them takes of it."""

from random import Random

import pytest

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.training.example_topic import THESIS, Examples, Method, learn
from topiccrawler.relevance.training.kindred_pages import kindred_of_pages
from topiccrawler.text.segmenter import words_of
from topiccrawler.topics.catalogue import load_topic


def pages(topic: str, count: int, every: str = "") -> list[PageWords]:
    """Each of eight words of the topic, and perhaps of one that all have."""
    chance, words = Random(topic), list(load_topic(topic).keywords)[:150]
    texts = [" ".join([every, *chance.sample(words, 8)]) for _ in range(count)]
    return [PageWords(body=[*found, "今天", "我们"]) for found in words_of(texts)]


FINANCE, OTHERS = pages("finance", 20), [*pages("sport", 20), *pages("food", 20), *pages("history", 20)]


@pytest.mark.slow
def test_pages_of_all_of_a_topic_belong_to_it_wholly() -> None:
    found = kindred_of_pages(FINANCE, OTHERS, ["股票", "基金"])
    assert (found.name, found.share) == ("finance", 1.0)
    assert found.keywords.keys() == load_topic("finance").keywords.keys()


@pytest.mark.slow
def test_pages_that_all_share_a_word_are_about_a_part_unless_it_names_the_topic() -> None:
    funds = kindred_of_pages(pages("finance", 20, every="基金"), OTHERS, ["基金"])
    named = kindred_of_pages(pages("finance", 20, every="财经"), OTHERS, ["财经"])
    assert (funds.name, funds.share) == ("finance", 0.0)
    assert (named.name, named.share) == ("finance", 1.0)


@pytest.mark.slow
def test_a_learned_topic_takes_the_words_of_its_topic_and_leaves_those_of_a_wider_one() -> None:
    whole = learn("money", Examples(FINANCE, OTHERS), Method())
    catalogue = load_topic("finance")
    assert whole.kin is not None
    assert set(catalogue.keywords) <= set(whole.topic.keywords)
    assert whole.topic.page_threshold == catalogue.page_threshold
    assert (whole.topic.against, whole.topic.contrast) == ({}, True)
    heaviest = max(catalogue.keywords, key=lambda word: catalogue.keywords[word])
    assert whole.topic.keywords[heaviest] == 1.0
    assert " finance" in whole.topic.reasons[heaviest]

    part = learn("funds", Examples(pages("finance", 20, every="基金"), OTHERS), Method())
    assert part.kin is not None
    assert not [why for why in part.topic.reasons.values() if " finance" in why]
    assert part.topic.against
    assert not part.topic.contrast


def test_the_thesis_alone_asks_no_catalogue() -> None:
    found = learn("money", Examples(FINANCE, OTHERS), THESIS)
    assert found.kin is None
    assert not found.topic.contrast
    assert all(why.startswith("in ") for why in found.topic.reasons.values())

"""What docs/papers.md says of SkyReach's strategies."""

from collections.abc import Sequence

from topiccrawler.lab.paper_experiments import EXPERIMENTS
from topiccrawler.model import Link, Page
from topiccrawler.strategies import STRATEGIES, build
from topiccrawler.strategies.base import Knowledge, Strategy
from topiccrawler.text.thesaurus import shipped
from topiccrawler.topics.topic import Topic

A = "http://a.example"


def prepared(name: str, **parameters: str) -> Strategy:
    strategy = build(name, parameters)
    strategy.prepare(Knowledge(topic=Topic(name="trip", keywords={"酒店": 1.0}), thesaurus=shipped()))
    return strategy


def scores(strategy: Strategy, links: Sequence[Link]) -> list[float]:
    return [score.value for score in strategy.visit(Page(f"{A}/"), links)]


LINKS = [
    Link(f"{A}/1", "a.example", "更多", before="附近的酒店"),
    Link(f"{A}/2", "a.example", "宾馆"),
    Link(f"{A}/3", "a.example", "客房"),
    Link(f"{A}/4", "a.example", "天气"),
]


def test_the_extended_metadata_of_a_link_is_its_anchor_and_the_text_around_it() -> None:
    assert scores(prepared("relevance_weighting"), LINKS)[0] == 1.0
    assert scores(prepared("relevance_weighting", with_context="false"), LINKS)[0] == 0.0


def test_with_c_1_only_equal_words_and_synonyms_count() -> None:
    near = prepared("relevance_weighting", c="0.3", with_context="false")
    alone = prepared("relevance_weighting", c="1", with_context="false")
    around, synonym, nearly, other = scores(near, LINKS)
    assert (around, synonym, other) == (0.0, 1.0, 0.0)
    assert 0.5 < nearly < 1.0
    assert scores(alone, LINKS) == [0.0, 1.0, 0.0, 0.0]


def test_no_strategy_of_the_paper_reads_the_relevance_of_pages() -> None:
    """Neither of the linking page: a page of relevance 0 hands on as much as one of 1."""
    for spec in EXPERIMENTS["skyreach"].strategies.split(","):
        name, *_ = spec.split(":")
        assert name in STRATEGIES
        found = [
            [score.value for score in prepared(name).visit(Page(f"{A}/", similarity=of, relevance=of), LINKS)]
            for of in (0.0, 1.0)
        ]
        assert found[0] == found[1], name

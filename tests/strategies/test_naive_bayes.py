"""naive_bayes: what its parameters change in algorithm 1."""

from collections.abc import Sequence

from topiccrawler.link_model.from_keywords import keyword_model
from topiccrawler.model import Link, Page
from topiccrawler.strategies import build
from topiccrawler.strategies.base import Knowledge, Strategy
from topiccrawler.topics.catalogue import topic_from_keywords

TOPIC = topic_from_keywords("基金", "mine")


def prepared(**parameters: str) -> Strategy:
    strategy = build("naive_bayes", parameters)
    strategy.prepare(Knowledge(similarity_threshold=0.5, link_scorer=keyword_model(TOPIC)))
    return strategy


def test_with_every_link_a_waiting_url_is_scored_again_as_algorithm_1_has_it() -> None:
    assert [prepared(every_link=text).offered_links for text in ("false", "true")] == ["new", "waiting"]


def test_a_queue_by_probability_ties_where_the_log_odds_do_not() -> None:
    """P = 1 / (1 + e^-x) is 1.0 in a double from x = 37 on."""
    values = {}
    links = [Link(f"http://b.example/{odds}", "b.example") for odds in (0, 40, 50)]
    for text in ("false", "true"):
        strategy = build("naive_bayes", {"probability": text})
        strategy.prepare(Knowledge(link_scorer=ByAddress()))
        values[text] = [score.value for score in strategy.visit(Page("http://b.example/"), links)]
    assert values == {"false": [0.0, 40.0, 50.0], "true": [0.5, 1.0, 1.0]}
    assert strategy.worth(0.5) == 0.5


class ByAddress:
    """The log-odds of a link stand at the end of its address."""

    threshold = 0.0

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [float(link.url.rpartition("/")[2]) for link in links]

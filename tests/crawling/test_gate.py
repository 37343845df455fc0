from collections.abc import Sequence

import pytest

from topiccrawler.crawling.link_gate import OPEN, REFUSED, LinkGate
from topiccrawler.model import Link
from topiccrawler.text.weights import logistic

POOR = Link("http://a.example/poor", "a.example", "足球", source_url="http://a.example/")
GOOD = Link("http://a.example/good", "a.example", "基金", source_url="http://a.example/")


class Odds:
    """A link scorer by hand."""

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [2.0 if link.anchor == "基金" else -2.0 for link in links]


def test_tunnels_are_counted_and_end_at_their_depth() -> None:
    gate = LinkGate(Odds(), threshold=0.5, tunnel_probability=1.0, tunnel_depth=2)
    assert [gate.decide(POOR, tunnel).tunnel for tunnel in (0, 1)] == [1, 2]
    assert not gate.decide(POOR, 2).passed
    assert gate.decide(GOOD, 2).tunnel == 0


def test_the_same_links_get_a_second_chance_each_time_about_as_many_as_asked() -> None:
    gate = LinkGate(Odds(), threshold=0.5, tunnel_probability=0.3, tunnel_depth=1)
    links = [Link(f"http://a.example/{i}", "a.example", source_url="http://a.example/") for i in range(2000)]
    passed = [gate.decide(link).passed for link in links]
    assert passed == [gate.decide(link).passed for link in links]
    assert 0.25 < sum(passed) / len(passed) < 0.35


def test_of_a_pages_links_those_pass_that_pass_alone() -> None:
    gate = LinkGate(Odds(), threshold=0.5, tunnel_probability=0.5, tunnel_depth=1)
    seed = Link("http://a.example/", "a.example", "足球")
    links = [GOOD, POOR, seed, *(POOR._replace(url=f"http://a.example/{number}") for number in range(40))]
    passing = gate.passing(links)
    assert passing == [link for link in links if gate.decide(link).passed]
    assert {GOOD, seed} < set(passing) < set(links)
    assert gate.passing(links, tunnel=1) == [GOOD, seed]
    assert LinkGate().passing(links) == links


def test_an_open_gate_scores_what_is_about_to_be_sent_and_a_seed_is_never_scored() -> None:
    gate = LinkGate(Odds(), threshold=0.0)
    sent = gate.decided_when_sent(POOR)
    assert (sent.passed, sent.reason, sent.probability) == (True, OPEN, pytest.approx(logistic(-2.0)))
    assert gate.decided_when_sent(POOR._replace(source_url="")).probability is None
    gate.threshold = 0.5
    assert (gate.decided_when_sent(POOR).passed, gate.decided_when_sent(POOR).reason) == (False, REFUSED)

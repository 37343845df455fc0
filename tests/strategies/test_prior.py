"""What sites gave and what relevant pages lead to: worked by hand, soon forgotten, bounded, the same after a restart."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from topiccrawler.model import Link
from topiccrawler.strategies.learning import FADE, KEEP, KEEP_CLASS, LinkPrior

GOOD, POOR = "http://hub.com.cn/good", "http://hub.com.cn/poor"


def link(host: str, source: str = "") -> Link:
    return Link(f"http://{host}/x", host, "更多", source_url=source)


def read(prior: LinkPrior, host: str, relevant: bool) -> None:
    prior.count(link(host), relevant, f"http://{host}/x")


def logit(share: float) -> float:
    return math.log(share / (1 - share))


def test_one_relevant_page_gives_the_odds_worked_by_hand() -> None:
    """
    All pages: .1 of 1 before, then (.1 + 1) of 2, both faded alike: p = .55. Site: (1 + .5 * .55) / 1.5 = .85.
    Its host: (1 + .5 * .85) / 1.5 = .95; another host of it: .85; another site: p itself, so nothing.
    """
    prior = LinkPrior()
    read(prior, "a.bank.com.cn", True)
    assert prior.log_odds(link("a.bank.com.cn")) == pytest.approx(logit(0.95) - logit(0.55))
    assert prior.log_odds(link("b.bank.com.cn")) == pytest.approx(logit(0.85) - logit(0.55))
    assert prior.log_odds(link("a.club.com.cn")) == 0.0


def test_pages_that_relevant_pages_led_to_speak_for_what_else_they_link() -> None:
    """
    A relevant page (seed), an irrelevant one, then one page from each: the classes are (1, 1) and (1, 0).
    All pages: about 2.1 of 5, p = P. Class of the relevant page (1 + 4 P) / 5, of the other 4 P / 5; a seed has none.
    """
    prior = LinkPrior()
    prior.count(Link(GOOD, "hub.com.cn"), True, GOOD)
    prior.count(Link(POOR, "hub.com.cn"), False, POOR)
    prior.count(link("a.com.cn", GOOD), True, "http://a.com.cn/x")
    prior.count(link("b.com.cn", POOR), False, "http://b.com.cn/x")
    pages, relevant = prior.save()["all"]
    p = relevant / pages
    pages_of = {source: prior.parts(link("new.com.cn", source)) for source in (GOOD, POOR, "")}
    assert pages_of[GOOD] == (0.0, pytest.approx(logit((1 + 4 * p) / 5) - logit(p)))
    assert pages_of[POOR] == (0.0, pytest.approx(logit(4 * p / 5) - logit(p)))
    assert pages_of[""] == (0.0, 0.0)


def test_a_page_counts_under_the_address_it_had_in_the_end() -> None:
    prior = LinkPrior()
    prior.count(Link("http://old.com.cn/", "old.com.cn"), True, GOOD)
    prior.count(link("a.com.cn", GOOD), True, "http://a.com.cn/x")
    assert prior.save()["classes"] == [[0.0, 0.0], [1.0, 1.0]]


def test_channels_of_a_portal_differ_and_a_new_one_stands_between() -> None:
    prior = LinkPrior()
    for _ in range(5):
        read(prior, "finance.portal.com.cn", True)
        read(prior, "sports.portal.com.cn", False)
    finance, new, sports = (
        prior.log_odds(link(f"{name}.portal.com.cn")) for name in ("finance", "new", "sports")
    )
    assert finance > new > sports


def test_a_site_that_became_unproductive_is_soon_left() -> None:
    """20 relevant pages, then 10 that are not: .9 ^ 10 of what was counted is left, and the site is below the others."""
    prior = LinkPrior()
    for _ in range(20):
        read(prior, "a.example", True)
        read(prior, "b.example", False)
    before = prior.log_odds(link("a.example"))
    for _ in range(10):
        read(prior, "a.example", False)
    assert before > 0 > prior.log_odds(link("a.example"))


def test_what_one_site_says_stays_finite() -> None:
    prior = LinkPrior()
    for _ in range(10_000):
        read(prior, "a.example", False)
    assert abs(prior.log_odds(link("a.example"))) < 2 * logit(0.999)


def test_what_was_met_longest_ago_is_forgotten_first() -> None:
    prior = LinkPrior(most=3)
    for host in ("a.example", "b.example", "c.example", "a.example", "d.example"):
        read(prior, host, True)
    state = prior.save()
    assert list(state["sites"]) == list(state["hosts"]) == ["c.example", "a.example", "d.example"]
    assert state["relevant"] == ["http://c.example/x", "http://a.example/x", "http://d.example/x"]


def test_counts_that_were_saved_go_on_as_if_they_had_not_been() -> None:
    through, first = LinkPrior(), LinkPrior()
    for number in range(60):
        page, relevant = link(f"h{number % 7}.s{number % 3}.com.cn", GOOD), number % 4 == 0
        through.count(page, relevant, GOOD)
        if number == 30:
            first = LinkPrior.load(json.loads(json.dumps(first.save(), allow_nan=False)))
        first.count(page, relevant, GOOD)
    assert first.save() == through.save()


def test_sites_fade_fast_and_the_whole_slowly() -> None:
    prior = LinkPrior()
    prior.count(Link(GOOD, "hub.com.cn"), True, GOOD)
    for relevant in (True, False):
        prior.count(link("a.example", GOOD), relevant, "http://a.example/x")
    state = prior.save()
    assert state["sites"]["a.example"] == [KEEP + 1, KEEP]
    assert state["classes"][1] == [KEEP_CLASS + 1, KEEP_CLASS]
    assert state["all"] == pytest.approx([FADE + FADE * (FADE + FADE * (FADE * 2)), FADE**3 * 1.1 + FADE**2])


@pytest.mark.parametrize(
    "damage",
    [
        {"all": [0.0, 0.0]},
        {"all": [1.0, 2.0]},
        {"classes": [[1.0, 2.0], [0.0, 0.0]]},
        {"sites": {"a.example": [float("nan"), 0.0]}},
        {"hosts": {"a.example": [1.0, -1.0]}},
        {"hosts": {"a.example": [float("inf"), 1.0]}},
    ],
)
def test_damaged_counts_are_refused(damage: dict[str, Any]) -> None:
    prior = LinkPrior()
    read(prior, "a.example", True)
    with pytest.raises(ValueError, match="pages"):
        LinkPrior.load({**prior.save(), **damage})

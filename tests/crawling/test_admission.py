"""One ordered list of rules says which URLs may be fetched: order, moments, one verdict a rule, counting."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from message_facts import numbers

from topiccrawler.crawling.admission import (
    ORDER,
    Admission,
    DownloaderRule,
    Moment,
    Rule,
    allowed_domains,
    blocked,
    budget_rule,
    depth_limit,
    gate_rule,
    private_network,
    redirected,
    trap_rule,
    url_length,
    within,
)
from topiccrawler.crawling.blocks import Blocks
from topiccrawler.crawling.link_gate import OF_TUNNEL, Decision, LinkGate
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.site_listings import LISTING
from topiccrawler.frontier.base import Pushed, State
from topiccrawler.frontier.budgets import HOST_PAGES, Allowance, Budgets
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Page
from topiccrawler.strategies import build
from topiccrawler.urls.unwanted import Block

FOUND, LEASED, RETRIED, REDIRECTED, SENT, FOLLOWED = Moment
SOURCE = "http://a.example/"


class Odds:
    """A link scorer by hand; counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        self.asked += 1
        return [2.0 if link.anchor == "基金" else -2.0 for link in links]


def link(path: str, anchor: str = "基金", *, host: str = "a.example", depth: int = 1, kind: str = "") -> Link:
    return Link(f"http://{host}/{path}", host, anchor, depth=depth, kind=kind, source_url=SOURCE)


def blocks(*sites: str) -> Blocks:
    made = Blocks(MemoryFrontier(Hosts()).notes)
    for site in sites:
        made.add(Block(site=site))
    return made


def budgets() -> Budgets:
    """One page is left of each host's, and full.example has been asked for it."""
    made = Budgets(MemoryFrontier(), Allowance(host_pages=1))
    made.lease(Link("http://full.example/", "full.example"))
    return made


def rules(gate: LinkGate | None = None) -> list[Rule | DownloaderRule]:
    """All of them, the last first."""
    return [
        DownloaderRule("resolved_address", lambda _: Decision(False, reason="leads inside")),
        DownloaderRule("robots_txt", lambda _: None),
        gate_rule(gate or LinkGate(Odds(), 0.5)),
        trap_rule(budgets()),
        budget_rule(budgets()),
        private_network(["10.0.0.1:81"]),
        blocked(blocks("spam.example")),
        allowed_domains(within(["a.example", "spam.example", "10.0.0.2", "10.0.0.1", "full.example"])),
        url_length(30),
        depth_limit(3),
    ]


POOR, FINE = link("poor", "足球"), link("fine")
REFUSED = {  # by the rule that refuses it: link, moments, why
    "depth": (link("deep", depth=4), {FOUND}, "deeper than 3"),
    "url_length": (link("x" * 30), {FOUND}, "longer than 30 characters"),
    "allowed_domains": (link("", host="b.example"), {FOUND}, "off site: b.example"),
    "blocked": (link("", host="w.spam.example"), set(Moment), "blocked: spam.example"),
    "private_network": (
        link("", host="10.0.0.2"),
        {LEASED, RETRIED, REDIRECTED},
        "private address: 10.0.0.2",
    ),
    "budget": (link("", host="full.example"), {LEASED}, HOST_PAGES),
    "trap": (link("a/a/a/a/a"), {LEASED}, "trap: repeated segments: a 5 times"),
    "gate": (POOR, {FOUND, SENT, FOLLOWED}, "below link threshold"),
}


def test_the_rules_stand_in_one_order_whatever_order_they_are_given_in() -> None:
    assert Admission(rules()).names == [*ORDER]
    late = Admission([gate_rule(LinkGate())])
    late.add(depth_limit(1))
    assert late.names == ["depth", "gate"]


@pytest.mark.parametrize("moment", Moment)
@pytest.mark.parametrize("rule", REFUSED)
def test_a_rule_refuses_at_its_moments_and_is_counted_under_its_name(rule: str, moment: Moment) -> None:
    refused: Counter[str] = Counter()
    admission = Admission(rules(), lambda name, links: refused.update({name: len(links)}))
    asked, moments, why = REFUSED[rule]
    decision = admission.ask(asked, moment)
    if moment in moments:
        counted = {} if moment in {SENT, FOLLOWED} else {rule: 1}  # the sender of a request counts these
        assert (decision.passed, decision.reason, refused) == (False, why, counted)
    else:
        assert (decision.passed, refused) == (True, {})


def test_of_a_page_the_strategy_is_offered_what_only_the_gate_refuses_and_the_scorer_is_asked_once() -> None:
    odds = Odds()
    refused: list[tuple[str, int]] = []
    admission = Admission(rules(LinkGate(odds, 0.5)), lambda name, links: refused.append((name, len(links))))
    deep, blocked_link = REFUSED["depth"][0], REFUSED["blocked"][0]
    offered = admission.offered([deep, POOR, blocked_link, deep, FINE])
    assert offered == [POOR, FINE]
    assert [decision.passed for decision in admission.queued(offered)] == [False, True]
    assert (refused, odds.asked) == ([("depth", 2), ("blocked", 1), ("gate", 1)], 1)


def test_a_seed_may_lie_deep_off_site_and_on_its_own_private_host() -> None:
    admission = Admission(rules())
    for seed in (
        Link("http://b.example/" + "x" * 30, "b.example", "足球", depth=9),
        Link("http://10.0.0.1:81/", "10.0.0.1:81"),
    ):
        assert all(admission.ask(seed, moment).passed for moment in Moment)
    other_port = link("", host="10.0.0.1:82")
    assert admission.ask(other_port, LEASED).reason == "private address: 10.0.0.1"


@pytest.mark.parametrize("anchor", ["基金", "足球"])
@pytest.mark.parametrize(("kind", "source"), [(LISTING, SOURCE), ("", SOURCE), ("", "")])
def test_a_listing_a_seed_and_another_link_are_decided_alike_found_and_sent(
    anchor: str, kind: str, source: str
) -> None:
    one = link("rss", anchor, kind=kind)._replace(source_url=source)
    admission = Admission([gate_rule(LinkGate(Odds(), 0.5))])
    expected = anchor == "基金" or kind == LISTING or not source
    assert [decision.passed for decision in admission.queued([one])] == [expected]
    found, sent = admission.ask(one, FOUND), admission.ask(one, SENT)
    assert admission.queued([one])[0] == found == replace(sent, probability=found.probability)
    assert (sent.probability is None) is not bool(source)  # a seed has no text to score


def test_a_second_chance_is_taken_along_by_a_redirect_and_its_steps_are_reported() -> None:
    gate = LinkGate(Odds(), 0.5, tunnel_probability=1.0, tunnel_depth=1)
    admission = Admission([gate_rule(gate)])
    assert admission.ask(POOR, SENT).tunnel == 1
    assert not admission.ask(POOR, SENT, 1).passed
    there = redirected(POOR, "http://c.example:81/")
    assert (there.host, there.anchor, there.source_url) == ("c.example:81", "足球", POOR.url)
    followed = admission.ask(there, FOLLOWED, 1)
    assert (followed.passed, followed.tunnel, followed.reason) == (True, 1, OF_TUNNEL)
    seed = Link("http://a.example/", "a.example")
    assert admission.ask(redirected(seed, "https://www.a.example/"), FOLLOWED).reason == "a seed"
    assert not Admission([gate_rule(LinkGate(Odds(), 0.5))]).ask(there, FOLLOWED).passed


def test_an_explanation_has_one_verdict_a_rule_counts_nothing_and_knows_what_others_tell() -> None:
    def refuse(name: str, links: Sequence[Link]) -> None:
        raise AssertionError

    admission = Admission(rules(), refuse)
    said = {name: None if one is None else one.passed for name, one in admission.explained(POOR)}
    assert said == {
        **dict.fromkeys(ORDER, True),
        "gate": False,
        "robots_txt": None,
        "resolved_address": False,
    }
    in_words = admission.explained(Link("", "", "足球", source_url="by hand"))
    assert [name for name, one in in_words if one is not None] == ["gate"]
    assert admission.ask(FINE, LEASED).passed  # what the downloader asks by itself refuses nothing here


def test_a_crawl_asks_the_rules_of_links_before_they_are_queued_and_of_rows_before_they_are_leased() -> None:
    frontier, sites = MemoryFrontier(Hosts(concurrency=9)), blocks()
    made = Admission([blocked(sites), gate_rule(LinkGate(Odds(), 0.5)), depth_limit(1)])
    ordering = Ordering(build("breadth_first"), frontier, admission=made)
    late = link("late", host="late.example")
    pushed = ordering.visit(Page(SOURCE), [late, REFUSED["depth"][0], POOR, FINE], 0.0)
    assert (pushed[Pushed.NEW], pushed[Pushed.REFUSED]) == (2, 1)
    sites.add(Block(site="late.example"))
    leased = ordering.lease(0.0)
    assert leased is not None
    assert leased.link == FINE
    assert numbers(made.ask(leased.link, SENT).reason) == ["0.5"]
    row = frontier.look().row(late.url)
    assert row is not None
    assert (row.state, row.reason) == (State.DISCARDED, "blocked: late.example")

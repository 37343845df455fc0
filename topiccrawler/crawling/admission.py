"""Decides which URLs may be fetched, by one ordered list of rules for a crawl, a replay and `scrapy explain`.

`Admission` checks a URL when it is found as a link, when its row is leased, when the request of a lease is retried or redirected, and in
the downloader middleware, just before its request is sent. Each rule names the moments at which it applies. The first rule that refuses
decides, and the refusal is counted for it.

    depth, url_length, allowed_domains  found                       the link is hidden from the strategy
    blocked                             all                         as above
    private_network                     all but found               by the spelling of its host
    budget                              leased                      the URL keeps waiting, its host is closed (frontier.budgets)
    trap                                leased                      the URL is discarded (frontier.budgets)
    gate                                found, sent, followed       the link is passed to the strategy, but not queued or not fetched
    robots_txt, resolved_address        applied by the downloader   their verdicts are read here, for explanations only

A text that is no http(s) URL has no canonical form (urls.canonical), so it is no link. Restrictions on a page's format or date are applied
later (crawling.page_filter).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple
from urllib.parse import urlsplit

from topiccrawler.crawling.blocks import Blocks
from topiccrawler.crawling.link_gate import PASSED, Decision, LinkGate
from topiccrawler.frontier.budgets import Budgets
from topiccrawler.links.page_links import PageLinks
from topiccrawler.model import LISTING, Link
from topiccrawler.urls.canonical import host_of
from topiccrawler.urls.unwanted import address_of, is_inside

DEPTH, URL_LENGTH, ALLOWED_DOMAINS = "depth", "url_length", "allowed_domains"
BLOCKED, PRIVATE_NETWORK, BUDGET, TRAP, GATE = "blocked", "private_network", "budget", "trap", "gate"
ROBOTS_TXT, RESOLVED_ADDRESS = "robots_txt", "resolved_address"
ORDER = (
    *(DEPTH, URL_LENGTH, ALLOWED_DOMAINS, BLOCKED, PRIVATE_NETWORK),
    *(BUDGET, TRAP, GATE, ROBOTS_TXT, RESOLVED_ADDRESS),
)
PRIVATE_ADDRESS = "private address"


class Moment(Enum):
    """The moment at which a URL is checked."""

    FOUND = "found"  # as a link of a page, before it is queued
    LEASED = "leased"  # just before its request is made
    RETRIED = "retried"  # before its request is sent again
    REDIRECTED = "redirected"  # before the redirect of another URL to it is followed
    SENT = "sent"  # by the downloader middleware, just before its request is sent
    FOLLOWED = "followed"  # the same, for the request of a redirect to it


_FOUND, _LEASED = frozenset({Moment.FOUND}), frozenset({Moment.LEASED})
_FETCHED = frozenset({Moment.LEASED, Moment.RETRIED, Moment.REDIRECTED})
_SENT = frozenset({Moment.SENT, Moment.FOLLOWED})


_ONE = (PASSED,)
Decisions = Sequence[Decision] | None
"""One decision for each link; None = all links pass."""


class Asked(NamedTuple):
    """When a rule is asked about links of one page."""

    moment: Moment
    tunnel: int = 0  # consecutive tunnel steps that led to the page
    now: float = 0.0  # seconds, by the crawl's clock


Decide = Callable[[Sequence[Link], Asked], Decisions]
"""Decides on links of one page, without side effects."""


def _nothing(_: Link, __: Decision) -> None: ...


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that may refuse a URL at certain moments."""

    name: str
    moments: frozenset[Moment]
    decide: Decide
    hides: bool = False  # links that it refuses are hidden from the strategy too
    refused: Callable[[Link, Decision], None] = _nothing  # called with each link that it refused
    gate: LinkGate | None = None  # of the rule that asks the link gate


Test = Callable[[Link], str | None]
"""A test of one link that returns the reason to refuse it; None = the link passes."""


def url_rule(name: str, moments: frozenset[Moment], test: Callable[[], Test | None]) -> Rule:
    """A rule that decides by the link alone. `test`: returns the current test; None = all links pass."""

    def decide(links: Sequence[Link], _: Asked) -> Decisions:
        current = test()
        return None if current is None else _of(list(map(current, links)))

    return Rule(name, moments, decide, hides=True)


def gate_rule(gate: LinkGate) -> Rule:
    """The link gate as a rule: asked about the links of a page together, and about each link whose request is about to be sent."""

    def decide(links: Sequence[Link], asked: Asked) -> Decisions:
        if asked.moment in _SENT:
            redirect = asked.moment is Moment.FOLLOWED
            return [gate.decided_when_sent(link, asked.tunnel, is_redirect=redirect) for link in links]
        return None if gate.is_open else gate.decided(links, asked.tunnel)

    return Rule(GATE, _FOUND | _SENT, decide, gate=gate)


def budget_rule(budgets: Budgets) -> Rule:
    """A rule that refuses hosts and sites whose budget is spent; their URLs keep waiting."""

    def decide(links: Sequence[Link], _: Asked) -> Decisions:
        return _of([budgets.spent(link.host) for link in links], postpones=True)

    def refused(link: Link, decision: Decision) -> None:
        budgets.close(link.host, decision.reason)

    return Rule(BUDGET, _LEASED, decide, refused=refused)


def trap_rule(budgets: Budgets) -> Rule:
    """A rule that refuses URLs that look like a crawler trap: forms that no ordinary site has, or that have led to no more useful pages."""

    def decide(links: Sequence[Link], asked: Asked) -> Decisions:
        return _of([why and f"{TRAP}: {why}" for why in (budgets.trap(link, asked.now) for link in links)])

    def refused(_: Link, decision: Decision) -> None:
        budgets.refused[decision.reason.split(": ")[1]] += 1

    return Rule(TRAP, _LEASED, decide, refused=refused)


def by_column(links: Sequence[Link]) -> PageLinks:
    """The links of a page as columns, which rules can test without making a `Link` object for each."""
    return links if isinstance(links, PageLinks) else PageLinks.of(links)


def depth_limit(most: int) -> Rule:
    """A rule that refuses links deeper than `most` link steps from the seeds; 0 = no limit."""
    why = f"deeper than {most}"
    test: Test = lambda link: why if link.source_url and most < link.depth else None  # noqa: E731
    return url_rule(DEPTH, _FOUND, lambda: test if most > 0 else None)


def url_length(most: int) -> Rule:
    """A rule that refuses URLs longer than `most` characters; 0 = no limit. Seeds may be longer."""
    why = f"longer than {most} characters"

    def decide(links: Sequence[Link], _: Asked) -> Decisions:
        if most <= 0 or max(map(len, by_column(links).urls), default=0) <= most:
            return None
        return _of([why if most < len(link.url) and link.source_url else None for link in links])

    return Rule(URL_LENGTH, _FOUND, decide, hides=True)


def allowed_domains(allows: Callable[[], Callable[[str], bool] | None]) -> Rule:
    """A rule that refuses links to hosts outside the domains of the crawl; seeds pass.

    `allows`: returns the test whether a host, without port, is in these domains; None = all hosts are allowed.
    """

    def test() -> Test | None:
        if (is_allowed := allows()) is None:
            return None

        def reason(link: Link) -> str | None:
            host = urlsplit(link.url).hostname or ""
            return f"off site: {host}" if link.source_url and not is_allowed(host) else None

        return reason

    return url_rule(ALLOWED_DOMAINS, _FOUND, test)


def within(domains: Iterable[str]) -> Callable[[], Callable[[str], bool] | None]:
    """An `allows` function for `allowed_domains`: hosts of these domains and their subdomains; without domains any host."""
    wanted = tuple(domains)
    is_within = lambda host: any(host == one or host.endswith(f".{one}") for one in wanted)  # noqa: E731
    return lambda: is_within if wanted else None


def blocked(blocks: Blocks) -> Rule:
    """A rule that refuses what the user has blocked while the crawl runs."""

    def test() -> Test | None:
        return (lambda link: blocks.reason(link.url)) if blocks.any() else None

    return url_rule(BLOCKED, frozenset(Moment), test)


def private_network(seed_hosts: Iterable[str]) -> Rule:
    """A rule that refuses hosts with the name or address of a private network. `seed_hosts`: hosts of the seeds, with ports; they pass."""
    own = frozenset(seed_hosts)

    def reason(link: Link) -> str | None:
        if link.host in own:
            return None
        name = (urlsplit(link.url).hostname or "").lower()
        return f"{PRIVATE_ADDRESS}: {address_of(name) or name}" if is_inside(name) else None

    return url_rule(PRIVATE_NETWORK, _FETCHED, lambda: reason)


@dataclass(frozen=True, slots=True)
class DownloaderRule:
    """A rule that the downloader applies; here for explanations only. `known`: its verdict on a link, or None if there is none yet."""

    name: str
    known: Callable[[Link], Decision | None]


def redirected(came: Link, target: str) -> Link:
    """The link by which rules decide on a redirect from `came` to a canonical URL."""
    source = came.url if came.source_url else ""  # the target of a seed's redirect counts as a seed
    kind = LISTING if came.kind == LISTING else ""  # and that of a listing as a listing
    return Link(target, host_of(target), came.anchor, came.before, came.after, kind=kind, source_url=source)


Refused = Callable[[str, Sequence[Link]], None]


class Admission:
    """The rules of one crawl, in the order given in the module docstring, whatever the order of `rules`.

    `refused`: called with the name of a rule that refuses, and the links it refuses; not called for explanations, nor for a request that is
    about to be sent, which its sender counts.
    """

    def __init__(self, rules: Iterable[Rule | DownloaderRule] = (), refused: Refused | None = None) -> None:
        self.refused = refused
        self._rules: list[Rule | DownloaderRule] = []
        self.add(*rules)

    def add(self, *rules: Rule | DownloaderRule) -> None:
        """Add rules, each at its place in the order."""
        self._rules = sorted([*self._rules, *rules], key=lambda rule: ORDER.index(rule.name))
        self._applied: list[Rule] = [rule for rule in self._rules if not isinstance(rule, DownloaderRule)]

    @property
    def names(self) -> list[str]:
        """The names of all rules, in order."""
        return [rule.name for rule in self._rules]

    def ask(self, link: Link, moment: Moment, tunnel: int = 0, now: float = 0.0) -> Decision:
        """The decision of the first rule that refuses the link, else of the last rule applied."""
        decision = PASSED
        for rule in self._applied:
            if moment in rule.moments:
                decision = (rule.decide([link], Asked(moment, tunnel, now)) or _ONE)[0]
                if not decision.passed:
                    if moment not in _SENT:
                        self._notify(rule, [link], [decision])
                    break
        return decision

    def offered(self, links: Sequence[Link]) -> PageLinks:
        """The links of a page that are not hidden from the strategy."""
        for rule in self._applied:
            if rule.hides and Moment.FOUND in rule.moments:
                found = rule.decide(links, Asked(Moment.FOUND))
                if found is not None:
                    links = self._passed(rule, links, found)
        return by_column(links)

    def queued(self, links: Sequence[Link], tunnel: int = 0) -> Sequence[Decision]:
        """For each of the offered links, the decision whether it may be queued."""
        decisions: Sequence[Decision] = [PASSED] * len(links)
        for rule in self._applied:
            if not rule.hides and Moment.FOUND in rule.moments:
                found = rule.decide(links, Asked(Moment.FOUND, tunnel))
                if found is None:
                    continue
                self._passed(rule, links, found)
                decisions = [
                    one if before.passed else before for one, before in zip(found, decisions, strict=True)
                ]
        return decisions

    def best_first(self, links: Sequence[Link]) -> list[int]:
        """The positions of links of one page in the order of the gate, the best first; in the order of the page without a gate."""
        gate = next((rule.gate for rule in self._applied if rule.gate is not None), LinkGate())
        return gate.best_first(links)

    def explained(self, link: Link, tunnel: int = 0, now: float = 0.0) -> list[tuple[str, Decision | None]]:
        """The name of each rule and its decision now; None where it is not known. A link without a URL, given by its words only, is
        decided by the gate alone."""
        return [(rule.name, _decision_now(rule, link, tunnel, now)) for rule in self._rules]

    def _passed(self, rule: Rule, links: Sequence[Link], decisions: Sequence[Decision]) -> Sequence[Link]:
        pairs = list(zip(links, decisions, strict=True))
        refused = [(link, decision) for link, decision in pairs if not decision.passed]
        if not refused:
            return links
        self._notify(rule, [link for link, _ in refused], [decision for _, decision in refused])
        return [link for link, decision in pairs if decision.passed]

    def _notify(self, rule: Rule, links: Sequence[Link], decisions: Sequence[Decision]) -> None:
        for link, decision in zip(links, decisions, strict=True):
            rule.refused(link, decision)
        if self.refused is not None:
            self.refused(rule.name, links)


def _decision_now(rule: Rule | DownloaderRule, link: Link, tunnel: int, now: float) -> Decision | None:
    if not link.url and rule.name != GATE:
        return None
    if isinstance(rule, DownloaderRule):
        return rule.known(link)
    moments = (Moment.SENT, Moment.LEASED, Moment.FOUND)
    moment = next(one for one in moments if one in rule.moments)
    return (rule.decide([link], Asked(moment, tunnel, now)) or _ONE)[0]


def _of(reasons: Sequence[str | None], *, postpones: bool = False) -> Sequence[Decision] | None:
    """The decisions for a list of reasons, one for each link; None where no link has a reason to be refused."""
    if not any(reasons):
        return None
    return [Decision(False, reason=why, postpones=postpones) if why else PASSED for why in reasons]

"""May this URL be fetched? One ordered list of rules, applied alike by a crawl, a replay and `scrapy explain`.

A URL is checked when a page's link is found, when its row is leased, and when the request of a lease is retried or redirected.
Each rule names the moments at which it applies; the first that refuses decides, and is counted.

    depth, url_length, allowed_domains  found                       the link is hidden from the strategy
    blocked                             all                         as above
    private_network                     all but found               by the spelling of its host
    rules of other packages             as they say                 entry points of the group topiccrawler.admission_rules
    budget                              leased                      the URL keeps waiting, its host is closed (frontier.budgets)
    trap                                leased                      the URL is discarded (frontier.traps)
    gate                                found, leased, redirected   passed to the strategy and not queued
    robots_txt, resolved_address        applied by the downloader    their verdicts are read here, for explanations only

A text that is no http(s) URL has no canonical form (urls.canonical), so it is no link. What a page's own bytes or date decide comes later
(crawling.gate.Restrictions).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol
from urllib.parse import urlsplit

from topiccrawler.crawling.gate import Blocks, Decision, LinkGate
from topiccrawler.entry_points import named, part
from topiccrawler.errors import StateError
from topiccrawler.frontier.budgets import Budgets
from topiccrawler.links.page_links import PageLinks
from topiccrawler.model import Link
from topiccrawler.urls.canonical import host_of
from topiccrawler.urls.private_hosts import address_of, is_inside

DEPTH, URL_LENGTH, ALLOWED_DOMAINS = "depth", "url_length", "allowed_domains"
BLOCKED, PRIVATE_NETWORK, BUDGET, TRAP, GATE = "blocked", "private_network", "budget", "trap", "gate"
ROBOTS_TXT, RESOLVED_ADDRESS = "robots_txt", "resolved_address"
BEFORE_OTHERS = (DEPTH, URL_LENGTH, ALLOWED_DOMAINS, BLOCKED, PRIVATE_NETWORK)
AFTER_OTHERS = (BUDGET, TRAP, GATE, ROBOTS_TXT, RESOLVED_ADDRESS)
GROUP = "topiccrawler.admission_rules"
MEMBERS = ("name", "moments", "hides", "decide", "refused")  # of a Rule
PRIVATE_ADDRESS = "private address"
PASSED = Decision(True)
_ONE = (PASSED,)


class Moment(Enum):
    """When a URL is checked."""

    FOUND = "found"  # as a link of a page, before it is queued
    LEASED = "leased"  # just before its request is made
    RETRIED = "retried"  # its request came back
    REDIRECTED = "redirected"  # another URL's request leads to it


_FOUND = frozenset({Moment.FOUND})
_FETCHED = frozenset({Moment.LEASED, Moment.RETRIED, Moment.REDIRECTED})


class Rule(Protocol):
    """One reason not to fetch a URL. `hides`: a link that it refuses is hidden from the strategy too."""

    @property
    def name(self) -> str: ...

    @property
    def moments(self) -> frozenset[Moment]: ...

    @property
    def hides(self) -> bool: ...

    def decide(
        self, links: Sequence[Link], moment: Moment, tunnel: int, now: float
    ) -> Sequence[Decision] | None:
        """A decision a link; None = all pass. It changes nothing. `tunnel`: tunnel steps in a row that led to the links' page, 0 or more. `now`: seconds, the
        crawl's clock."""

    def refused(self, link: Link, decision: Decision) -> None:
        """A link was refused for this."""


Test = Callable[[Link], str | None]
"""Why a link is refused; None = it passes."""


@dataclass(frozen=True, slots=True)
class UrlRule:
    """A rule that needs the link alone. `test`: returns the current test; None = all pass."""

    name: str
    moments: frozenset[Moment]
    test: Callable[[], Test | None]
    hides: bool = True

    def decide(
        self, links: Sequence[Link], moment: Moment, tunnel: int, now: float
    ) -> Sequence[Decision] | None:
        test = self.test()
        return None if test is None else _of(list(map(test, links)))

    def refused(self, link: Link, decision: Decision) -> None: ...


@dataclass(frozen=True, slots=True)
class GateRule:
    """The link gate. A redirect that follows a second chance is part of it."""

    gate: LinkGate
    name: str = GATE
    moments: frozenset[Moment] = _FOUND | {Moment.LEASED, Moment.REDIRECTED}
    hides: bool = False

    def decide(
        self, links: Sequence[Link], moment: Moment, tunnel: int, now: float
    ) -> Sequence[Decision] | None:
        if moment is Moment.REDIRECTED and tunnel:
            return None
        return self.gate.decided(links, tunnel)

    def refused(self, link: Link, decision: Decision) -> None: ...


@dataclass(frozen=True, slots=True)
class BudgetRule:
    """Hosts and sites that have cost enough."""

    budgets: Budgets
    name: str = BUDGET
    moments: frozenset[Moment] = frozenset({Moment.LEASED})
    hides: bool = False

    def decide(
        self, links: Sequence[Link], moment: Moment, tunnel: int, now: float
    ) -> Sequence[Decision] | None:
        return _of([self.budgets.spent(link.host) for link in links], postpones=True)

    def refused(self, link: Link, decision: Decision) -> None:
        self.budgets.close(link.host, decision.reason)


@dataclass(frozen=True, slots=True)
class TrapRule:
    """Forms of URLs that no ordinary site has, or that were no longer useful."""

    budgets: Budgets
    name: str = TRAP
    moments: frozenset[Moment] = frozenset({Moment.LEASED})
    hides: bool = False

    def decide(
        self, links: Sequence[Link], moment: Moment, tunnel: int, now: float
    ) -> Sequence[Decision] | None:
        return _of([why and f"{TRAP}: {why}" for why in (self.budgets.trap(link, now) for link in links)])

    def refused(self, link: Link, decision: Decision) -> None:
        self.budgets.refused[decision.reason.split(": ")[1]] += 1


def by_column(links: Sequence[Link]) -> PageLinks:
    """The links of a page, from whose columns rules may decide without making each Link."""
    return links if isinstance(links, PageLinks) else PageLinks.of(links)


def depth_limit(most: int) -> Rule:
    """`most`: link steps from the seeds; 0 = no bound."""
    why = f"deeper than {most}"
    test: Test = lambda link: why if link.source_url and most < link.depth else None  # noqa: E731
    return UrlRule(DEPTH, _FOUND, lambda: test if most > 0 else None)


@dataclass(frozen=True, slots=True)
class UrlLengthRule:
    """`most`: characters of a URL; 0 = no bound. Seeds may be longer."""

    most: int
    name: str = URL_LENGTH
    moments: frozenset[Moment] = _FOUND
    hides: bool = True

    def decide(
        self, links: Sequence[Link], moment: Moment, tunnel: int, now: float
    ) -> Sequence[Decision] | None:
        if self.most <= 0 or max(map(len, by_column(links).urls), default=0) <= self.most:
            return None
        why = f"longer than {self.most} characters"
        return _of([why if self.most < len(link.url) and link.source_url else None for link in links])

    def refused(self, link: Link, decision: Decision) -> None: ...


def allowed_domains(allows: Callable[[], Callable[[str], bool] | None]) -> Rule:
    """`allows`: returns the test whether a host, without port, is in the domains of the crawl; None = all hosts are. Seeds
    need not be of them."""

    def test() -> Test | None:
        if (is_allowed := allows()) is None:
            return None

        def reason(link: Link) -> str | None:
            host = urlsplit(link.url).hostname or ""
            return f"off site: {host}" if link.source_url and not is_allowed(host) else None

        return reason

    return UrlRule(ALLOWED_DOMAINS, _FOUND, test)


def within(domains: Iterable[str]) -> Callable[[], Callable[[str], bool] | None]:
    """Hosts of these domains and their subdomains are allowed; without domains any host."""
    wanted = tuple(domains)
    is_within = lambda host: any(host == one or host.endswith(f".{one}") for one in wanted)  # noqa: E731
    return lambda: is_within if wanted else None


def blocked(blocks: Blocks) -> Rule:
    """What the user has blocked while the crawl runs."""

    def test() -> Test | None:
        return (lambda link: blocks.reason(link.url)) if blocks.any() else None

    return UrlRule(BLOCKED, frozenset(Moment), test)


def private_network(seed_hosts: Iterable[str]) -> Rule:
    """Hosts spelled as private ones. `seed_hosts`: the user's own, with ports; they pass."""
    own = frozenset(seed_hosts)

    def reason(link: Link) -> str | None:
        if link.host in own:
            return None
        name = (urlsplit(link.url).hostname or "").lower()
        return f"{PRIVATE_ADDRESS}: {address_of(name) or name}" if is_inside(name) else None

    return UrlRule(PRIVATE_NETWORK, _FETCHED, lambda: reason)


@dataclass(frozen=True, slots=True)
class DownloaderRule:
    """A rule that the downloader asks by itself. `known`: its verdict where it is known already."""

    name: str
    known: Callable[[Link], Decision | None]


def redirected(came: Link, target: str) -> Link:
    """The link that a redirect from `came` to a canonical URL is judged as."""
    source = came.url if came.source_url else ""  # where a seed leads to is what the user wants
    return Link(target, host_of(target), came.anchor, came.before, came.after, source_url=source)


Refused = Callable[[str, Sequence[Link]], None]


class Admission:
    """The rules of one crawl, in the order above, whatever the order of `rules`.

    `refused`: notified of the name of each rule that refuses, and of the links; explanations do not count.
    """

    def __init__(self, rules: Iterable[Rule | DownloaderRule] = (), refused: Refused | None = None) -> None:
        self.refused = refused
        self._rules: list[Rule | DownloaderRule] = []
        self.add(*rules)

    def add(self, *rules: Rule | DownloaderRule) -> None:
        """Take more rules, each in its place."""
        self._rules = sorted([*self._rules, *rules], key=lambda rule: _place(rule.name))
        self._asked: list[Rule] = [rule for rule in self._rules if not isinstance(rule, DownloaderRule)]

    @property
    def names(self) -> list[str]:
        """Of all rules, in order."""
        return [rule.name for rule in self._rules]

    def ask(self, link: Link, moment: Moment, tunnel: int = 0, now: float = 0.0) -> Decision:
        """The decision of the first rule that refuses, else of the last one applied."""
        decision = PASSED
        for rule in self._asked:
            if moment in rule.moments:
                decision = (rule.decide([link], moment, tunnel, now) or _ONE)[0]
                if not decision.passed:
                    self._notify(rule, [link], [decision])
                    break
        return decision

    def offered(self, links: Sequence[Link]) -> PageLinks:
        """The links of a page that the strategy is offered."""
        for rule in self._asked:
            if rule.hides and Moment.FOUND in rule.moments:
                found = rule.decide(links, Moment.FOUND, 0, 0.0)
                if found is not None:
                    links = self._passed(rule, links, found)
        return by_column(links)

    def queued(self, links: Sequence[Link], tunnel: int = 0) -> Sequence[Decision]:
        """Which of the offered links may be queued: a decision each."""
        decisions: Sequence[Decision] = [PASSED] * len(links)
        for rule in self._asked:
            if not rule.hides and Moment.FOUND in rule.moments:
                found = rule.decide(links, Moment.FOUND, tunnel, 0.0)
                if found is None:
                    continue
                self._passed(rule, links, found)
                decisions = [
                    one if before.passed else before for one, before in zip(found, decisions, strict=True)
                ]
        return decisions

    def explained(self, link: Link, tunnel: int = 0, now: float = 0.0) -> list[tuple[str, Decision | None]]:
        """Each rule's name and its decision now; None where it is not known. A link in words, without a URL, has the gate's alone."""
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


def rules_of_packages(*arguments: object) -> list[Rule]:
    """What the entry points of other packages make: functions that return a Rule, called with these arguments. StateError for one that fails."""
    return [
        part(point, f"admission rule {name!r}", StateError, arguments, MEMBERS)
        for name, point in named(GROUP).items()
    ]


def _place(name: str) -> int:
    if name in AFTER_OTHERS:
        return len(BEFORE_OTHERS) + 1 + AFTER_OTHERS.index(name)
    return BEFORE_OTHERS.index(name) if name in BEFORE_OTHERS else len(BEFORE_OTHERS)


def _decision_now(rule: Rule | DownloaderRule, link: Link, tunnel: int, now: float) -> Decision | None:
    if not link.url and rule.name != GATE:
        return None
    if isinstance(rule, DownloaderRule):
        return rule.known(link)
    moment = Moment.LEASED if Moment.LEASED in rule.moments else Moment.FOUND
    return (rule.decide([link], moment, tunnel, now) or _ONE)[0]


def _of(reasons: Sequence[str | None], *, postpones: bool = False) -> Sequence[Decision] | None:
    """None where there is no reason to refuse any."""
    if not any(reasons):
        return None
    return [Decision(False, reason=why, postpones=postpones) if why else PASSED for why in reasons]

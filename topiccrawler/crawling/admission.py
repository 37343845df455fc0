"""May this URL be fetched? One ordered list of rules, asked alike by the scheduler, the replay and `scrapy explain`.

A URL is asked about when a page's link is found, when its row is leased, and when the request of a lease comes back for the same URL or
leads to another. Each rule says at which of these moments it is asked; the first that refuses decides, and is counted.

    depth, url_length, allowed_domains  found                       the link is hidden from the strategy
    blocked                             all                         as above
    private_network                     all but found               by the spelling of its host
    gate                                found, leased, redirected   shown to the strategy and not queued
    robots_txt, resolved_address        asked by the downloader     their verdicts are read here, for explanations only

Budgets and traps are asked before these rules are (frontier.budgets): they postpone whole hosts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter
from typing import Protocol
from urllib.parse import urlsplit

from topiccrawler.crawling.gate import Blocks, Decision, LinkGate
from topiccrawler.model import Link
from topiccrawler.urls.canonical import host_of
from topiccrawler.urls.private_hosts import address_of, is_inside

DEPTH, URL_LENGTH, ALLOWED_DOMAINS = "depth", "url_length", "allowed_domains"
BLOCKED, PRIVATE_NETWORK, GATE = "blocked", "private_network", "gate"
ROBOTS_TXT, RESOLVED_ADDRESS = "robots_txt", "resolved_address"
ORDER = (
    DEPTH,
    URL_LENGTH,
    ALLOWED_DOMAINS,
    BLOCKED,
    PRIVATE_NETWORK,
    GATE,
    ROBOTS_TXT,
    RESOLVED_ADDRESS,
)
PRIVATE_ADDRESS = "private address"
PASSED = Decision(True)


class Moment(Enum):
    """When a URL is asked about."""

    FOUND = "found"  # as a link of a page, before it is queued
    LEASED = "leased"  # just before its request is made
    RETRIED = "retried"  # its request came back
    REDIRECTED = "redirected"  # another URL's request leads to it


_DEPTH_AND_SOURCE, _HOST_AND_SOURCE = attrgetter("depth", "source_url"), attrgetter("host", "source_url")
_FOUND = frozenset({Moment.FOUND})
_FETCHED = frozenset({Moment.LEASED, Moment.RETRIED, Moment.REDIRECTED})


class Rule(Protocol):
    """One reason not to fetch a URL. `hides`: a link that it refuses is not shown to the strategy either."""

    @property
    def name(self) -> str: ...

    @property
    def moments(self) -> frozenset[Moment]: ...

    @property
    def hides(self) -> bool: ...

    def verdict(self, link: Link, moment: Moment, tunnel: int = 0) -> Decision:
        """At a moment when the rule is not asked it passes. `tunnel`: tunnel steps in a row that led to the link's page, 0 or more."""

    def verdicts(self, links: Sequence[Link], moment: Moment, tunnel: int = 0) -> Sequence[Decision]:
        """Of several links at once."""


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class UrlRule:
    """A rule that needs the link alone. `reason`: why it is refused; None = it passes.

    `applies`: False = no link would be refused now, so none is looked at. `alike`: what the reason goes by, where many links of
    a page share it; None = each link is looked at.
    """

    name: str
    moments: frozenset[Moment]
    reason: Callable[[Link], str | None]
    hides: bool = True
    applies: Callable[[], bool] = _always
    alike: Callable[[Link], Hashable] | None = None

    def verdict(self, link: Link, moment: Moment, tunnel: int = 0) -> Decision:
        why = self.reason(link) if moment in self.moments else None
        return PASSED if why is None else Decision(False, reason=why)

    def verdicts(self, links: Sequence[Link], moment: Moment, tunnel: int = 0) -> Sequence[Decision]:
        if moment not in self.moments or not self.applies():
            return [PASSED] * len(links)
        if self.alike is None:
            reasons = map(self.reason, links)
        else:
            keys = [*map(self.alike, links)]
            reason_of = {key: self.reason(link) for key, link in dict(zip(keys, links, strict=True)).items()}
            reasons = map(reason_of.__getitem__, keys)
        return [PASSED if why is None else Decision(False, reason=why) for why in reasons]


@dataclass(frozen=True, slots=True)
class GateRule:
    """The link gate. A redirect that follows a second chance is part of it."""

    gate: LinkGate
    name: str = GATE
    moments: frozenset[Moment] = _FOUND | {Moment.LEASED, Moment.REDIRECTED}
    hides: bool = False

    def verdict(self, link: Link, moment: Moment, tunnel: int = 0) -> Decision:
        return self.verdicts([link], moment, tunnel)[0]

    def verdicts(self, links: Sequence[Link], moment: Moment, tunnel: int = 0) -> Sequence[Decision]:
        if moment not in self.moments or (moment is Moment.REDIRECTED and tunnel):
            return [PASSED] * len(links)
        return self.gate.decided(links, tunnel)


def depth_limit(most: Callable[[], int]) -> Rule:
    """`most`: link steps from the seeds; 0 = no bound."""

    def reason(link: Link) -> str | None:
        return f"deeper than {most()}" if link.source_url and 0 < most() < link.depth else None

    return UrlRule(DEPTH, _FOUND, reason, applies=lambda: most() > 0, alike=_DEPTH_AND_SOURCE)


def url_length(most: Callable[[], int]) -> Rule:
    """`most`: characters of a URL; 0 = no bound."""

    def reason(link: Link) -> str | None:
        too_long = len(link.url) > most() > 0 and link.source_url
        return f"longer than {most()} characters" if too_long else None

    return UrlRule(URL_LENGTH, _FOUND, reason, applies=lambda: most() > 0)


def allowed_domains(allows: Callable[[str], bool], applies: Callable[[], bool] = _always) -> Rule:
    """`allows`: whether a host, without port, is of the domains that the crawl stays on. Seeds need not be. `applies`: False = the
    crawl may go anywhere now."""

    def reason(link: Link) -> str | None:
        host = urlsplit(link.url).hostname or ""
        return f"off site: {host}" if link.source_url and not allows(host) else None

    return UrlRule(ALLOWED_DOMAINS, _FOUND, reason, applies=applies, alike=_HOST_AND_SOURCE)


def within(domains: Iterable[str]) -> Callable[[str], bool]:
    """Whether a host is one of these domains or a subdomain; no domains = any host."""
    wanted = tuple(domains)
    return lambda host: not wanted or any(host == one or host.endswith(f".{one}") for one in wanted)


def blocked(blocks: Blocks) -> Rule:
    """What the user has blocked while the crawl runs."""
    return UrlRule(BLOCKED, frozenset(Moment), lambda link: blocks.reason(link.url), applies=blocks.any)


def private_network(seed_hosts: Iterable[str]) -> Rule:
    """Hosts spelled as private ones. `seed_hosts`: the user's own, with ports; they pass."""
    own = frozenset(seed_hosts)

    def reason(link: Link) -> str | None:
        if link.host in own:
            return None
        name = (urlsplit(link.url).hostname or "").lower()
        return f"{PRIVATE_ADDRESS}: {address_of(name) or name}" if is_inside(name) else None

    return UrlRule(PRIVATE_NETWORK, _FETCHED, reason)


@dataclass(frozen=True, slots=True)
class Told:
    """A rule that the downloader asks by itself. `known`: its verdict where it is known already."""

    name: str
    known: Callable[[Link], Decision | None]


def redirected(came: Link, target: str) -> Link:
    """The link that a redirect from `came` to a canonical URL is judged as."""
    return Link(target, host_of(target), came.anchor, came.before, came.after, source_url=came.url)


Refused = Callable[[str, Sequence[Link]], None]


class Admission:
    """The rules of one crawl, in the order of ORDER, whatever the order they are given in.

    `refused`: notified of the name of each rule that refuses, and of the links; explanations do not count.
    """

    def __init__(self, rules: Iterable[Rule | Told] = (), refused: Refused | None = None) -> None:
        self.refused = refused
        self._rules: list[Rule | Told] = []
        self.add(*rules)

    def add(self, *rules: Rule | Told) -> None:
        """Take more rules, each in its place. ValueError for a name that ORDER lacks."""
        self._rules = sorted([*self._rules, *rules], key=lambda rule: ORDER.index(rule.name))
        self._asked: list[Rule] = [rule for rule in self._rules if not isinstance(rule, Told)]

    @property
    def names(self) -> list[str]:
        """Of all rules, in order."""
        return [rule.name for rule in self._rules]

    def ask(self, link: Link, moment: Moment, tunnel: int = 0) -> Decision:
        """The verdict of the first rule that refuses, else of the last one asked."""
        verdict = PASSED
        for rule in self._asked:
            if moment not in rule.moments:
                continue
            verdict = rule.verdict(link, moment, tunnel)
            if not verdict.passed:
                self._notify(rule, [link])
                break
        return verdict

    def shown(self, links: Sequence[Link]) -> Sequence[Link]:
        """The links of a page that the strategy is shown."""
        for rule in self._asked:
            if rule.hides and Moment.FOUND in rule.moments:
                verdicts = rule.verdicts(links, Moment.FOUND)
                links = self._passed(rule, links, verdicts)
        return links

    def queued(self, links: Sequence[Link], tunnel: int = 0) -> Sequence[Decision]:
        """Of links that the strategy was shown, which are queued: a verdict each."""
        rule = next((rule for rule in self._asked if not rule.hides), None)
        if rule is None:
            return [PASSED] * len(links)
        verdicts = rule.verdicts(links, Moment.FOUND, tunnel)
        self._passed(rule, links, verdicts)
        return verdicts

    def explained(self, link: Link, tunnel: int = 0) -> list[tuple[str, Decision | None]]:
        """Each rule's name and its verdict now; None where it is not known. A link in words, without a URL, has the gate's alone."""
        return [(rule.name, self._now(rule, link, tunnel)) for rule in self._rules]

    @staticmethod
    def _now(rule: Rule | Told, link: Link, tunnel: int) -> Decision | None:
        if not link.url and rule.name != GATE:
            return None
        if isinstance(rule, Told):
            return rule.known(link)
        moment = Moment.LEASED if Moment.LEASED in rule.moments else Moment.FOUND
        return rule.verdict(link, moment, tunnel)

    def _passed(self, rule: Rule, links: Sequence[Link], verdicts: Sequence[Decision]) -> Sequence[Link]:
        kept = [link for link, verdict in zip(links, verdicts, strict=True) if verdict.passed]
        if len(kept) == len(links):
            return links
        self._notify(
            rule, [link for link, verdict in zip(links, verdicts, strict=True) if not verdict.passed]
        )
        return kept

    def _notify(self, rule: Rule, links: Sequence[Link]) -> None:
        if self.refused is not None:
            self.refused(rule.name, links)

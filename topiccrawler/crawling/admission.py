"""May this URL be fetched? One ordered list of rules, applied alike by a crawl, a replay and `scrapy explain`.

A URL is checked when a page's link is found, when its row is leased, and when the request of a lease is retried or redirected.
Each rule names the moments at which it applies; the first that refuses decides, and is counted.

    depth, url_length, allowed_domains  found                       the link is hidden from the strategy
    blocked                             all                         as above
    private_network                     all but found               by the spelling of its host
    rules of other packages             as they say                 entry points of the group topiccrawler.admission_rules
    budget                              leased                      the URL keeps waiting, its host is closed (frontier.budgets)
    trap                                leased                      the URL is discarded (frontier.budgets)
    gate                                found, leased, redirected   passed to the strategy and not queued
    robots_txt, resolved_address        applied by the downloader    their verdicts are read here, for explanations only

A text that is no http(s) URL has no canonical form (urls.canonical), so it is no link. What a page's own bytes or date decide comes later
(crawling.harvest.Restrictions).

The link gate. The conflict: most of a queue is never fetched, but a crawl that only follows good links never finds what is behind a poor
one; and a decision made when a link was queued may be wrong when it is fetched. So the gate refuses only links that the link model finds
hopeless (its threshold admits 98 % of the relevant links in held-out data). It decides again before a link is fetched. It admits a few poor
links as tunnel steps, the same ones in each run.

What a user blocks while the crawl runs (urls.unwanted) is a note of the queue, so it survives a restart.
Reference: Li, Zhao & Yu, SkyReach, 2003, §3.4, step 5; MySpider thesis (2009) §4.2.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Protocol
from urllib.parse import urlsplit

import numpy as np

from topiccrawler.crawling.sharing import Exchange
from topiccrawler.crawling.site_listings import LISTING
from topiccrawler.entry_points import named, part
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.base import Notes
from topiccrawler.frontier.budgets import Budgets
from topiccrawler.links.page_links import PageLinks
from topiccrawler.model import Link
from topiccrawler.strategies.base import LinkScorer
from topiccrawler.strategies.link_features import probability
from topiccrawler.urls.canonical import host_of
from topiccrawler.urls.unwanted import Block, address_of, is_inside

logger = logging.getLogger(__name__)

DEPTH, URL_LENGTH, ALLOWED_DOMAINS = "depth", "url_length", "allowed_domains"
BLOCKED, PRIVATE_NETWORK, BUDGET, TRAP, GATE = "blocked", "private_network", "budget", "trap", "gate"
ROBOTS_TXT, RESOLVED_ADDRESS = "robots_txt", "resolved_address"
BEFORE_OTHERS = (DEPTH, URL_LENGTH, ALLOWED_DOMAINS, BLOCKED, PRIVATE_NETWORK)
AFTER_OTHERS = (BUDGET, TRAP, GATE, ROBOTS_TXT, RESOLVED_ADDRESS)
GROUP = "topiccrawler.admission_rules"
MEMBERS = ("name", "moments", "hides", "decide", "refused")  # of a Rule
PRIVATE_ADDRESS = "private address"


class Moment(Enum):
    """When a URL is checked."""

    FOUND = "found"  # as a link of a page, before it is queued
    LEASED = "leased"  # just before its request is made
    RETRIED = "retried"  # its request came back
    REDIRECTED = "redirected"  # another URL's request leads to it


_FOUND = frozenset({Moment.FOUND})
_FETCHED = frozenset({Moment.LEASED, Moment.RETRIED, Moment.REDIRECTED})


@dataclass(frozen=True, slots=True)
class Decision:
    """What a rule says of one link."""

    passed: bool
    tunnel: int = 0  # tunnel steps in a row, this one included, when the gate lets it through
    probability: float | None = None  # P(+|link); None when the gate is open and did not score the link
    reason: str = ""  # why
    postpones: bool = False  # a refused URL keeps waiting, its host is passed over


PASSED = Decision(True)
_ONE = (PASSED,)
Decisions = Sequence[Decision] | None
"""One a link; None = all pass."""


class Rule(Protocol):
    """One reason not to fetch a URL. `hides`: a link that it refuses is hidden from the strategy too."""

    @property
    def name(self) -> str: ...

    @property
    def moments(self) -> frozenset[Moment]: ...

    @property
    def hides(self) -> bool: ...

    def decide(self, links: Sequence[Link], moment: Moment, tunnel: int, now: float) -> Decisions:
        """It changes nothing. `tunnel`: tunnel steps in a row that led to the links' page, 0 or more. `now`: seconds, the
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

    def decide(self, links: Sequence[Link], moment: Moment, tunnel: int, now: float) -> Decisions:
        test = self.test()
        return None if test is None else _of(list(map(test, links)))

    def refused(self, link: Link, decision: Decision) -> None: ...


REFUSED = "below link threshold"
OPEN = "the gate stands open"
SEED = "a seed"
OF_SITE = "a listing of a site with relevant pages"


@dataclass(slots=True)
class LinkGate:
    """Refuses links whose probability lies under the threshold.

    `threshold`: 0..1, 0 = open; a running crawl may change it. `tunnel_probability`: 0..1, share of poor links that get a second chance.
    `tunnel_depth`: how many second chances in a row a path may use.
    A URL's hash decides about its second chance, so that a run repeats. Source: SkyReach §2.3.4, MySpider §2.4.
    """

    scorer: LinkScorer | None = None
    threshold: float = 0.0
    tunnel_probability: float = 0.0
    tunnel_depth: int = 0

    def decide(self, link: Link, tunnel: int = 0) -> Decision:
        """Of one link. `tunnel`: consecutive tunnel steps that led to its page."""
        return self.decided([link], tunnel)[0]

    def decided(self, links: Sequence[Link], tunnel: int = 0) -> list[Decision]:
        """Of links of one page; the scorer is asked once for all of them."""
        if self.threshold <= 0.0 or self.scorer is None:
            return [_EXEMPT.get(_exempt(link), _OPEN) for link in links]
        exempt = list(map(_exempt, links))
        judged = [link for link, why in zip(links, exempt, strict=True) if not why] if any(exempt) else links
        probabilities = iter(probability(np.array(self.scorer.log_odds(judged))).tolist() if judged else ())
        return [
            _EXEMPT[why] if why else self._decided(link, next(probabilities), tunnel)
            for link, why in zip(links, exempt, strict=True)
        ]

    def passing(self, links: Sequence[Link], tunnel: int = 0) -> Sequence[Link]:
        """Those that pass."""
        decided = self.decided(links, tunnel)
        return [link for link, verdict in zip(links, decided, strict=True) if verdict.passed]

    def _decided(self, link: Link, probability: float, tunnel: int) -> Decision:
        if probability >= self.threshold:
            return Decision(True, 0, probability, f"at or above the threshold {self.threshold:g}")
        if tunnel < self.tunnel_depth and _share(link.url) < self.tunnel_probability:
            return Decision(True, tunnel + 1, probability, f"second chance, tunnel step {tunnel + 1}")
        return Decision(False, 0, probability, REFUSED)


_OPEN = Decision(True, reason=OPEN)
_EXEMPT = {OF_SITE: Decision(True, reason=OF_SITE), SEED: Decision(True, reason=SEED)}


def _exempt(link: Link) -> str:
    """Why the gate does not look at a link; empty when it does."""
    return OF_SITE if link.kind == LISTING else "" if link.source_url else SEED


def _share(url: str) -> float:
    """A number in 0..1 that depends on the URL alone."""
    return (
        int.from_bytes(hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        / 2**64
    )


@dataclass(frozen=True, slots=True)
class GateRule:
    """The link gate. A redirect that follows a second chance is part of it."""

    gate: LinkGate
    name: str = GATE
    moments: frozenset[Moment] = _FOUND | {Moment.LEASED, Moment.REDIRECTED}
    hides: bool = False

    def decide(self, links: Sequence[Link], moment: Moment, tunnel: int, now: float) -> Decisions:
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

    def decide(self, links: Sequence[Link], moment: Moment, tunnel: int, now: float) -> Decisions:
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

    def decide(self, links: Sequence[Link], moment: Moment, tunnel: int, now: float) -> Decisions:
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

    def decide(self, links: Sequence[Link], moment: Moment, tunnel: int, now: float) -> Decisions:
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


NOTE = "blocks"


class Blocks:
    """The blocks of one crawl; with an `exchange` a block of one process counts for all."""

    def __init__(self, notes: Notes, exchange: Exchange | None = None) -> None:
        self._notes, self._exchange = notes, exchange
        self._received = 0  # announcements
        try:
            kept = json.loads(notes.get(NOTE) or "[]")
            self._blocks = [Block(**block) for block in kept]
        except (ValueError, TypeError, ArgumentError) as error:
            raise StateError("the job's blocks", f"are damaged ({error})", "choose another JOBDIR") from None

    def add(self, block: Block) -> None:
        """Block from now on, in all processes."""
        if self._keep(block) and self._exchange is not None:
            self._exchange.announce(json.dumps({NOTE: asdict(block)}, ensure_ascii=False))

    def any(self) -> bool:
        """Something is blocked."""
        self._receive()
        return bool(self._blocks)

    def reason(self, url: str) -> str | None:
        """Why a URL is blocked; None when it is not."""
        self._receive()
        return next((block.reason for block in self._blocks if block.matches(url)), None)

    def _keep(self, block: Block) -> bool:
        """False when it is known."""
        if block in self._blocks:
            return False
        self._blocks.append(block)
        self._notes.put(NOTE, json.dumps([asdict(one) for one in self._blocks], ensure_ascii=False))
        return True

    def _receive(self) -> None:
        """Add the blocks that other processes announced."""
        if self._exchange is None or self._received == len(self._exchange.announced):
            return
        new = self._exchange.announced[self._received :]
        self._received += len(new)
        for text in new:
            try:
                block = Block(**json.loads(text)[NOTE])
            except (ValueError, TypeError, KeyError, ArgumentError) as error:
                logger.warning("A block announced by another process is damaged (%s): skipped", error)
                continue
            if self._keep(block):
                logger.info("Block announced by another process: %s", block.text)


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

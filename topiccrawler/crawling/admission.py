"""Decides which URLs may be fetched, by one ordered list of rules for a crawl, a replay and `scrapy explain`.

`Admission` checks a URL when it is found as a link, when its row is leased, when the request of a lease is retried or redirected, and in
the downloader middleware, just before its request is sent. Each `Rule` names the moments at which it applies. The first rule that refuses
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

`LinkGate` drops links that probably lead to irrelevant pages. The conflict: most of a queue is never fetched, but a crawl that only follows
good links never finds what is behind a poor one; and a decision made when a link was queued may be wrong when it is fetched. So the gate
refuses only links to which the link model gives a very low probability (its threshold admits 98 % of the relevant links in held-out data).
It decides again before a link is fetched, with the current link model, topic and threshold. It admits a few poor links as tunnel steps, the
same ones in each run.

`Blocks` holds what a user blocks while the crawl runs (urls.unwanted). It is a note of the queue, so it survives a restart.
Reference: Li, Zhao & Yu, SkyReach, 2003, §3.4, step 5; MySpider thesis (2009) §2.4.
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
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.base import Notes
from topiccrawler.frontier.budgets import Budgets
from topiccrawler.links.page_links import PageLinks
from topiccrawler.model import LISTING, Link
from topiccrawler.strategies.base import LinkScorer
from topiccrawler.strategies.link_features import probability
from topiccrawler.urls.canonical import host_of
from topiccrawler.urls.unwanted import Block, address_of, is_inside

logger = logging.getLogger(__name__)

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


_FOUND = frozenset({Moment.FOUND})
_FETCHED = frozenset({Moment.LEASED, Moment.RETRIED, Moment.REDIRECTED})
_SENT = frozenset({Moment.SENT, Moment.FOLLOWED})


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision of a rule on one link."""

    passed: bool
    tunnel: int = 0  # consecutive tunnel steps, this one included; 0 = no tunnel step
    probability: float | None = None  # P(+|link); None when the gate did not score the link
    reason: str = ""  # why it passed or was refused
    postpones: bool = False  # a refused URL keeps waiting, and its host is skipped


PASSED = Decision(True)
_ONE = (PASSED,)
Decisions = Sequence[Decision] | None
"""One decision for each link; None = all links pass."""


class Rule(Protocol):
    """A rule that may refuse a URL. `hides`: links that it refuses are hidden from the strategy too."""

    @property
    def name(self) -> str: ...

    @property
    def moments(self) -> frozenset[Moment]: ...

    @property
    def hides(self) -> bool: ...

    def decide(self, links: Sequence[Link], moment: Moment, tunnel: int, now: float) -> Decisions:
        """Decide on links of one page, without side effects. `tunnel`: consecutive tunnel steps that led to the page, 0 or more.
        `now`: seconds, by the crawl's clock."""

    def refused(self, link: Link, decision: Decision) -> None:
        """Notify the rule that a link was refused by its decision."""


Test = Callable[[Link], str | None]
"""A test of one link that returns the reason to refuse it; None = the link passes."""


@dataclass(frozen=True, slots=True)
class UrlRule:
    """A rule that decides by the link alone. `test`: returns the current test; None = all links pass."""

    name: str
    moments: frozenset[Moment]
    test: Callable[[], Test | None]
    hides: bool = True

    def decide(self, links: Sequence[Link], moment: Moment, tunnel: int, now: float) -> Decisions:
        test = self.test()
        return None if test is None else _of(list(map(test, links)))

    def refused(self, link: Link, decision: Decision) -> None: ...


REFUSED = "below link threshold"
OPEN = "the gate is open"
SEED = "a seed"
OF_SITE = "a listing of a site with relevant pages"
OF_TUNNEL = "the redirect of a tunnel step"


@dataclass(slots=True)
class LinkGate:
    """Refuses links whose probability is below the threshold.

    `threshold`: 0..1, 0 = open; a running crawl may change it. `tunnel_probability`: 0..1, share of poor links that get a second chance.
    `tunnel_depth`: how many consecutive second chances a path may use.
    The hash of a URL decides whether it gets a second chance, so that runs are repeatable. Source: SkyReach §2.3.4, MySpider §2.4.
    """

    scorer: LinkScorer | None = None
    threshold: float = 0.0
    tunnel_probability: float = 0.0
    tunnel_depth: int = 0

    def decide(self, link: Link, tunnel: int = 0) -> Decision:
        """The decision on one link. `tunnel`: consecutive tunnel steps that led to the page of the link."""
        return self.decided([link], tunnel)[0]

    def decided(self, links: Sequence[Link], tunnel: int = 0) -> list[Decision]:
        """The decisions on links of one page; one call of the scorer scores them all."""
        if self.threshold <= 0.0 or self.scorer is None:
            return [_EXEMPT.get(_exempt(link), _OPEN) for link in links]
        exempt = list(map(_exempt, links))
        judged = [link for link, why in zip(links, exempt, strict=True) if not why] if any(exempt) else links
        probabilities = iter(probability(np.array(self.scorer.log_odds(judged))).tolist() if judged else ())
        return [
            _EXEMPT[why] if why else self._decided(link, next(probabilities), tunnel)
            for link, why in zip(links, exempt, strict=True)
        ]

    def decided_when_sent(self, link: Link, tunnel: int = 0, *, is_redirect: bool = False) -> Decision:
        """The decision on one link whose request is about to be sent. It is scored in any case, also by an open gate, but a seed is not: it
        has neither anchor nor context.

        `is_redirect`: `link` is the target of a redirect. After a tunnel step it belongs to that step and passes.
        """
        if not link.source_url or self.scorer is None:
            return _EXEMPT.get(_exempt(link), _OPEN)
        scored = float(probability(np.array(self.scorer.log_odds([link])))[0])
        if link.kind == LISTING:
            return Decision(True, probability=scored, reason=OF_SITE)
        if is_redirect and tunnel:
            return Decision(True, tunnel, scored, OF_TUNNEL)
        if self.threshold <= 0.0:
            return Decision(True, probability=scored, reason=OPEN)
        return self._decided(link, scored, tunnel)

    def best_first(self, links: Sequence[Link]) -> list[int]:
        """The positions of links of one page, the most probable first; in the order of the page without a model."""
        if self.scorer is None:
            return list(range(len(links)))
        order: list[int] = np.argsort(-np.array(self.scorer.log_odds(links)), kind="stable").tolist()
        return order

    def passing(self, links: Sequence[Link], tunnel: int = 0) -> Sequence[Link]:
        """The links that pass. `tunnel`: consecutive tunnel steps that led to their page."""
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
    """The reason why the gate admits a link without scoring it; empty when the gate scores it."""
    return OF_SITE if link.kind == LISTING else "" if link.source_url else SEED


def _share(url: str) -> float:
    """A pseudo-random number in 0..1 that depends on the URL alone."""
    return (
        int.from_bytes(hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        / 2**64
    )


@dataclass(frozen=True, slots=True)
class GateRule:
    """The link gate as a rule: asked about the links of a page together, and about each link whose request is about to be sent."""

    gate: LinkGate
    name: str = GATE
    moments: frozenset[Moment] = _FOUND | _SENT
    hides: bool = False

    def decide(self, links: Sequence[Link], moment: Moment, tunnel: int, now: float) -> Decisions:
        if moment in _SENT:
            redirect = moment is Moment.FOLLOWED
            return [self.gate.decided_when_sent(link, tunnel, is_redirect=redirect) for link in links]
        return self.gate.decided(links, tunnel)

    def refused(self, link: Link, decision: Decision) -> None: ...


@dataclass(frozen=True, slots=True)
class BudgetRule:
    """Refuses hosts and sites whose budget is spent; their URLs keep waiting."""

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
    """Refuses URLs that look like a crawler trap: forms that no ordinary site has, or that have led to no more useful pages."""

    budgets: Budgets
    name: str = TRAP
    moments: frozenset[Moment] = frozenset({Moment.LEASED})
    hides: bool = False

    def decide(self, links: Sequence[Link], moment: Moment, tunnel: int, now: float) -> Decisions:
        return _of([why and f"{TRAP}: {why}" for why in (self.budgets.trap(link, now) for link in links)])

    def refused(self, link: Link, decision: Decision) -> None:
        self.budgets.refused[decision.reason.split(": ")[1]] += 1


def by_column(links: Sequence[Link]) -> PageLinks:
    """The links of a page as columns, which rules can test without making a `Link` object for each."""
    return links if isinstance(links, PageLinks) else PageLinks.of(links)


def depth_limit(most: int) -> Rule:
    """A rule that refuses links deeper than `most` link steps from the seeds; 0 = no limit."""
    why = f"deeper than {most}"
    test: Test = lambda link: why if link.source_url and most < link.depth else None  # noqa: E731
    return UrlRule(DEPTH, _FOUND, lambda: test if most > 0 else None)


@dataclass(frozen=True, slots=True)
class UrlLengthRule:
    """Refuses URLs longer than `most` characters; 0 = no limit. Seeds may be longer."""

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

    return UrlRule(ALLOWED_DOMAINS, _FOUND, test)


def within(domains: Iterable[str]) -> Callable[[], Callable[[str], bool] | None]:
    """An `allows` function for `allowed_domains`: hosts of these domains and their subdomains; without domains any host."""
    wanted = tuple(domains)
    is_within = lambda host: any(host == one or host.endswith(f".{one}") for one in wanted)  # noqa: E731
    return lambda: is_within if wanted else None


BLOCKS_NOTE = "blocks"


class Blocks:
    """The blocks that users have set in one crawl; with an `exchange`, a block set in one process applies in all."""

    def __init__(self, notes: Notes, exchange: Exchange | None = None) -> None:
        self._notes, self._exchange = notes, exchange
        self._received = 0  # announcements of other processes that were applied
        try:
            kept = json.loads(notes.get(BLOCKS_NOTE) or "[]")
            self._blocks = [Block(**block) for block in kept]
        except (ValueError, TypeError, ArgumentError) as error:
            raise StateError("the job's blocks", f"are damaged ({error})", "choose another JOBDIR") from None

    def add(self, block: Block) -> None:
        """Apply a block from now on, in all processes."""
        if self._keep(block) and self._exchange is not None:
            self._exchange.announce(json.dumps({BLOCKS_NOTE: asdict(block)}, ensure_ascii=False))

    def any(self) -> bool:
        """Whether there is any block."""
        self._receive()
        return bool(self._blocks)

    def reason(self, url: str) -> str | None:
        """Why a URL is blocked; None when it is not."""
        self._receive()
        return next((block.reason for block in self._blocks if block.matches(url)), None)

    def _keep(self, block: Block) -> bool:
        """Store a block; False when it was stored before."""
        if block in self._blocks:
            return False
        self._blocks.append(block)
        self._notes.put(BLOCKS_NOTE, json.dumps([asdict(one) for one in self._blocks], ensure_ascii=False))
        return True

    def _receive(self) -> None:
        """Add the blocks that other processes announced."""
        if self._exchange is None or self._received == len(self._exchange.announced):
            return
        new = self._exchange.announced[self._received :]
        self._received += len(new)
        for text in new:
            try:
                block = Block(**json.loads(text)[BLOCKS_NOTE])
            except (ValueError, TypeError, KeyError, ArgumentError) as error:
                logger.warning("A block announced by another process is damaged (%s): skipped", error)
                continue
            if self._keep(block):
                logger.info("Block announced by another process: %s", block.text)


def blocked(blocks: Blocks) -> Rule:
    """A rule that refuses what the user has blocked while the crawl runs."""

    def test() -> Test | None:
        return (lambda link: blocks.reason(link.url)) if blocks.any() else None

    return UrlRule(BLOCKED, frozenset(Moment), test)


def private_network(seed_hosts: Iterable[str]) -> Rule:
    """A rule that refuses hosts with the name or address of a private network. `seed_hosts`: hosts of the seeds, with ports; they pass."""
    own = frozenset(seed_hosts)

    def reason(link: Link) -> str | None:
        if link.host in own:
            return None
        name = (urlsplit(link.url).hostname or "").lower()
        return f"{PRIVATE_ADDRESS}: {address_of(name) or name}" if is_inside(name) else None

    return UrlRule(PRIVATE_NETWORK, _FETCHED, lambda: reason)


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
                decision = (rule.decide([link], moment, tunnel, now) or _ONE)[0]
                if not decision.passed:
                    if moment not in _SENT:
                        self._notify(rule, [link], [decision])
                    break
        return decision

    def offered(self, links: Sequence[Link]) -> PageLinks:
        """The links of a page that are not hidden from the strategy."""
        for rule in self._applied:
            if rule.hides and Moment.FOUND in rule.moments:
                found = rule.decide(links, Moment.FOUND, 0, 0.0)
                if found is not None:
                    links = self._passed(rule, links, found)
        return by_column(links)

    def queued(self, links: Sequence[Link], tunnel: int = 0) -> Sequence[Decision]:
        """For each of the offered links, the decision whether it may be queued."""
        decisions: Sequence[Decision] = [PASSED] * len(links)
        for rule in self._applied:
            if not rule.hides and Moment.FOUND in rule.moments:
                found = rule.decide(links, Moment.FOUND, tunnel, 0.0)
                if found is None:
                    continue
                self._passed(rule, links, found)
                decisions = [
                    one if before.passed else before for one, before in zip(found, decisions, strict=True)
                ]
        return decisions

    def best_first(self, links: Sequence[Link]) -> list[int]:
        """The positions of links of one page in the order of the gate, the best first; in the order of the page without a gate."""
        gate = next((rule.gate for rule in self._rules if isinstance(rule, GateRule)), LinkGate())
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
    return (rule.decide([link], moment, tunnel, now) or _ONE)[0]


def _of(reasons: Sequence[str | None], *, postpones: bool = False) -> Sequence[Decision] | None:
    """The decisions for a list of reasons, one for each link; None where no link has a reason to be refused."""
    if not any(reasons):
        return None
    return [Decision(False, reason=why, postpones=postpones) if why else PASSED for why in reasons]

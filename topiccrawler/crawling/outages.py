"""Decides what failed requests say of their URL, of its host, or of the network, and when each is tried again.

One failure can mean any of the three; what else succeeds tells them apart.

- URL: it is set aside, and tried again after growing gaps. A failed try counts only once another request has succeeded on the same way
  (below), which proves that the network was there. After `url_tries` of them the URL is given up.
- Host: a failure that no single URL causes (refused, no such host, TLS), or a second one in a row, makes the host back off, with doubling
  gaps. After `host_failures` in a row the host is closed: its URLs wait until the job is resumed. A busy server (429, 503) is one that
  fails and says so; Retry-After sets the gap.
- Network: connections to several hosts fail and none succeeds. In a crawl of many dead hosts such a run is no sign, so its length depends
  on the share p of failures before it: n hosts in a row are suspicious when p^n < SUSPICIOUS. The crawl then leases nothing and asks a host
  that has answered before for its robots.txt (a probe). If that fails too, the network is away: the failures of the run count for nothing,
  and further probes follow with growing gaps, until one succeeds. If it succeeds, the hosts themselves have failed.

A way is how a request leaves: directly, or through one proxy. Each way is judged by itself. When only one of several is away, the hosts
that were asked through it wait, and the crawl goes on.

A crawl that nothing has answered yet has no host to probe, so for it there are only failed URLs and hosts.
"""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

from topiccrawler.frontier.hosts import Hosts
from topiccrawler.urls.canonical import host_of, site_of

logger = logging.getLogger(__name__)

ANSWERED_NOTE = "answered"  # name of the note with hosts to probe, for a resumed job
RETRY_AFTER, BACK_OFF = "retry-after", "back-off"  # reasons of waits that servers requested
CHALLENGED = "challenge"  # reason of a wait after a challenge in place of a page
FAILING, CLOSED, NETWORK = "failing", "closed", "network away"  # prefixes of reasons of other waits
BUSY = (429, 503)
PASSING = (408, 425, 429)
_HTTP = "http "
LEAST_HOSTS = 2  # in a run
SUSPICIOUS = 1e-3
MEMORY = 0.98  # weight of a request in the share of failures, for each later one
PROBED_HOSTS = 4  # hosts that answered last, of distinct sites where there are several
PROBE_SECONDS, PROBE_MAX_SECONDS = 1.0, 60.0  # gap after the first failed probe; it doubles
_MOST_DOUBLINGS = 30
_GROWTH = 8  # of the gaps of a URL: 10 s, 80 s, 11 min, an hour
_MOST_GROWTH = 10


def passes(status: int) -> bool:
    """Whether an HTTP status may be another one later: 408, 425, 429 and all from 500."""
    return status >= 500 or status in PASSING


def status_reason(status: int) -> str:
    """The reason of a failure by an HTTP status."""
    return f"{_HTTP}{status}"


def status_in(reason: str) -> int:
    """The HTTP status in a reason; 0 for a failure without a response."""
    return int(reason.removeprefix(_HTTP)) if reason.startswith(_HTTP) else 0


class Sign(NamedTuple):
    """What the reason of a failure says by itself."""

    network: bool  # no connection, or no answer on it: may be ours
    host: bool  # no single URL causes it


@dataclass(frozen=True, slots=True)
class Patience:
    """How often failures are tried again, and after which gaps."""

    url_tries: int = 5  # then the URL is given up
    host_failures: int = 10  # in a row; then the host is closed, and its URLs wait for the next run
    first_seconds: float = 10.0  # the first gap of a URL or a host
    most_seconds: float = 3600.0  # the longest gap


@dataclass(slots=True)
class _Aside:
    """A URL that is set aside."""

    due: float
    host: str


@dataclass(slots=True)
class _Way:
    roots: deque[str]  # of hosts that answered last, as http://host; the latest is last
    failures: float = 0.0  # decayed counts before the run
    requests: float = 0.0
    used: bool = False  # in this run
    # hosts that failed since the last success, and URLs whose failed try does not count yet, with the time, oldest first
    run: dict[str, float] = field(default_factory=dict)
    uncounted: dict[str, float] = field(default_factory=dict)
    suspected: bool = False
    away_since: float | None = None
    probe_due: float = inf
    gap: float = PROBE_SECONDS
    probes: int = 0

    @property
    def is_fine(self) -> bool:
        return not self.suspected and self.away_since is None


class Outages:
    """The failures of one crawl. Backs off `hosts`; the caller sets URLs aside, recalls them and sends the probes.

    `count(url)`: a failed try of that URL counts; `recall(urls)`: these may be leased again. Times in seconds, by one clock.
    """

    def __init__(
        self,
        hosts: Hosts,
        *,
        count: Callable[[str], None] = lambda _: None,
        recall: Callable[[Sequence[str]], None] = lambda _: None,
        patience: Patience = Patience(),
    ) -> None:
        self._hosts = hosts
        self.count, self.recall = count, recall
        # called with the hosts that failed in an outage, when it is over
        self.returned: Callable[[Sequence[str]], None] = lambda _: None
        self.patience = patience
        self._ways: dict[str, _Way] = {}
        self._failures: dict[str, int] = {}  # host -> failures in a row
        self._challenging: set[str] = set()  # hosts whose latest page was a challenge
        self._answering: set[str] = set()  # hosts that have answered in this run
        self._aside: dict[str, _Aside] = {}
        # a heap; an entry counts while its URL is aside until that time
        self._timetable: list[tuple[float, str]] = []
        self.outages = 0  # of the network, in this run

    # --- what happened

    def answered(
        self,
        root: str,
        host: str,
        status: int,
        now: float,
        *,
        begun: float | None = None,
        way: str = "",
        retry_after: float | None = None,
        is_probe: bool = False,
        is_robots: bool = False,
    ) -> str | None:
        """A response arrived, with whatever status. Returns the reason of the back-off that a busy server has requested, if it is one.

        `root`: the root of the host, as http://host; `begun`: when the request was sent; `retry_after`: the seconds that the server asks for.
        `is_robots`: to a request for robots.txt, whose other failures engine.robots_middleware answers.
        """
        self._succeeded(way, root, now if begun is None else begun, now, is_probe=is_probe)
        if not passes(status):
            if host not in self._challenging:
                self._failures.pop(host, None)
            self._hosts.hopeless.discard(host)
            self._answering.add(host)
            return None
        if status not in BUSY:
            if not is_robots:
                self._host_failed(host, status_reason(status), now, is_host=False)
            return None
        # 0 asks for no pause, which a busy host needs all the same
        gap = retry_after or self._gap(self._count_failure(host, now))
        reason = RETRY_AFTER if retry_after else BACK_OFF
        self._hosts.back_off(host, now + min(gap, self.patience.most_seconds), reason)
        return reason

    def challenged(self, host: str, now: float) -> None:
        """A host answered with a challenge in place of a page. It backs off twice as long as before, until `recovered`: challenges have
        status 200."""
        failures = self._count_failure(host, now)
        self._challenging.add(host)
        self._hosts.back_off(host, now + self._gap(failures), CHALLENGED)

    def recovered(self, host: str) -> None:
        """A host answered with a page."""
        if host in self._challenging:
            self._challenging.remove(host)
            self._failures.pop(host, None)

    def failed(
        self, host: str, reason: str, sign: Sign, now: float, *, way: str = "", is_robots: bool = False
    ) -> None:
        """A request got no response: for a page, a robots.txt (`is_robots`), or as a probe."""
        where = self._way(way)
        where.used = True
        if not where.is_fine:
            where.run.setdefault(host, now)
            if where.away_since is not None and where.probe_due < inf:
                self._hosts.back_off(host, where.probe_due, NETWORK)
            return
        if not is_robots:
            self._host_failed(host, reason, now, is_host=sign.host)
        if not sign.network:
            return
        where.run.pop(host, None)
        where.run[host] = now
        share = (where.failures + 1) / (where.requests + 2)
        if len(where.run) >= LEAST_HOSTS and share ** len(where.run) < SUSPICIOUS and where.roots:
            where.suspected, where.probe_due = True, now

    def probed(self, way: str, now: float) -> None:
        """The probe of a way has ended. It failed unless `answered` was called meanwhile."""
        where = self._way(way)
        if where.is_fine:
            return
        if where.away_since is None:
            where.away_since, where.suspected, where.gap = now, False, PROBE_SECONDS
            self.outages += 1
            logger.warning(
                "%s away: connections to %d hosts fail and none succeeds. The URLs wait unharmed, and the crawl goes on by itself",
                _named(way).capitalize(),
                len(where.run),
            )
            self._forgive(where, now)
        else:
            where.gap = min(2 * where.gap, PROBE_MAX_SECONDS)
        where.probe_due = now + where.gap
        for host in where.run:
            self._hosts.back_off(host, where.probe_due, NETWORK)

    def set_aside(
        self, url: str, host: str, tries: int, now: float, *, way: str = "", counts: bool = False
    ) -> bool:
        """The fetch of a URL failed, after `tries` others that count. `counts`: the caller counts this one at once, because the server has
        answered; else it counts when the way is proved to be fine.

        Returns whether the URL is to be set aside until it is recalled; False = it waits like any other, since the network is away.
        """
        where = self._way(way)
        if where.away_since is not None:
            return False
        gap = min(
            self.patience.first_seconds * _GROWTH ** min(tries, _MOST_GROWTH), self.patience.most_seconds
        )
        if not tries and self._hosts.waiting_reason(host, now) in {RETRY_AFTER, BACK_OFF}:
            gap = self._hosts.back_off_until(host) - now  # the server has said when
        self._aside[url] = _Aside(now + gap, host)
        heappush(self._timetable, (now + gap, url))
        if not counts:
            where.uncounted.pop(url, None)
            where.uncounted[url] = now
        return True

    def given_up(self, url: str) -> None:
        """A URL is not tried again."""
        self._aside.pop(url, None)

    # --- what follows

    def recall_due(self, now: float) -> None:
        """Recall the URLs whose gap is over; O(log URLs) each."""
        due = []
        while (first := self.next_due()) is not None and first <= now:
            _, url = heappop(self._timetable)
            del self._aside[url]
            due.append(url)
        if due:
            self.recall(due)

    def next_due(self) -> float | None:
        """The time to call `recall_due` again; None = no URL is set aside."""
        while self._timetable:
            due, url = self._timetable[0]
            if (one := self._aside.get(url)) is not None and one.due == due:
                return due
            heappop(self._timetable)
        return None

    @property
    def stops(self) -> bool:
        """Whether nothing is to be requested now: no way that the crawl uses is fine."""
        ways = [way.is_fine for way in self._ways.values() if way.used]
        return bool(ways) and not any(ways)

    def probe(self, now: float) -> tuple[str, str] | None:
        """The way to be probed now, and the root of the host to ask; None when no probe is due. `probed` follows."""
        for name, way in self._ways.items():
            if way.probe_due <= now:
                way.probe_due = inf  # until its result
                way.probes += 1
                return name, way.roots[-1 - (way.probes - 1) % len(way.roots)]
        return None

    def next_probe(self) -> float | None:
        """When the next probe is due; None when none is."""
        due = min((way.probe_due for way in self._ways.values()), default=inf)
        return due if due < inf else None

    @property
    def is_settled(self) -> bool:
        """Whether no host and no URL has failed and waits to be tried again."""
        return not self._failures and not self._aside

    def urls_are_worth_waiting(self, now: float) -> bool:
        """Whether a crawl with nothing else to do waits for a URL that was set aside: it does for the second try, not for later ones, and
        not for hosts that have never answered in this run while others have."""
        soon = now + self.patience.first_seconds
        return any(
            one.due <= soon and (one.host in self._answering or not self._answering)
            for one in self._aside.values()
        )

    def line(self, now: float) -> str:
        """What is away, since when, and when it is tried again, for people; empty when nothing is."""
        for name, way in self._ways.items():
            if way.away_since is not None:
                again = (
                    "" if way.probe_due == inf else f", tried again in {max(0.0, way.probe_due - now):.0f} s"
                )
                return f"{_named(name)} away for {now - way.away_since:.0f} s{again}"
        return ""

    # --- hosts to probe, for a resumed job

    def note(self) -> str:
        """The hosts that have answered last, and the share of failures, as JSON."""
        ways = self._ways.items()
        kept = {name: [list(way.roots), round(way.failures, 3), round(way.requests, 3)] for name, way in ways}
        return json.dumps(kept, ensure_ascii=False)

    def restore(self, note: str | None) -> None:
        """Restore a note; a damaged one is ignored."""
        try:
            for name, (roots, failures, requests) in json.loads(note or "{}").items():
                way = _Way(deque(map(str, roots), PROBED_HOSTS), float(failures), float(requests))
                self._ways[str(name)] = way
                self._answering.update(map(host_of, way.roots))
        except (ValueError, TypeError, AttributeError):
            logger.warning("The note on hosts that have answered is damaged, and is ignored")

    # ---

    def _way(self, name: str) -> _Way:
        return self._ways.get(name) or self._ways.setdefault(name, _Way(deque(maxlen=PROBED_HOSTS)))

    def _succeeded(self, name: str, root: str, begun: float, now: float, *, is_probe: bool) -> None:
        """Note a success, which says nothing of what failed after its request had been sent: an answer may arrive late."""
        way = self._way(name)
        way.used = True
        if not way.is_fine:
            if not is_probe:  # only a probe decides
                way.probe_due = min(way.probe_due, now) if way.probe_due < inf else inf
                return
            self._is_back(name, way, now)
        while way.run and next(iter(way.run.values())) <= begun:
            del way.run[next(iter(way.run))]
            way.failures = way.failures * MEMORY + 1
            way.requests = way.requests * MEMORY + 1
        way.failures *= MEMORY
        way.requests = way.requests * MEMORY + 1
        if not way.roots or way.roots[-1] != root:
            site = site_of(host_of(root))
            for other in [other for other in way.roots if site_of(host_of(other)) == site]:
                way.roots.remove(other)
            way.roots.append(root)
        while way.uncounted and next(iter(way.uncounted.values())) <= begun:
            url = next(iter(way.uncounted))
            del way.uncounted[url]
            self.count(url)

    def _is_back(self, name: str, way: _Way, now: float) -> None:
        if way.away_since is not None:
            logger.warning("%s back after %.0f s", _named(name).capitalize(), now - way.away_since)
            for host in way.run:
                if self._hosts.waiting_reason(host, now) == NETWORK:
                    self._hosts.reopen(host)
            self.returned(list(way.run))
            way.run.clear()
        way.suspected, way.away_since, way.probe_due, way.gap = False, None, inf, PROBE_SECONDS

    def _forgive(self, way: _Way, now: float) -> None:
        """Let the failures of the run count for nothing: the network has caused them."""
        for host in way.run:
            failed = self._failures.pop(host, 0)
            reason = self._hosts.waiting_reason(host, now) or ""
            if failed and reason.startswith((FAILING, CLOSED)):
                self._hosts.reopen(host)
                self._hosts.hopeless.discard(host)
        urls, way.uncounted = list(way.uncounted), {}
        for url in urls:
            self._aside.pop(url, None)
        if urls:
            self.recall(urls)

    def _count_failure(self, host: str, now: float) -> int:
        """Count a failure of a host, unless it backs off already: requests that were under way together fail together."""
        failures = self._failures.get(host, 0)
        if not failures or self._hosts.back_off_until(host) <= now:
            failures = self._failures[host] = failures + 1
        return failures

    def _host_failed(self, host: str, reason: str, now: float, *, is_host: bool) -> None:
        failures = self._count_failure(host, now)
        if failures >= self.patience.host_failures:
            if self._hosts.back_off_until(host) < inf:
                text = "Host %s is closed: %s, %d times in a row. Its URLs wait until the job is resumed"
                logger.info(text, host, reason, failures)
            self._hosts.back_off(host, inf, f"{CLOSED}: {reason}")
        elif is_host or failures > 1:
            self._hosts.back_off(host, now + self._gap(failures), f"{FAILING}: {reason}")
            if host not in self._answering:
                self._hosts.hopeless.add(host)

    def _gap(self, failures: int) -> float:
        patience = self.patience
        return min(patience.first_seconds * 2.0 ** min(failures - 1, _MOST_DOUBLINGS), patience.most_seconds)


def _named(way: str) -> str:
    return f"the proxy {way} is" if way else "the network is"

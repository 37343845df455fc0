"""Connects a strategy with the frontier whose queue it orders, in the same way for a live crawl and a replay.

The conflict: a strategy must not know how URLs are stored, a frontier must not know what a score means, and live crawls and replays must
fetch in the same order. So the rules between strategy and frontier (strategies.base) are applied in one place, in `Ordering`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from topiccrawler.crawling.admission import Admission, Moment, budget_rule, by_column, trap_rule
from topiccrawler.crawling.checkpoints import Checkpoints
from topiccrawler.crawling.rescoring import Rescoring
from topiccrawler.crawling.sharing import Learning, Prefetch, SharedQueue
from topiccrawler.crawling.site_listings import SiteListings, is_listing
from topiccrawler.frontier.base import Frontier, Leased, Postpone, Pushed, State
from topiccrawler.frontier.budgets import Budgets
from topiccrawler.frontier.host_ranking import MANY_SEEDS
from topiccrawler.links.page_links import PageLinks
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import ROOT, Strategy
from topiccrawler.urls.canonical import host_of

BELOW_LEAST_SCORE = "below the strategy's least score"
MOST_VISITED = 5_001  # links of one page that the strategy is asked about: all of any page, the best by the gate of a long sitemap
Refused = Callable[[Sequence[Link], Sequence[float | None], float], None]


class Queued(NamedTuple):
    """What became of the links of a page."""

    pushed: Mapping[Pushed, int]  # the number of links for each outcome
    lowest: float  # the lowest score queued; 0 = no link was


class Ordering:
    """Passes fetched pages to the strategy and its scores to the frontier.

    `budgets`: limits for each host; None = no limits. `durable`: see crawling.checkpoints.Checkpoints.
    `admission`: which URLs may be fetched; None = all. Applied to every link of a page and before each lease.
    `listings`: which feeds and sitemaps to fetch; None = none. `refused`: called with the links of a page that the gate refuses,
    their probabilities, and the time. `shared`: the queue of a shared crawl; None = not shared.
    """

    def __init__(
        self,
        strategy: Strategy,
        frontier: Frontier,
        budgets: Budgets | None = None,
        *,
        durable: bool = False,
        admission: Admission | None = None,
        listings: SiteListings | None = None,
        refused: Refused | None = None,
        shared: SharedQueue | None = None,
    ) -> None:
        self.strategy = strategy
        self.frontier = frontier
        self.budgets = budgets
        self.admission = admission or Admission()
        if budgets is not None:
            self.admission.add(budget_rule(budgets), trap_rule(budgets))
        self.listings, self._refused = listings, refused
        self.rescoring = Rescoring(frontier, apply=None if shared is None else shared.send_scores)
        self._refresh_asked = False
        self._shared = shared
        self.learning: Learning = (
            Checkpoints(strategy, frontier.notes, self.rescoring, durable=durable)
            if shared is None
            else shared.learning(strategy, self.rescoring)
        )
        self.pages = self.learning.load()

    def seed(self, links: Sequence[Link], now: float) -> Mapping[Pushed, int]:
        """Queue the seeds, as out-links of a virtual root page; return the number of links for each outcome.

        A job that has never fetched a page tries all of them again.
        """
        pushed: Mapping[Pushed, int] = {}
        links = self.admission.offered(links)
        self._bound_seeds(set(links.hosts))
        if not self.learning.seeds_are_known(links):
            if self.budgets is not None:
                self.budgets.seed(links)
            if self.learning.hand_over(ROOT, links):
                return pushed
            pushed = self._push(self.strategy.visit(ROOT, links), links, 0, now).pushed
            self.learning.record_visit(self.pages, ROOT, links, refreshed=False)
        if self.pages or self.frontier.look().waiting() or self._others_work():
            return pushed
        return self.frontier.push([(link, Score(link.url, 0.0)) for link in links], now=now, again=True)

    def _bound_seeds(self, hosts: set[str]) -> None:
        """Bound the slots for the hosts of a long list of seeds that have not been fetched from."""
        if len(hosts) > MANY_SEEDS:
            fetched = self.budgets.fetched_hosts() if self.budgets is not None else ()
            self.frontier.hosts.bound_seeds(hosts.difference(fetched))

    def prefetch(self, page: Page, links: Sequence[Link]) -> Prefetch | None:
        """Request what a queue on another machine knows of the links, before `visit`; None = no request is needed (crawling.sharing)."""
        if self._shared is None or self.learning.whole:
            return None
        return self._shared.prefetch(self._followed(page, by_column(links)).urls)

    def visit(self, page: Page, links: Sequence[Link], now: float) -> Mapping[Pushed, int]:
        """Pass a fetched page with its links to the strategy and queue the links it scores, or hand the page over to another process.

        Returns the number of links for each outcome.
        """
        found = self.admission.offered(links)
        for host in (host_of(page.url), "" if page.via is None else page.via.link.host):
            self.frontier.hosts.gave_page(host)
        if self.budgets is not None:
            self.budgets.read(page, found.hosts)
        links = self._followed(page, found)
        pushed: Mapping[Pushed, int] = {}
        lowest, offered = 0.0, None
        rest: list[Link] = []
        if len(links) > MOST_VISITED:
            order = self.admission.best_first(links)
            links, rest = PageLinks.of(links.at(order[:MOST_VISITED])), list(links.at(order[MOST_VISITED:]))
        if not self.learning.hand_over(page, links):
            (pushed, lowest), offered = self._visit(page, links, _tunnel(page), now)
        if rest:  # behind the others, until a refresh scores them
            scores = [Score(link.url, lowest) for link in rest]
            pushed = Counter(pushed) + Counter(self._push(scores, rest, _tunnel(page), now).pushed)
        if listings := self._listings(page):
            pushed = Counter(pushed) + Counter(self.frontier.push(listings, now=now))
        began = self._count() if offered is not None and self.learning.leads else False
        if offered is not None:
            self.learning.record_visit(self.pages, page, offered, refreshed=began)
        return pushed

    def learn(self, now: float) -> Mapping[Pushed, int]:
        """Do a slice of the learner's work for all processes of a shared crawl; return the outcomes of the links that it queued."""
        pushed: Counter[Pushed] = Counter()
        led = self.learning.leads
        for page, links in self.learning.step():
            if page is not None:
                pushed.update(self._visit(page, by_column(links), _tunnel(page), now)[0].pushed)
            self._count()
        # A new learner cannot know what its predecessor scored after publishing its last state, so it refreshes the scores.
        self._refresh_asked |= self.learning.leads and not led
        if pushed:
            self.frontier.commit()
        return pushed

    def visit_again(self, page: Page, links: Sequence[Link], now: float) -> Mapping[Pushed, int]:
        """Score and queue the new links of a page that was visited before; the page is not counted again."""
        return self._visit(
            page, self.admission.offered(links), page.via.tunnel if page.via is not None else 0, now
        )[0].pushed

    def lease(self, now: float, refusals: int = 0) -> Leased | None:
        """Lease the best URL that may be fetched now, or return None.

        `refusals`: how many URLs may be refused in this call (0 = no bound). After that many the result is None, although other
        URLs may be ready.
        """
        refused = 0

        def ask(row: Leased) -> str | Postpone | None:
            nonlocal refused
            if 0 < refusals <= refused:
                return Postpone.STOP
            if row.score < self.strategy.least_score and row.link.source_url:
                refused += 1
                self.strategy.ended(row.link.url)
                return BELOW_LEAST_SCORE
            decision = self.admission.ask(row.link, Moment.LEASED, row.tunnel, now)
            if decision.passed:
                return None
            refused += 1
            if decision.postpones:
                return Postpone.SKIP_HOST
            self.strategy.ended(row.link.url)
            return decision.reason

        leased = self.frontier.lease(now, ask)
        if leased is not None and self.budgets is not None:
            self.budgets.lease(leased.link)
        return leased

    def end(
        self, url: str, state: State, reason: str, now: float, *, fetched: bool = True, unused: bool = False
    ) -> None:
        """End the lease of a URL and report its outcome to the strategy and the budgets. `fetched`: a response was received; `unused`: no
        request was sent."""
        self.frontier.end(url, state, reason, now, unused=unused)
        self.strategy.ended(url)
        if self.budgets is not None:
            self.budgets.end(url, state, reason, fetched=fetched)

    def release(self, url: str) -> None:
        """Note that the lease of a URL was released: it was not fetched, and waits."""
        if self.budgets is not None:
            self.budgets.end(url, State.WAITING, "", fetched=False)

    def checkpoint(self) -> None:
        """Store what the strategy has learned beside the queue."""
        self.learning.save(self.pages)
        if self.budgets is not None:
            self.budgets.keep()

    def ask_refresh(self) -> None:
        """Refresh the scores of the queue from the next page on, if the strategy has a refresh; called after a parameter was changed."""
        self._refresh_asked = True

    def change_strategy(self, strategy: Strategy) -> None:
        """Continue with another strategy, and stop a running refresh."""
        self.strategy = strategy
        self.rescoring.stop()
        self.learning.change_strategy(strategy)

    def _followed(self, page: Page, links: PageLinks) -> PageLinks:
        """The links to pass to the strategy; none for a page whose links it does not follow (`Strategy.expand`)."""
        poor = self.strategy.expand == "relevant" and not page.is_target
        return PageLinks.of(()) if poor and _source_url(page) and not is_listing(page) else links

    def _listings(self, page: Page) -> list[tuple[Link, Score]]:
        """The feeds and sitemaps of the page's site that are due and may be fetched."""
        found = self.listings.of(page) if self.listings is not None else []
        return [(link, score) for link, score in found if self.admission.ask(link, Moment.FOUND).passed]

    def _others_work(self) -> bool:
        """Whether other processes work on this crawl, or have fetched pages of it."""
        if self._shared is not None and self._shared.exchange.live > 1:
            return True
        counts = self.frontier.look().counts()
        return counts[State.PROCESSING] + counts[State.COMPLETED] > 0

    def _count(self) -> bool:
        """Count a page and do a slice of a refresh. True if a refresh began with this page."""
        self.pages += 1
        every = self.strategy.refresh_every
        due = bool(every) and (self.pages % every == 0 or self._refresh_asked)
        begins = due and not self.rescoring.running
        if begins:
            self._refresh_asked = False
            self.rescoring.begin(self.strategy.refresh)
        if self.rescoring.running:
            self.rescoring.step()
        return begins

    def _visit(self, page: Page, links: PageLinks, tunnel: int, now: float) -> tuple[Queued, Sequence[Link]]:
        """Pass to the strategy those links that it wants (`offered_links`) and queue them; return the outcomes and these links.

        Most links of a page lead to URLs that are fetched already, and most of the others have been found with the same anchor before.
        """
        wanted = self.strategy.offered_links
        if wanted == "all":
            return self._push(self.strategy.visit(page, links), links, tunnel, now), links
        if self._shared is not None:
            self._shared.look_up(links.urls)
        is_open, places = self.frontier.look().sift(links.urls, links.anchors if wanted == "new" else None)
        offered = links.at(places)
        pushed, lowest = self._push(self.strategy.visit(page, offered), offered, tunnel, now)
        passed_over = {url: Pushed.KEPT if waits else Pushed.KNOWN for url, waits in is_open.items()}
        for link in offered:
            passed_over.pop(link.url, None)
        return Queued(Counter(pushed) + Counter(passed_over.values()), lowest), offered

    def _push(self, scores: Iterable[Score], links: Sequence[Link], tunnel: int, now: float) -> Queued:
        """Queue links with their scores. If a page links a URL several times, the link with the best score is queued."""
        next_link: dict[str, Link] = {}
        later: dict[str, list[Link]] = {}  # of URLs with several links
        decisions = self.admission.queued(links, tunnel)
        refused: list[Link] = []
        probabilities: list[float | None] = []
        for link, decision in zip(links, decisions, strict=True):
            if not decision.passed:
                refused.append(link)
                probabilities.append(decision.probability)
            elif next_link.setdefault(link.url, link) is not link:
                later.setdefault(link.url, []).append(link)
        best: dict[str, tuple[Link, Score]] = {}
        for score in scores:
            url = score.url
            if (scored := next_link.get(url)) is None:
                continue
            if later.get(url):
                next_link[url] = later[url].pop(0)
            if (before := best.get(url)) is None or score.value > before[1].value:
                best[url] = (scored, score)
        lowest = min([score.value for _, score in best.values()], default=0.0)
        pushed = self.frontier.push(best.values(), now=now, tunnel=tunnel)
        if refused and self._refused is not None:
            self._refused(refused, probabilities, now)
        return Queued({**pushed, Pushed.REFUSED: len(refused)} if refused else pushed, lowest)


def _tunnel(page: Page) -> int:
    """Consecutive tunnel steps up to this page; 0 when it is a target."""
    return 0 if page.is_target or page.via is None else page.via.tunnel


def _source_url(page: Page) -> str:
    """The URL of the page whose link led to this page; empty for a seed."""
    return "" if page.via is None else page.via.link.source_url

"""The one object that both the live crawl and the replay drive: a strategy and the queue it orders.

The conflict: a strategy must not know how URLs are kept, a frontier must not know what a score means, and the two
callers (Scrapy's engine, a replay) must get the same order. So the rules between
them stand here, once: strategies.base says which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from topiccrawler.crawling.admission import Admission, BudgetRule, Moment, TrapRule
from topiccrawler.crawling.checkpoints import EVERY_PAGES, LEARNING_SECONDS, OwnLearning
from topiccrawler.crawling.gate import Decision
from topiccrawler.crawling.keeping import LinkingPages
from topiccrawler.crawling.sharing import Ahead, Learning, SharedQueue
from topiccrawler.crawling.site_listings import SiteListings, is_listing
from topiccrawler.frontier.base import Frontier, Leased, Postpone, Pushed, State
from topiccrawler.frontier.budgets import Budgets
from topiccrawler.frontier.rescoring import Rescoring
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import ROOT, Expand, Strategy

Refused = Callable[[Sequence[Link], Callable[[Link], float | None], float], None]


class Ordering:
    """Gives pages to the strategy and its scores to the frontier.

    `budgets`: what a host may still be asked for; None = everything. `durable`: the frontier outlives the process.
    `admission`: which URLs may be fetched; None = all. Asked of every link of a page and before each lease.
    `expand`: "all" follows the links of every page (soft focus), "relevant" those of relevant pages and of seeds only
    (hard focus: other pages are shown to the strategy without links); None = as the strategy's paper has it.
    `listings`: says which feeds and sitemaps to ask for; None = none. `refused`: hears of the links of a page that the gate refuses,
    with what tells their probability and the time. `learning_seconds`: between two states of what was learned
    that processes which share the crawl are given. `linking_pages`: notified of each page.
    `shared`: what the frontier gives to a crawl of several processes; None = this one is alone.
    """

    def __init__(
        self,
        strategy: Strategy,
        frontier: Frontier,
        budgets: Budgets | None = None,
        *,
        durable: bool = False,
        expand: Expand | None = None,
        admission: Admission | None = None,
        checkpoint_pages: int = EVERY_PAGES,
        listings: SiteListings | None = None,
        refused: Refused | None = None,
        learning_seconds: float = LEARNING_SECONDS,
        linking_pages: LinkingPages | None = None,
        shared: SharedQueue | None = None,
    ) -> None:
        self.strategy = strategy
        self.frontier = frontier
        self.expand: Expand = expand or strategy.expand
        self.budgets = budgets
        self.admission = admission or Admission()
        if budgets is not None:
            self.admission.add(BudgetRule(budgets), TrapRule(budgets))
        self.decision = Decision(True)  # on the URL leased last
        self.listings, self._refused = listings, refused
        self.linking_pages = linking_pages
        self.rescoring = Rescoring(frontier, apply=None if shared is None else shared.send_scores)
        self._refresh_asked = False
        self._now = 0.0
        self._late: Counter[Pushed] = Counter()  # what links of other processes' pages became
        self._learning: Learning
        if shared is None:
            own = OwnLearning(
                strategy, frontier, self.rescoring, durable=durable, every_pages=checkpoint_pages
            )
            self._learning = own
        else:
            self._learning = shared.learning(
                strategy, self.rescoring, self._took, seconds=learning_seconds, every_pages=checkpoint_pages
            )
        self.pages = self._learning.load()

    def seed(self, links: Sequence[Link], now: float) -> Mapping[Pushed, int]:
        """Queue the seeds: the out-links of the virtual root page. A job that never got a page tries all of them anew."""
        pushed: Mapping[Pushed, int] = {}
        links = self.admission.shown(links)
        if not self._learning.seeds_are_known(links):
            if self.budgets is not None:
                self.budgets.seed(links)
            if self._learning.hand_over(ROOT, links):
                return pushed
            pushed = self._push(self.strategy.visit(ROOT, links), links, 0, now)
            self._learning.shown(self.pages, ROOT, links, refreshed=False)
        if self.pages or self.frontier.look().waiting() or self._others_work():
            return pushed
        return self.frontier.push([(link, Score(link.url, 0.0)) for link in links], now=now, again=True)

    def ask_ahead(self, page: Page, links: Sequence[Link]) -> Ahead | None:
        """Before a visit, where the queue is on another machine: ask it about the links (crawling.sharing.SharedQueue)."""
        if not self._learning.is_shared:
            return None
        return self._learning.ask_ahead(link.url for link in self._followed(page, links))

    def visit(self, page: Page, links: Sequence[Link], now: float) -> Mapping[Pushed, int]:
        """Show a fetched page with all its links to the strategy and queue what it scores; or let another process do so."""
        links = self.admission.shown(links)
        if self.budgets is not None:
            self.budgets.linked(page, links)
        links = self._followed(page, links)
        pushed: Mapping[Pushed, int] = {}
        shown: Sequence[Link] | None = None
        if not self._learning.hand_over(page, links):
            pushed, shown = self._show(page, links, _tunnel(page), now)
        if found := self._listings(page):
            pushed = Counter(pushed) + Counter(self.frontier.push(found, now=now))
        began = self._count() if shown is not None and self._learning.leads else False
        if self.budgets is not None:
            self.budgets.read(page)
        if self.linking_pages is not None and page.via is not None and not is_listing(page):
            self.linking_pages.read(page)
        if shown is not None:
            self._learning.shown(self.pages, page, shown, refreshed=began)
        return pushed

    def learn(self, now: float) -> Mapping[Pushed, int]:
        """With a shared crawl: a slice of what one process does for all. What became of the links that it queued."""
        if not self._learning.is_shared:
            return {}
        self._now = now
        led = self._learning.leads
        self._learning.step()
        # what the one before had scored since its last state is not known
        self._refresh_asked |= self._learning.leads and not led
        pushed, self._late = self._late, Counter()
        if pushed:
            self.frontier.commit()
        return pushed

    def figures(self) -> Mapping[str, float]:
        """Of a crawl of several processes, for the stats: by key."""
        return self._learning.figures()

    def pending(self) -> bool:
        """Something waits, or is under way in another process, whose links may be fetched here."""
        return self._learning.pending()

    def next_ready(self, now: float) -> float | None:
        """When to ask for a lease again, on the clock of `now`; None = nothing can be fetched before something changes."""
        return self._learning.next_ready(now)

    def visit_again(self, page: Page, links: Sequence[Link], now: float) -> Mapping[Pushed, int]:
        """Show a page that was visited before for the links that are new on it; it counts for nothing else."""
        links = self.admission.shown(links)
        return self._show(page, links, page.via.tunnel if page.via is not None else 0, now)[0]

    def lease(self, now: float, refusals: int = 0) -> Leased | None:
        """The best URL that may be fetched now; what was decided on it is `decision`. After so many `refusals` (0 = no bound) it is
        None for this time: `next_ready` says whether to ask again."""
        refused = 0
        decisions: dict[str, Decision] = {}

        def ask(row: Leased) -> str | Postpone | None:
            nonlocal refused
            if 0 < refusals <= refused:
                return Postpone.STOP
            decision = self.admission.ask(row.link, Moment.LEASED, row.tunnel, now)
            if decision.passed:
                decisions[row.link.url] = decision
                return None
            refused += 1
            return Postpone.SKIP_HOST if decision.postpones else decision.reason

        leased = self.frontier.lease(now, ask)
        if leased is not None:
            self.decision = decisions[leased.link.url]
            if self.budgets is not None:
                self.budgets.take(leased.link)
        return leased

    def end(self, url: str, state: State, reason: str, now: float, *, fetched: bool = True) -> None:
        """Say what became of a leased URL; `fetched`: a response came."""
        self.frontier.end(url, state, reason, now)
        if self.budgets is not None:
            self.budgets.end(url, state, reason, fetched=fetched)

    def checkpoint(self) -> None:
        """Keep what the strategy has learned beside the queue."""
        self._learning.save(self.pages)
        if self.budgets is not None:
            self.budgets.keep()

    def ask_refresh(self) -> None:
        """Score the queue anew from the next page on, where the strategy does that at all: a parameter of it was changed."""
        self._refresh_asked = True

    def change_strategy(self, strategy: Strategy, expand: Expand | None) -> None:
        """Go on with another one, which has learned nothing; a refresh under way ends."""
        self.strategy, self.expand = strategy, expand or strategy.expand
        self.rescoring.stop()
        self._learning.change_strategy(strategy)

    def _followed(self, page: Page, links: Sequence[Link]) -> Sequence[Link]:
        poor = self.expand == "relevant" and not page.is_target
        return () if poor and _stands_on(page) and not is_listing(page) else links

    def _listings(self, page: Page) -> list[tuple[Link, Score]]:
        """What the page makes worth asking its site for, if it may be fetched."""
        found = self.listings.of(page) if self.listings is not None else []
        return [(link, score) for link, score in found if self.admission.ask(link, Moment.FOUND).passed]

    def _others_work(self) -> bool:
        """Other processes work on this crawl, or did."""
        if self._learning.others_live():
            return True
        counts = self.frontier.look().counts()
        return counts[State.PROCESSING] + counts[State.COMPLETED] > 0

    def _took(self, page: Page | None, links: Sequence[Link]) -> None:
        """The strategy learned from a page of another process, or is to be shown it here for the first time."""
        if page is not None:
            self._late.update(self._show(page, links, _tunnel(page), self._now)[0])
        self._count()

    def _count(self) -> bool:
        """One more page; go on scoring the queue anew, a slice a page. True when that began with this page."""
        self.pages += 1
        every = self.strategy.refresh_every
        due = bool(every) and (self.pages % every == 0 or self._refresh_asked)
        begins = due and not self.rescoring.running
        if begins:
            self._refresh_asked = False
            self.rescoring.begin(self.strategy.refresh)
        self.rescoring.step()
        return begins

    def _show(
        self, page: Page, links: Sequence[Link], tunnel: int, now: float
    ) -> tuple[Mapping[Pushed, int], Sequence[Link]]:
        """Show the links that are news to the strategy: most of a page's targets were fetched long ago, and most of
        the others were met with the same words before. Which they were."""
        if self.strategy.shown == "all":
            return self._push(self.strategy.visit(page, links), links, tunnel, now), links
        self._learning.look_up(link.url for link in links)
        known = self.frontier.look()
        is_open = {url: known.is_open(url) for url in dict.fromkeys(link.url for link in links)}
        shown = [link for link in links if is_open[link.url]]
        if self.strategy.shown == "new":
            shown = [link for link in shown if known.is_new_anchor(link.url, link.anchor)]
        pushed = self._push(self.strategy.visit(page, shown), shown, tunnel, now)
        passed_over = {url: Pushed.KEPT if waits else Pushed.KNOWN for url, waits in is_open.items()}
        for link in shown:
            passed_over.pop(link.url, None)
        return Counter(pushed) + Counter(passed_over.values()), shown

    def _push(
        self, scores: Iterable[Score], links: Sequence[Link], tunnel: int, now: float
    ) -> Mapping[Pushed, int]:
        """Pair scores with links. A page may link one URL several times: its best score decides which link is kept."""
        by_url: dict[str, list[Link]] = {}
        decisions = self.admission.queued(links, tunnel)
        refused: list[Link] = []
        for link, decision in zip(links, decisions, strict=True):
            if decision.passed:
                by_url.setdefault(link.url, []).append(link)
            else:
                refused.append(link)
        best: dict[str, tuple[Link, Score]] = {}
        for score in scores:
            group = by_url.get(score.url)
            if group is None:
                continue
            link = group.pop(0) if len(group) > 1 else group[0]
            if score.url not in best or score.value > best[score.url][1].value:
                best[score.url] = (link, score)
        pushed = self.frontier.push(best.values(), now=now, tunnel=tunnel)
        if refused and self._refused is not None:
            probabilities = {id(link): one.probability for link, one in zip(links, decisions, strict=True)}
            self._refused(refused, lambda link: probabilities[id(link)], now)
        return {**pushed, Pushed.REFUSED: len(refused)} if refused else pushed


def _tunnel(page: Page) -> int:
    """Consecutive tunnel steps that led to the page and go on with it."""
    return 0 if page.is_target or page.via is None else page.via.tunnel


def _stands_on(page: Page) -> str:
    """The page that a page was reached from; empty for a seed."""
    return "" if page.via is None else page.via.link.source_url

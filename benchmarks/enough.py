"""How right a crawl's estimates are: relevant pages among what waits, and the share of them among the next 100 pages.

    python benchmarks/enough.py --web DIR [--topics finance,travel] [--strategies adaptive,best_first] [--seeds URL,URL] [--until 0.05]

DIR holds a recorded web (*.warc.gz). Each crawl goes on until nothing waits; at 200, 400, 800, 1 600 … pages both estimates are compared with
what the page classifier says of all pages that wait, and of the 100 pages that were fetched next. A line a crawl says where `-a until=` would
have ended it.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path
from statistics import fmean

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.crawl import Fetch
from topiccrawler.crawling.harvest import NEXT, Estimate
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.base import State
from topiccrawler.lab.configurations import context_of, parts_of
from topiccrawler.lab.cost import Cost
from topiccrawler.lab.page_reading import ReadingPlan, read_web
from topiccrawler.lab.parsed_pages import ParsedPages
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.lab.replayed import ReplayedCrawl, Run
from topiccrawler.lab.workers import Workers
from topiccrawler.model import Via
from topiccrawler.replay.warc import RecordedWeb

FIRST = 200  # pages
SMALL = 10  # pages more or less do not count as much where few wait


@dataclass(slots=True)
class Moment:
    """`relevant`: of what waits, by the page classifier."""

    pages: int
    waiting: int
    relevant: int
    estimate: Estimate
    came: list[bool] = field(default_factory=list)  # of the next pages, which are relevant

    @property
    def factor(self) -> float:
        """By which the estimate is too large; below 1: too small."""
        return (self.estimate.relevant + SMALL) / (self.relevant + SMALL)


class WatchedCrawl(ReplayedCrawl):
    """Looks at the whole queue now and then, which no crawl does."""

    def __init__(self, run: Run, parts: Parts, parsed: ParsedPages, until: float) -> None:
        super().__init__(run, parts, parsed, Cost())
        self.moments: list[Moment] = []
        self._known: dict[int, bool] = {}
        self.ended, self._next = 0, FIRST
        self.enough: list[
            int
        ] = []  # pages, and relevant ones, when the next ones promised less than `until` first
        self.until, self.relevant = until, 0

    def _visit(self, number: int, fetch: Fetch) -> None:
        super()._visit(number, fetch)
        self.ended += 1
        self.relevant += self._is_relevant(number)
        now = self.crawl.estimator.estimate()
        if not self.enough and now is not None and now.promise < self.until:
            self.enough = [self.ended, self.relevant]
        for moment in self.moments:
            if len(moment.came) < NEXT:
                moment.came.append(self._is_relevant(number))
        estimate = self.crawl.estimator.estimate(anew=True) if self.ended == self._next else None
        if estimate is not None:
            self._next *= 2
            waiting = [self.parsed.numbers[row.link.url] for row in self.frontier.look().rows(State.WAITING)]
            relevant = sum(map(self._is_relevant, waiting))
            self.moments.append(Moment(self.ended, len(waiting), relevant, estimate))

    def _is_relevant(self, number: int) -> bool:
        if number not in self._known:
            reading, via = self.parsed.read(number), Via(self.parsed.seed(number))
            self._known[number] = reading is not None and self.page(number, reading, via).is_target
        return self._known[number]


def of_all(found: Sequence[Moment]) -> str:
    """How far off they are on average."""
    factors = [moment.factor for moment in found]
    off = [abs(moment.estimate.promise - fmean(moment.came)) for moment in found if moment.came]
    twice = sum(0.5 <= factor <= 2 for factor in factors) / len(factors)
    mean, typical = (exp(fmean(map(way, map(log, factors)))) for way in (float, abs))
    return (
        f"{len(found)} moments: typical factor {typical:.2f}, mean factor {mean:.2f}, within a factor of 2 {twice:.0%}; "
        f"promise off by {fmean(off):.3f}"
    )


def main() -> None:
    """Read the web once; a line a moment, and one of all."""
    opts = arguments()
    web = sorted(opts.web.glob("*.warc.gz"))
    pages = RecordedPages(RecordedWeb(web))
    seeds = tuple(number for url in opts.seeds.split(",") if (number := pages.number_of_any(url)) is not None)
    if not seeds:
        raise SystemExit(f"--seeds {opts.seeds}: the recorded web holds none of them")
    recipes = [Recipe(topic) for topic in opts.topics.split(",")]
    contexts = sorted({context_of(recipe) for recipe in recipes})
    found: list[Moment] = []
    print(f"{'':>24}{'pages':>7}{'wait':>7}{'relevant':>10}{'estimate':>10}{'promise':>9}{'came':>6}")
    with tempfile.TemporaryDirectory() as folder, Workers(1) as workers:
        place = Path(folder) / "pages.sqlite"
        read_web(ReadingPlan.of(web, recipes, contexts), pages, place, workers, lambda _: None)
        with contextlib.closing(ParsedPages(place)) as parsed:
            for number, recipe in enumerate(recipes):
                for spec in opts.strategies.split(","):
                    run = Run(recipe, spec, seeds, len(pages.urls), place, number)
                    crawl = WatchedCrawl(run, parts_of(recipe, spec), parsed, opts.until)
                    crawl.go()
                    for moment in crawl.moments:
                        estimate, came = moment.estimate, fmean(moment.came) if moment.came else 0.0
                        print(
                            f"{recipe.topic + ' ' + spec:>24}{moment.pages:>7}{moment.waiting:>7}{moment.relevant:>10}"
                            f"{estimate.relevant:>10.0f}{estimate.promise:>9.2f}{came:>6.2f}",
                            flush=True,
                        )
                    found += crawl.moments
                    ends = f"{crawl.enough[0]} pages, {crawl.enough[1]} relevant" if crawl.enough else "never"
                    print(
                        f"  until={opts.until:g} ends it at: {ends}; all: {crawl.ended} pages, {crawl.relevant} relevant"
                    )
    print(of_all(found))


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--web", type=Path, required=True)
    add("--topics", default="finance,travel")
    add("--strategies", default="adaptive,best_first")
    add("--until", type=float, default=0.05)
    add("--seeds", default="http://daohang.example/")
    return parser.parse_args()


if __name__ == "__main__":
    main()

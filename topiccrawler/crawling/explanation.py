"""Explains the score of a URL, the decisions of the admission rules and the outcome, by the very numbers that the crawl used.

`explain` explains the score in the queue, or the one with which the URL was fetched; its shares add up to the score. If the strategy would
compute another score now, both are returned. A decision that the gate has made is reported as it was made.

`PastCrawl` reads the queue (which page linked to the URL, its anchor and score, its outcome), the crawl log (the score with which it was
fetched) and the pages. A crawl without JOBDIR has no queue on disk; then only log and pages are read, and what they lack is reported as
unknown. `scrapy explain --json` and a running crawl return the same JSON.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, cast

from topiccrawler.crawling import admission as rules
from topiccrawler.crawling.admission import Admission
from topiccrawler.crawling.assemble import Parts, assemble
from topiccrawler.crawling.blocks import Blocks
from topiccrawler.crawling.checkpoints import DAMAGED, Checkpoints, load_state
from topiccrawler.crawling.harvest import own_domains
from topiccrawler.crawling.job_files import JOB, read_recipe
from topiccrawler.crawling.judging import words_of_record
from topiccrawler.crawling.link_gate import REFUSED, Decision
from topiccrawler.crawling.page_stores import has_pages, open_pages, open_stored, visits_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.rescoring import Rescoring
from topiccrawler.crawling.robots_notes import robots_rule
from topiccrawler.crawling.servers import SharedView
from topiccrawler.crawling.teaching import answered
from topiccrawler.errors import CrawlerError, StateError
from topiccrawler.frontier.base import Frontier, Notes, Row, State
from topiccrawler.frontier.stored_state import QueueLookup, is_made
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Link, Visit
from topiccrawler.relevance.evidence import words_that_lead
from topiccrawler.store.pages import PageRecord, Pages
from topiccrawler.strategies.base import Explainer, Shares, Strategy
from topiccrawler.urls.canonical import host_of

LONGEST_PATH = 1000  # link steps


@dataclass(frozen=True, slots=True)
class Step:
    """One page on the path of links from a seed to a URL."""

    link: Link
    score: float | None  # None if no file has it
    state: str


@dataclass(frozen=True, slots=True)
class History:
    """All that the files of a crawl have of one URL."""

    row: Row | None  # row of the queue
    visits: tuple[Visit, ...]  # entries of the crawl log
    record: PageRecord | None  # the stored page
    path: tuple[Step, ...]  # from the seed to the URL itself
    whole: bool  # the path begins at a seed

    @property
    def link(self) -> Link:
        """The link that led to the URL, as far as the files have it."""
        return self.path[-1].link

    @property
    def state(self) -> str:
        """The state of the URL in the queue; without a queue, its state by log and store."""
        return self.path[-1].state


class _Look(Protocol):
    def row(self, url: str) -> Row | None: ...


class _Queue(Protocol):
    @property
    def notes(self) -> Notes: ...

    def look(self) -> _Look: ...

    def close(self) -> None: ...


class PastCrawl:
    """The files in the folder of a job, opened for reading. StateError if the folder has no crawl."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        queue = folder / JOB_DATABASE
        if not any((folder / name).is_file() for name in (JOB_DATABASE, JOB)):
            raise StateError(
                f"folder {folder}",
                "holds no crawl",
                "name the JOBDIR of a crawl, or its folder in TOPIC_DATA_DIR",
            )
        self.recipe = read_recipe(folder)
        self._frontier: _Queue | None = QueueLookup(queue) if is_made(queue) else None
        self._store: Pages | None = open_pages(folder) if has_pages(folder) else None

    def close(self) -> None:
        """Close the files."""
        for opened in (self._frontier, self._store):
            if opened is not None:
                opened.close()

    @cached_property
    def parts(self) -> Parts:
        """The parts of the crawl, with what its strategy has learned so far. StateError if the job has no recipe."""
        if self.recipe is None:
            raise StateError(
                f"folder {self.folder}",
                f"holds no {JOB}",
                "name the topic with --topic, for the link model's word alone",
            )
        parts = assemble(self.recipe)
        self._learn(parts.strategy)
        return parts

    def admission(self, parts: Parts, limits: FetchLimits, history: History | None = None) -> Admission:
        """The admission rules of the crawl. `history`: that of the URL to explain; the host of its seed may be private."""
        notes = self._frontier.notes if self._frontier is not None else None
        own = [history.path[0].link.host] if history is not None and history.whole else []
        return admission_of(parts, limits, notes, own)

    def _learn(self, strategy: Strategy) -> None:
        """Load what the crawl's strategy has learned."""
        if self._frontier is not None:
            queue = cast("Frontier", self._frontier)  # only methods that it has are called
            rescoring = Rescoring(queue, apply=lambda _: 0)
            Checkpoints(strategy, self._frontier.notes, rescoring, durable=True).load()

    def of(self, url: str) -> History:
        """The history of a canonical URL; StateError if the crawl never found it."""
        row, record = self._row(url), self._record(url)
        visits = tuple(visit for visit in self._visits if visit.url == url)
        if row is None and record is None and not visits:
            raise StateError(
                f"URL {url}",
                f"was never met by the crawl in {self.folder}, or its link gate refused every link to it",
                "check its spelling, or ask with --anchor TEXT what the gate says of a link",
            )
        steps, whole = self._path(url)
        return History(row, visits, record, steps, whole)

    @cached_property
    def _visits(self) -> list[Visit]:
        return list(visits_of(self.folder))

    @cached_property
    def _visited(self) -> Mapping[str, Visit]:
        return MappingProxyType({visit.url: visit for visit in self._visits})

    def _row(self, url: str) -> Row | None:
        return self._frontier.look().row(url) if self._frontier is not None else None

    def _record(self, url: str) -> PageRecord | None:
        return self._store.get(url) if self._store is not None else None

    def _path(self, url: str) -> tuple[tuple[Step, ...], bool]:
        steps: dict[str, Step] = {}
        while url and url not in steps and len(steps) < LONGEST_PATH:
            steps[url] = self._step(url)
            url = steps[url].link.source_url
        found = tuple(reversed(steps.values()))
        return found, not url and found[0].state != "unknown"

    def _step(self, url: str) -> Step:
        if (row := self._row(url)) is not None:
            return Step(row.link, row.score, row.state.value)
        known = self._visited.get(url) or self._record(url)
        if known is None:
            return Step(Link(url, host_of(url)), None, "unknown")
        depth = known.depth if isinstance(known, PageRecord) else 0
        link = Link(url, host_of(url), known.anchor, depth=depth, source_url=known.source_url)
        return Step(link, known.score, "stored" if known.stored else "not kept")


class SharedCrawl(PastCrawl):
    """A crawl of several processes on a server: its queue, the state that its learner published last, its recipe, and its pages if they
    are in a database. The crawl logs, which are with the processes, are not read."""

    def __init__(self, view: SharedView, job: str) -> None:
        self.folder = Path(f"job {job}")
        self.recipe = Recipe.from_json(view.made_of, view.name)
        self._frontier = view
        self._store = None
        if self.recipe.store:
            with suppress(CrawlerError):  # the pages are then reported as unknown
                self._store = open_stored(self.recipe.store, self.recipe.store_job)
        self._learned = view.learned()

    def _learn(self, strategy: Strategy) -> None:
        if self._learned is None:
            return
        try:
            load_state(strategy, self._learned[1])
        except DAMAGED as error:
            fault = f"is damaged ({type(error).__name__}: {error})"
            what = f"state {self._learned[0]} of {self.folder}"
            raise StateError(what, fault, "wait for the next one") from None


_SAME = 1e-9
MOST_SHARES = 4  # most shares to list for one link


@dataclass(frozen=True, slots=True)
class ScoreMade:
    """A score and its shares, which add up to it."""

    value: float
    shares: Shares


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of one URL of a crawl."""

    score: ScoreMade | None  # None: no file has it
    now: ScoreMade | None  # the score that a waiting URL would get now; None if it is the same
    words: Shares  # log-odds of the words in the link, by the link model
    gate: Decision  # of the link gate
    is_final: bool  # the gate was asked when the URL was fetched; else it is asked now


def explain(parts: Parts, history: History) -> Explanation:
    """Explain the score of a URL and the decision of the gate, by the parts of its crawl."""
    row = history.row
    return Explanation(
        _score(parts, history),
        _now(parts, row) if row is not None else None,
        words_of(parts, history.link),
        *_gate(parts, history),
    )


def score_of_row(parts: Parts, row: Row) -> ScoreMade:
    """The score of a URL in the queue, or when it was leased, with its shares."""
    return ScoreMade(row.score, parts.strategy.shares(row.link, row.score, row.shares))


def heaviest_shares(parts: Parts, row: Row) -> Shares:
    """The shares that contribute most to the score of a row, the largest first, at most MOST_SHARES."""
    return sorted(score_of_row(parts, row).shares, key=lambda share: -abs(share[1]))[:MOST_SHARES]


def words_of(parts: Parts, link: Link) -> Shares:
    """The words of a link with their log-odds, by the scorer of this crawl; empty if the scorer cannot explain, or there is none."""
    scorer = parts.strategy.current_scorer or parts.link_model
    return scorer.explain(link) if isinstance(scorer, Explainer) else []


def _score(parts: Parts, history: History) -> ScoreMade | None:
    if history.row is not None:
        return score_of_row(parts, history.row)
    if not history.visits:
        return None
    visit = history.visits[-1]
    return ScoreMade(visit.score, [(name, share) for name, share in visit.shares])


def _now(parts: Parts, row: Row) -> ScoreMade | None:
    score = parts.strategy.current(row.link) if row.state is State.WAITING else None
    if score is None or abs(score.value - row.score) <= _SAME:
        return None
    return ScoreMade(score.value, parts.strategy.shares(row.link, score.value, score.shares))


def _gate(parts: Parts, history: History) -> tuple[Decision, bool]:
    """The decision of the link gate, and whether it is final: of the last fetch, of the row that has ended, else as of now."""
    row = history.row
    if history.visits:
        reason = history.visits[-1].gate
        return Decision(reason != REFUSED, reason=reason), True
    if row is not None and row.state is not State.WAITING:
        is_leased = row.state is State.PROCESSING
        reason = row.reason if row.reason == REFUSED or is_leased else f"not asked: {row.reason}"
        return Decision(is_leased, reason=reason), True
    return parts.gate.decide(history.link, row.tunnel if row is not None else 0), False


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """The limits of fetching in the settings. `depth`: link steps, `url_length`: characters; 0 = no limit."""

    depth: int = 0
    url_length: int = 0
    private_network: bool = False  # whether hosts of private networks may be fetched


def admission_of(
    parts: Parts, limits: FetchLimits, notes: Notes | None = None, seed_hosts: Iterable[str] = ()
) -> Admission:
    """The admission rules of a crawl that is not running, as far as its files have them. `notes`: notes of its queue, with the blocks."""
    found = [
        rules.depth_limit(limits.depth),
        rules.url_length(limits.url_length),
        rules.allowed_domains(rules.within(own_domains(parts.topic.sites))),
        rules.gate_rule(parts.gate),
    ]
    if notes is not None:
        found.append(rules.blocked(Blocks(notes)))
    if not limits.private_network:
        found.append(rules.private_network(seed_hosts))
    of_robots = (
        rules.DownloaderRule(rules.ROBOTS_TXT, _unknown) if notes is None else robots_rule(notes, time.time)
    )
    unknown = [
        rules.DownloaderRule(name, _unknown) for name in (rules.BUDGET, rules.TRAP, rules.RESOLVED_ADDRESS)
    ]
    return Admission([*found, *unknown, of_robots])


def _unknown(_: Link) -> Decision | None:
    return None


def explained(
    parts: Parts,
    link: Link,
    explanation: Explanation,
    strategy: str | None,
    admission: Admission,
    tunnel: int = 0,
) -> dict[str, Any]:
    """An explanation as JSON values, for output.

    `strategy`: the strategy of the score; None = only the link model is explained. `tunnel`: tunnel steps that led to the link's page.
    """
    return {
        "link": link._asdict(),
        "topic": parts.topic.name,
        "topic_name": parts.topic.display_name,
        "strategy": strategy,
        **_plain(explanation),
        "gate": {
            "threshold": parts.gate.threshold,
            "passed": explanation.gate.passed,
            "taken": explanation.is_final,
            "reason": explanation.gate.reason,
        },
        "admission": [_ruled(name, one) for name, one in admission.explained(link, tunnel)],
        "crawl": None,
    }


def _ruled(name: str, decision: Decision | None) -> dict[str, Any]:
    verdict = "unknown" if decision is None else "passed" if decision.passed else "refused"
    return {"rule": name, "verdict": verdict, "why": "" if decision is None else decision.reason}


def _plain(explanation: Explanation) -> dict[str, Any]:
    """Scores, shares and words of an explanation as JSON values."""

    def made(score: ScoreMade | None) -> dict[str, Any]:
        if score is None:
            return {"score": None, "shares": []}
        return {"score": score.value, "shares": [{"name": n, "share": share} for n, share in score.shares]}

    return {
        **made(explanation.score),
        "now": None if explanation.now is None else made(explanation.now),
        "words": [{"feature": name, "log_odds": share} for name, share in explanation.words],
    }


def words_behind(parts: Parts | None, record: PageRecord) -> dict[str, list[dict[str, Any]]]:
    """The words that explain the relevance of a stored page, by the present page classifier.

    `words`: shares of the relevance where words name the topic, else of the similarity. `leading`, for a narrow topic: shares of the
    similarity, by which links are followed. Both are empty without `parts` and for a copy.
    """
    if parts is None or record.alias_of:
        return {"words": [], "leading": []}
    classifier = parts.page_classifier
    words = words_of_record(record, parts.segmenter, in_segments=classifier.reads_segments)
    found = {"words": classifier.explain(words), "leading": words_that_lead(classifier, words)}
    return {
        name: [{"word": word, "share": share} for word, share in shares] for name, shares in found.items()
    }


def page_similarity(parts: Parts, record: PageRecord) -> float:
    """The similarity of a stored page by the present classifier of the strategy, which orders the links of the page by it."""
    return parts.strategy_classifier.similarity(words_of_record(record, parts.segmenter))


def _judged_by(record: PageRecord, folder: Path) -> str:
    """Which judgement of a stored page counts."""
    if not record.judged:
        return "the topic when it was fetched"
    if record.url in answered(folder):
        return "a person's answer"
    return "a second opinion" if record.opinion else "the topic as it is now"


FETCHED = ("time", "status", "score", "relevance", "stored")  # of a visit


def crawl_as_json(
    history: History, folder: Path, parts: Parts | None = None, page_threshold: float | None = None
) -> dict[str, Any]:
    """The history of a URL in a crawl as JSON values, for output.

    `folder`: the folder of the job. `parts`: the parts of the crawl; without them the words of a stored page are left out.
    `page_threshold`: the present one.
    """
    row, record = history.row, history.record
    return {
        "folder": str(folder),
        "state": history.state,
        "reason": "" if row is None else row.reason,
        "tries": 0 if row is None else row.tries,
        "added": None if row is None else row.added,
        "changed": None if row is None else row.changed,
        "fetches": [{name: getattr(visit, name) for name in FETCHED} for visit in history.visits],
        "page_threshold": page_threshold,
        "similarity_threshold": None if parts is None else parts.page_classifier.similarity_threshold,
        "stored": None
        if record is None
        else {
            "title": record.title,
            "relevance": record.relevance,
            "similarity": None if parts is None or record.alias_of else page_similarity(parts, record),
            "kept": record.stored,
            "opinion": record.opinion,
            "opinion_reason": record.opinion_reason,
            "judged": record.judged or None,
            "judged_by": _judged_by(record, folder),
            **words_behind(parts, record),
        },
        "path_is_whole": history.whole,
        "path": [
            {"url": step.link.url, "anchor": step.link.anchor, "score": step.score, "state": step.state}
            for step in history.path
        ],
    }

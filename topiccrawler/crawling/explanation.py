"""Explains the score of a URL, the decisions of the admission rules and the outcome, by the very numbers that the crawl used.

`explain` explains the score in the queue, or the one with which the URL was fetched; its shares add up to the score. If the strategy would
compute another score now, both are returned. A decision that the gate has made is reported as it was made.

What is known of the URL is in `crawling.past_crawl`. `scrapy explain --json` and `scrapy control` return the same JSON: `why`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topiccrawler.crawling.admission import Admission
from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.judging import words_of_record
from topiccrawler.crawling.link_gate import REFUSED, Decision
from topiccrawler.crawling.opinions import OPINIONS, GivenOpinions, wish_of
from topiccrawler.crawling.past_crawl import FetchLimits, History, PastCrawl
from topiccrawler.crawling.teaching import answered
from topiccrawler.frontier.base import Row, State
from topiccrawler.model import Link
from topiccrawler.relevance.evidence import words_that_lead
from topiccrawler.store.opinions import read_opinions
from topiccrawler.store.pages import PageRecord
from topiccrawler.strategies.base import Explainer, Shares

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
    if record.refusal:
        return f"the page's own wish, {record.refusal}"
    if record.url in answered(folder):
        return "a person's answer"
    return "a second opinion" if record.opinion else "the topic as it is now"


def _former_wish(record: PageRecord, folder: Path, parts: Parts | None) -> str:
    """The former wish of the job that the opinion on a stored page is about; empty if it is about the present one."""
    if not record.opinion or parts is None:
        return ""
    known, wish = list(read_opinions(folder / OPINIONS)), wish_of(parts.topic, parts.recipe.about)
    if GivenOpinions(known, wish).on(record) is not None:
        return ""
    return next((one.wish for one in reversed(known) if one.url == record.url and one.about), "")


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
            "opinion_former_wish": _former_wish(record, folder, parts),
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


def why(
    crawl: PastCrawl, url: str, limits: FetchLimits, page_threshold: float | None = None
) -> dict[str, Any]:
    """The explanation of a URL by the parts of its crawl, as JSON values. `page_threshold`: that of the running crawl, if it is another one
    than the topic's."""
    history, parts = crawl.of(url), crawl.parts
    tunnel = 0 if history.row is None else history.row.tunnel
    found = explained(
        parts,
        history.link,
        explain(parts, history),
        parts.recipe.strategy,
        crawl.admission(parts, limits, history),
        tunnel,
    )
    threshold = parts.page_classifier.threshold if page_threshold is None else page_threshold
    return {**found, "crawl": crawl_as_json(history, crawl.folder, parts, threshold)}

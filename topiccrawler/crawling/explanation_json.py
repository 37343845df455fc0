"""An explanation as JSON values, as `scrapy explain --json` prints it and a running crawl answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.explanation import Explanation, ScoreMade
from topiccrawler.crawling.gate import OF_SITE
from topiccrawler.crawling.history import History
from topiccrawler.crawling.linking_pages import linking_page_weight, visit_similarity
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.topic_pages import words_of_record
from topiccrawler.model import Link, Visit
from topiccrawler.pages.classifier import PageClassifier
from topiccrawler.relevance.linking_page import linking_page_factor
from topiccrawler.store.pages import PageRecord

VERSION = 2


def explained(parts: Parts, link: Link, explanation: Explanation, strategy: str | None) -> dict[str, Any]:
    """`strategy`: whose score it is; None = the link model's word alone."""
    return {
        "link": link._asdict(),
        "topic": parts.topic.name,
        "topic_name": parts.topic.display_name,
        "strategy": strategy,
        **_plain(explanation),
        "gate": {
            "threshold": parts.gate.threshold,
            "passed": explanation.gate.passed,
            "taken": explanation.gate.taken,
            "reason": explanation.gate.reason,
        },
        "crawl": None,
        "version": VERSION,
    }


def _plain(explanation: Explanation) -> dict[str, Any]:
    """Scores, shares and words as JSON values."""

    def made(score: ScoreMade | None) -> dict[str, Any]:
        if score is None:
            return {"score": None, "shares": []}
        return {"score": score.value, "shares": [{"name": n, "share": share} for n, share in score.shares]}

    return {
        **made(explanation.score),
        "now": None if explanation.now is None else made(explanation.now),
        "words": [{"feature": name, "log_odds": share} for name, share in explanation.words],
    }


def page_words(parts: Parts, record: PageRecord) -> list[dict[str, Any]]:
    """The words behind a stored page, as its text is judged now: shares of its similarity, without the linking page's; of a topic of a
    user's own words, shares of its relevance."""
    words = words_of_record(record, in_segments=parts.page_classifier.reads_segments)
    shares = parts.page_classifier.explain(words)
    return [{"word": word, "share": share} for word, share in shares]


def page_similarity(parts: Parts, record: PageRecord) -> float:
    """Of a stored page, as its text is judged now: what its links were ordered by."""
    return parts.strategy_classifier.similarity(words_of_record(record))


def linking_page(
    recipe: Recipe, page_classifier: PageClassifier, linking: Visit | None
) -> dict[str, Any] | None:
    """What the page that links a kept one did to its similarity: times `factor`; None where it did nothing."""
    weight = linking_page_weight(recipe, page_classifier)
    if linking is None or linking.gate == OF_SITE or weight == 0:
        return None
    similarity = visit_similarity(linking, page_classifier.similarity_threshold, recipe.relevance_since)
    return {
        "url": linking.url,
        "relevance": linking.relevance,
        "similarity": round(similarity, 4),
        "factor": round(linking_page_factor(similarity, weight), 4),
    }


def crawl_as_json(
    history: History, folder: Path, parts: Parts | None = None, page_threshold: float | None = None
) -> dict[str, Any]:
    """What became of the URL in a crawl; `folder`: of the job. `parts`: of the crawl; without them the words of a stored page are left
    out. `page_threshold`: as it is now."""
    row, record = history.row, history.record
    return {
        "folder": str(folder),
        "state": history.state,
        "reason": "" if row is None else row.reason,
        "added": None if row is None else row.added,
        "changed": None if row is None else row.changed,
        "fetches": [
            {
                "time": visit.time,
                "status": visit.status,
                "score": visit.score,
                "relevance": visit.relevance,
                "stored": visit.stored,
            }
            for visit in history.visits
        ],
        "page_threshold": page_threshold,
        "similarity_threshold": None if parts is None else parts.page_classifier.similarity_threshold,
        "stored": None
        if record is None
        else {
            "title": record.title,
            "relevance": record.relevance,
            "similarity": None if parts is None or record.alias_of else page_similarity(parts, record),
            "kept": record.stored,
            "words": [] if parts is None or record.alias_of else page_words(parts, record),
            "linking_page": None
            if parts is None
            else linking_page(parts.recipe, parts.page_classifier, history.linking),
        },
        "path_is_whole": history.whole,
        "path": [
            {"url": step.link.url, "anchor": step.link.anchor, "score": step.score, "state": step.state}
            for step in history.path
        ],
    }

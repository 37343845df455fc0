"""Why a URL has its score, and what the link gate says of it: the very numbers the crawl used.

The score explained is the one in the queue, or the one the URL was fetched with; its shares add up to it. Where the strategy
would score the URL otherwise by now, that score is given beside it. A gate's decision that was taken is given as it was taken.
"""

from __future__ import annotations

from dataclasses import dataclass

from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.gate import REFUSED
from topiccrawler.crawling.history import History
from topiccrawler.frontier.base import Row, State
from topiccrawler.link_model.learning import Explainer
from topiccrawler.model import Link
from topiccrawler.strategies.shares import Shares

_SAME = 1e-9
MOST_SHARES = 4  # of one link in a list


@dataclass(frozen=True, slots=True)
class ScoreMade:
    """A score and what it is made of; the shares add up to it."""

    value: float
    shares: Shares


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """The gate's decision; `taken`: the crawl took it, else it would be taken so now."""

    passed: bool
    reason: str
    taken: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """Of one URL of a crawl."""

    score: ScoreMade | None  # None: no file has it
    now: ScoreMade | None  # what the strategy would score a waiting URL now, where that differs
    words: Shares  # what the link model reads in the link: log-odds by word
    gate: GateOutcome


def explain(parts: Parts, history: History) -> Explanation:
    """Explain a URL by its crawl's own parts."""
    row = history.row
    return Explanation(
        _score(parts, history),
        _now(parts, row) if row is not None else None,
        words_of(parts, history.link),
        _gate(parts, history),
    )


def score_of_row(parts: Parts, row: Row) -> ScoreMade:
    """The score a URL has in the queue, or had when it was leased."""
    return ScoreMade(row.score, parts.strategy.shares(row.link, row.score, row.shares))


def heaviest_shares(parts: Parts, row: Row) -> Shares:
    """The few that say most of its score, the heaviest first."""
    return sorted(score_of_row(parts, row).shares, key=lambda share: -abs(share[1]))[:MOST_SHARES]


def words_of(parts: Parts, link: Link) -> Shares:
    """The words of a link with their log-odds, by what this crawl scores links with; nothing if it asks no link model."""
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


def _gate(parts: Parts, history: History) -> GateOutcome:
    if history.visits:
        gate = history.visits[-1].gate
        return GateOutcome(gate != REFUSED, gate, taken=True)
    row = history.row
    if row is not None and row.state is not State.WAITING:
        asked = row.reason == REFUSED or row.state is State.PROCESSING
        return GateOutcome(
            row.state is State.PROCESSING, row.reason if asked else f"not asked: {row.reason}", taken=True
        )
    decision = parts.gate.decide(history.link, row.tunnel if row is not None else 0)
    return GateOutcome(decision.passed, decision.reason, taken=False)

"""The comparison as a table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from topiccrawler.evaluation.experiment import Comparison, Outcome
from topiccrawler.evaluation.measures import checkpoints
from topiccrawler.evaluation.results import ORACLE, mean_ratios, result
from topiccrawler.evaluation.scoring import STEP_PAGES

MOST_COLUMNS = 4  # harvest rates shown, the last checkpoint among them


def lines(comparison: Comparison) -> list[str]:
    """One table a topic, best first; with several topics the means at the end."""
    pages = comparison.plan.pages
    shown: list[str] = []
    for outcome in comparison.outcomes:
        shown += [*_head(comparison, outcome), *_table(result(comparison, outcome), pages), ""]
    if len(comparison.outcomes) > 1:
        ratios = mean_ratios(comparison.outcomes, pages)
        rows = sorted(ratios.items(), key=lambda row: -(row[1] or 0.0))
        shown.append(f"mean oracle ratio of {', '.join(outcome.topic for outcome in comparison.outcomes)}")
        shown += [f"  {name:<{_width(ratios)}}  {_figure(ratio)}" for name, ratio in rows]
    return shown


def _head(comparison: Comparison, outcome: Outcome) -> list[str]:
    truth = outcome.truth
    source = (
        "labels"
        if truth.source == "labels"
        else "the page classifier (no labels given: it marks its own work)"
    )
    reached = f"{truth.targets} relevant of {len(truth.reachable)} that can be reached"
    head = f"{outcome.topic}: {comparison.plan.pages} pages, {reached}; truth: {source}"
    return [head, *(f"  left out: {why}" for why in outcome.built.absent.values())]


def _table(found: dict[str, Any], pages: int) -> list[str]:
    every = checkpoints(pages, STEP_PAGES)
    step = -(-len(every) // MOST_COLUMNS)
    at = every[::-1][::step][::-1]
    named: dict[str, dict[str, Any]] = {**found["strategies"], ORACLE: found["oracle"]}
    ranked = sorted(named.items(), key=lambda row: -(row[1]["oracle_ratio"] or 0.0))
    width = _width(named)
    harvest = "".join(f"{f'@{n}':>8}" for n in at)
    content = "content_target_recall" in found["oracle"]
    head = (
        f"  {'':<{width}}  ratio{harvest}{'recall':>8}{'content' if content else '':>{8 * content}}   pages"
    )
    rows = [f"  {'':<{width}}  {'':>5}  harvest rate", head]
    for name, row in ranked:
        rates = "".join(f"{_figure(row['harvest_rate'][str(n)]):>8}" for n in at)
        recall = f"{_figure(row['target_recall'][str(pages)]):>8}"
        if content:
            recall += f"{_figure(row['content_target_recall'][str(pages)]):>8}"
        rows.append(
            f"  {name:<{width}}  {_figure(row['oracle_ratio'])}{rates}{recall}{row['pages']:>8}{_band(row)}"
        )
    return rows


def _band(row: dict[str, Any]) -> str:
    ends = row.get("band", {}).get("oracle_ratio")
    return f"  ratio {ends[0]:.3f} to {ends[1]:.3f} in {row['runs']} runs" if ends else ""


def _figure(value: float | None) -> str:
    return "    -" if value is None else f"{value:.3f}"


def _width(names: Sequence[str] | dict[str, Any]) -> int:
    return max((len(name) for name in names), default=0)

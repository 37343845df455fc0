"""The comparison as a table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from topiccrawler.evaluation.experiment import Comparison, Outcome, Plan
from topiccrawler.evaluation.results import mean_ratios, ranked, result

KEPT_COLUMNS = {
    "pages": "kept",
    "precision": "precision",
    "recall": "recall",
    "p_at_25": "P@25",
    "calibration_error": "calib. err.",
}
MOST_COLUMNS = 4  # harvest rates shown when no step is asked for, the last count among them


def lines(comparison: Comparison) -> list[str]:
    """One table a topic, best first; with several topics the means at the end."""
    pages = comparison.plan.pages
    shown: list[str] = []
    for outcome in comparison.outcomes:
        found = result(comparison, outcome)
        shown += [*_head(comparison, outcome), *_table(found, comparison.plan), *_kept(found), ""]
    if len(comparison.outcomes) > 1:
        ratios = mean_ratios(comparison.outcomes, pages)
        shown.append(
            f"mean oracle ratio of {', '.join(outcome.display_name for outcome in comparison.outcomes)}"
        )
        shown += [f"  {name:<{_width(ratios)}}  {_figure(ratio)}" for name, ratio in ratios.items()]
    return shown


def _head(comparison: Comparison, outcome: Outcome) -> list[str]:
    truth = outcome.truth
    marks = "the page classifier (no labels given: it marks its own work)"
    source = "labels" if truth.source == "labels" else marks
    reached = f"{truth.targets} relevant of {len(truth.reachable)} that can be reached"
    head = f"{outcome.display_name}: {comparison.plan.pages} pages, {reached}; truth: {source}; relevant sites: {truth.sites_of(truth.reachable)}"
    return [head, *(f"  left out: {why}" for why in outcome.built.absent.values())]


def _table(found: dict[str, Any], plan: Plan) -> list[str]:
    every, pages = plan.counts, plan.pages
    step = 1 if plan.step else -(-len(every) // MOST_COLUMNS)
    at = every[::-1][::step][::-1]
    named = ranked(found)
    width = _width([name for name, _ in named])
    recalls = {"target_recall": "recall"}
    if "content_target_recall" in found["oracle"]:
        recalls["content_target_recall"] = "content"
    columns = (*(f"@{n}" for n in at), *recalls.values(), "half at", "sites", "off")
    head = "".join(f"{column:>8}" for column in columns)
    rows = [f"  {'':<{width}}  {'':>5}  harvest rate", f"  {'':<{width}}  ratio{head}   pages"]
    for name, row in named:
        values = [*(row["harvest_rate"][str(n)] for n in at), *(row[one][str(pages)] for one in recalls)]
        shown = _figure(row["oracle_ratio"]) + "".join(f"{_figure(value):>8}" for value in values)
        shown += f"{_count(row['pages_to_half']):>8}{_count(row['relevant_sites']):>8}{_figure(row['off_topic_share']):>8}"
        rows.append(f"  {name:<{width}}  {shown}{row['pages']:>8}{_band(row)}")
    return rows


def _kept(found: dict[str, Any]) -> list[str]:
    """What is kept, by the labels; nothing where nothing says so."""
    named = [(name, row) for name, row in ranked(found) if "kept" in row]
    if not named:
        return []
    width = _width([name for name, _ in named])
    rows = [f"  {'':<{width}}" + "".join(f"{column:>13}" for column in KEPT_COLUMNS.values())]
    for name, row in named:
        values = [
            _count(row["kept"]["pages"]),
            *(_figure(row["kept"][key]) for key in list(KEPT_COLUMNS)[1:]),
        ]
        ends = row.get("band", {}).get("kept", {}).get("precision")
        shown = f"  precision {ends[0]:.3f} to {ends[1]:.3f}" if ends else ""
        rows.append(f"  {name:<{width}}" + "".join(f"{value:>13}" for value in values) + shown)
    return rows


def _band(row: dict[str, Any]) -> str:
    ends = row.get("band", {}).get("oracle_ratio")
    return f"  ratio {ends[0]:.3f} to {ends[1]:.3f} in {row['runs']} runs" if ends else ""


def _figure(value: float | None) -> str:
    return "    -" if value is None else f"{value:.3f}"


def _count(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


def _width(names: Sequence[str] | dict[str, Any]) -> int:
    return max((len(name) for name in names), default=0)

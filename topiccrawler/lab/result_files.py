"""Writes the files of a comparison for scripts: result.json, curves.csv, cost.json; docs/comparing.md describes every field.

Names and meanings are stable; `version` increases with incompatible changes. Only cost.json has figures that are not reproducible bit by
bit (time, memory).
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from topiccrawler.lab.experiment import Comparison, Outcome
from topiccrawler.lab.measures import (
    DIGITS,
    Curve,
    Truth,
    band,
    checkpoints,
    figures,
    harvest_rate,
    mean,
    oracle_ratio,
    target_recall,
)
from topiccrawler.lab.replayed import Crawled

VERSION = 1
CURVE_STEP_PAGES = 50
ORACLE = "oracle"
_MEASURES = ("harvest_rate", "target_recall", "content_target_recall", "oracle_ratio")
_COLUMNS = ("strategy", "run", "pages", "relevant", "content", *_MEASURES)


def result(comparison: Comparison, outcome: Outcome) -> dict[str, Any]:
    """The contents of one topic's result.json."""
    plan, truth = comparison.plan, outcome.truth
    best = outcome.oracle.curves[0]
    return {
        "version": VERSION,
        "web": [str(path) for path in plan.web],
        "topic": outcome.topic,
        "pages": plan.pages,
        "mode": "live" if plan.live else "replay",
        "concurrency": plan.concurrency,
        "truth": truth.source,
        "seeds": outcome.seeds,
        "strategies": {
            spec: {**figures(scored, best, truth, plan.pages, plan.counts), **_counts(outcome.crawls[spec])}
            for spec, scored in outcome.scored.items()
        },
        "oracle": figures(outcome.oracle, best, truth, plan.pages, plan.counts),
        "absent": outcome.built.absent,
        "reachable": {
            "pages": len(truth.reachable),
            "relevant": truth.targets,
            "content": truth.content_targets,
            "relevant_sites": truth.sites_of(truth.reachable),
        },
        "recorded": {
            "pages": comparison.pages,
            "links": comparison.links,
            "links_not_recorded": comparison.links_elsewhere,
            "labelled": comparison.labelled,
            "labels_not_recorded": comparison.labels_elsewhere,
        },
    }


def _counts(crawls: Sequence[Crawled]) -> dict[str, Any]:
    """The numbers of links refused, of tunnels, and of responses that were no page, in the first run; zeros are left out."""
    first = crawls[0]
    counts = {"refused": first.refused, "tunnels": first.tunnels, "no_page": first.no_page}
    return {name: count for name, count in counts.items() if count}


def cost(outcome: Outcome) -> dict[str, Any]:
    """The contents of one topic's cost.json: means over the runs, and for the memory by pages fetched the band too."""
    strategies = {spec: _cost(crawls) for spec, crawls in outcome.crawls.items()}
    return {"version": VERSION, "topic": outcome.topic, "strategies": strategies}


def _cost(crawls: Sequence[Crawled]) -> dict[str, Any]:
    pages = sum(len(one.order) for one in crawls)
    names = [field.name for field in dataclasses.fields(crawls[0].cost)]
    total = {name: sum(getattr(one.cost, name) for one in crawls) for name in names}
    means: dict[str, Any] = {name: round(value / len(crawls), 3) for name, value in total.items()}
    counts = [n for n in crawls[0].memory if all(n in one.memory for one in crawls)]
    for name, of in (("memory_mb", mean), ("memory_band_mb", band)):
        means[name] = {str(n): of([one.memory[n] for one in crawls]) for n in counts}
    means["cpu_seconds_per_page"] = round(total["cpu_seconds"] / pages, 6) if pages else 0.0
    means["pages_per_second"] = round(pages / total["wall_seconds"], 1) if total["wall_seconds"] else 0.0
    return means


def curves(outcome: Outcome, pages: int) -> str:
    """The text of one topic's curves.csv. `pages`: the length of the crawls."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(_COLUMNS)
    best = outcome.oracle.curves[0]
    for name, scored in (*outcome.scored.items(), (ORACLE, outcome.oracle)):
        for run, (curve, content) in enumerate(zip(scored.curves, scored.content, strict=True)):
            for n in checkpoints(pages, CURVE_STEP_PAGES):
                writer.writerow((name, run, n, *_row(curve, content, best, outcome.truth, n)))
    return output.getvalue()


def _row(curve: Curve, content: Curve, best: Curve, truth: Truth, n: int) -> list[Any]:
    measured = (
        harvest_rate(curve, n),
        target_recall(curve, n, truth.targets),
        target_recall(content, n, truth.content_targets),
        oracle_ratio(curve, best, n),
    )
    rounded = ("" if value is None else round(value, DIGITS) for value in measured)
    return [curve.found(n), content.found(n) if truth.content else "", *rounded]


def write(comparison: Comparison, folder: Path) -> list[Path]:
    """Write the files of every topic; with several topics, each into a folder of its name. Return the folders."""
    folders = []
    for outcome in comparison.outcomes:
        place = folder if len(comparison.outcomes) == 1 else folder / outcome.topic
        place.mkdir(parents=True, exist_ok=True)
        (place / "result.json").write_text(as_json(result(comparison, outcome)), encoding="utf-8")
        (place / "cost.json").write_text(as_json(cost(outcome)), encoding="utf-8")
        (place / "curves.csv").write_text(curves(outcome, comparison.plan.pages), encoding="utf-8")
        folders.append(place)
    return folders


def as_json(value: Any) -> str:
    """A value as indented JSON, which is reproducible bit by bit."""
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

"""report.html: a comparison on one page that needs nothing else, with every setting and version.

Pictures are inside it, no script and no outside address is, and every text is escaped: it comes out of the web.

The files a comparison leaves for scripts: result.json, curves.csv, cost.json; docs/comparing.md describes every field.

Names and meanings stay; `version` counts what breaks. Only cost.json holds what cannot repeat to the bit (time, memory).

The comparison as a table for a terminal.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import platform
from base64 import b64encode
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from topiccrawler.files import sha256_of
from topiccrawler.lab.experiment import Comparison, Outcome
from topiccrawler.lab.measures import (
    DIGITS,
    KEPT,
    Curve,
    Scored,
    Truth,
    band,
    checkpoints,
    figures,
    harvest_rate,
    mean,
    oracle_ratio,
    target_recall,
)
from topiccrawler.lab.replayed import Crawled, name_of, parameters_of
from topiccrawler.results.templating import as_text, cell, filled_in
from topiccrawler.strategies import STRATEGIES
from topiccrawler.strategies import parameters_of as defaults_of
from topiccrawler.text.segmenter import TOKENIZER

VERSION = 1
CURVE_STEP_PAGES = 50
ORACLE = "oracle"
_MEASURES = ("harvest_rate", "target_recall", "content_target_recall", "oracle_ratio")
_COLUMNS = ("strategy", "run", "pages", "relevant", "content", *_MEASURES)


def result(comparison: Comparison, outcome: Outcome) -> dict[str, Any]:
    """One topic's result.json."""
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
    """What was refused, tunnelled or no page, in the first run; only what there was."""
    first = crawls[0]
    counts = {"refused": first.refused, "tunnels": first.tunnels, "no_page": first.no_page}
    return {name: count for name, count in counts.items() if count}


def cost(outcome: Outcome) -> dict[str, Any]:
    """One topic's cost.json: means over the runs, of the memory by pages fetched the band too."""
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
    """One topic's curves.csv."""
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


def ranked(found: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The strategies and the oracle of one topic's result.json, best first."""
    named = {**found["strategies"], ORACLE: found["oracle"]}
    return sorted(named.items(), key=lambda row: -(row[1]["oracle_ratio"] or 0.0))


def mean_ratios(outcomes: Sequence[Outcome], pages: int) -> dict[str, float | None]:
    """The oracle ratio of each strategy that ran for every topic, the mean over the topics; best first."""
    specs = [spec for spec in outcomes[0].scored if all(spec in outcome.scored for outcome in outcomes)]
    means = {spec: mean([_ratio(one.scored[spec], one, pages) for one in outcomes]) for spec in specs}
    return dict(sorted(means.items(), key=lambda row: -(row[1] or 0.0)))


def _ratio(scored: Scored, outcome: Outcome, pages: int) -> float | None:
    best = outcome.oracle.curves[0]
    found: float | None = mean([oracle_ratio(curve, best, pages) for curve in scored.curves])
    return found


def write(comparison: Comparison, folder: Path) -> list[Path]:
    """The files of every topic; with more than one topic, each in a folder of its name. Returns the folders."""
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
    """Readable, the same every time."""
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


MOST_COLUMNS = 4  # harvest rates shown when no step is asked for, the last count among them


def lines(comparison: Comparison) -> list[str]:
    """One table a topic, best first; with several topics the means at the end."""
    plan, outcomes = comparison.plan, comparison.outcomes
    step = 1 if plan.step else -(-len(plan.counts) // MOST_COLUMNS)
    results = [(outcome.display_name, result(comparison, outcome)) for outcome in outcomes]
    values = {
        "topics": [{"name": name, "found": found, "ranked": ranked(found)} for name, found in results],
        "pages": plan.pages,
        "at": plan.counts[::-1][::step][::-1],
        "means": mean_ratios(outcomes, plan.pages) if len(outcomes) > 1 else {},
    }
    return as_text("lab/templates/comparison.txt", values).split("\n")


PACKAGES = (
    *("topiccrawler", "Scrapy", "selectolax", "jieba", "rjieba", "OpenCC", "tldextract", "scikit-learn"),
    *("numpy", "scipy", "networkx", "FastWARC", "matplotlib"),
)
KEPT_HEADINGS = ("kept", "precision", "recall", "P@25", "calibration error")


def report(
    comparison: Comparison, pictures: Mapping[str, Mapping[str, bytes]], asked: Mapping[str, Any]
) -> str:
    """The page; `pictures`: topic -> file name -> PNG; `asked`: the options of the call."""
    outcomes, pages = comparison.outcomes, comparison.plan.pages
    means = mean_ratios(outcomes, pages) if len(outcomes) > 1 else {}
    topics = [
        {
            **_tables(found := result(comparison, outcome), pages),
            "found": found,
            "name": outcome.display_name,
            "pictures": [(name, _source(png)) for name, png in pictures[outcome.topic].items()],
        }
        for outcome in outcomes
    ]
    return filled_in(
        "lab/templates/comparison.html",
        topics=topics,
        means=list(means.items()),
        asked=asked,
        strategies=[_strategy(spec) for spec in comparison.plan.specs],
        comparison=comparison,
        plan=comparison.plan,
        files=[
            (f"{path} (SHA-256)", sha256_of(path)) for path in (*comparison.plan.web, *comparison.plan.labels)
        ],
        versions=list(versions().items()),
    )


def _tables(found: dict[str, Any], pages: int) -> dict[str, Any]:
    at = sorted({int(next(iter(found["oracle"]["harvest_rate"]))), pages})  # all others are in result.json
    has_content = "content_target_recall" in found["oracle"]
    recalls = ["target_recall", *(["content_target_recall"] if has_content else [])]
    columns = ["strategy", "oracle ratio", *(f"harvest@{n}" for n in at), f"recall@{pages}"]
    columns += [f"recall@{pages}, content"] if has_content else []
    columns += ["pages to half", "relevant sites", "off topic"]
    rows = []
    for name, row in ranked(found):
        rates = [*(row["harvest_rate"][str(n)] for n in at), *(row[one][str(pages)] for one in recalls)]
        found_out = [row[one] for one in ("pages_to_half", "relevant_sites", "off_topic_share")]
        ratio = _interval(row["oracle_ratio"], row.get("band", {}).get("oracle_ratio"))
        rows.append([name, ratio, *rates, *found_out, row["pages"]])
    return {
        "columns": [*columns, "pages"],
        "rows": rows,
        "kept_columns": ["strategy", *KEPT_HEADINGS],
        "kept": [_kept_row(name, row) for name, row in ranked(found) if "kept" in row],
    }


def _kept_row(name: str, row: Mapping[str, Any]) -> list[object]:
    """What a strategy kept, each figure with its band."""
    bands = row.get("band", {}).get("kept", {})
    return [name, *(_interval(row["kept"][key], bands.get(key)) for key in KEPT)]


def _interval(value: object, ends: Sequence[float] | None) -> object:
    return f"{cell(value)} ({ends[0]:.3f} to {ends[1]:.3f})" if ends else value


def _strategy(spec: str) -> tuple[str, str]:
    parameters = {**defaults_of(STRATEGIES[name_of(spec)]), **parameters_of(spec)}
    shown = ", ".join(f"{key}={value}" for key, value in parameters.items())
    return spec, shown or "no parameters"


def versions() -> dict[str, str]:
    """Of Python, the tokenizer and all packages that can change a figure."""
    found = {"Python": platform.python_version(), "tokenizer": TOKENIZER}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def _source(png: bytes) -> str:
    return f"data:image/png;base64,{b64encode(png).decode('ascii')}"

"""Presents a comparison to people: as report.html, one self-contained page with every setting and version, and as a table for a terminal.

The page embeds its plots and has no scripts and no external resources. Every text is escaped, because it comes from the web.
"""

from __future__ import annotations

import platform
from base64 import b64encode
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

from topiccrawler.files import sha256_of
from topiccrawler.lab.configurations import name_of, parameters_of
from topiccrawler.lab.experiment import Comparison, Outcome
from topiccrawler.lab.measures import (
    KEPT,
    Scored,
    mean,
    oracle_ratio,
)
from topiccrawler.lab.result_files import ORACLE, result
from topiccrawler.results.templating import as_text, cell, filled_in
from topiccrawler.strategies import STRATEGIES
from topiccrawler.strategies import parameters_of as defaults_of
from topiccrawler.text.segmenter import TOKENIZER


def ranked(found: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The strategies and the oracle of one topic's result.json, the best first by oracle ratio."""
    named = {**found["strategies"], ORACLE: found["oracle"]}
    return sorted(named.items(), key=lambda row: -(row[1]["oracle_ratio"] or 0.0))


def mean_ratios(outcomes: Sequence[Outcome], pages: int) -> dict[str, float | None]:
    """The mean oracle ratio over the topics, for each strategy that ran for every topic; the best first."""
    specs = [spec for spec in outcomes[0].scored if all(spec in outcome.scored for outcome in outcomes)]
    means = {spec: mean([_ratio(one.scored[spec], one, pages) for one in outcomes]) for spec in specs}
    return dict(sorted(means.items(), key=lambda row: -(row[1] or 0.0)))


def _ratio(scored: Scored, outcome: Outcome, pages: int) -> float | None:
    best = outcome.oracle.curves[0]
    found: float | None = mean([oracle_ratio(curve, best, pages) for curve in scored.curves])
    return found


MOST_COLUMNS = 4  # harvest rates in the table when no step is given, including the last


def lines(comparison: Comparison) -> list[str]:
    """The lines of a table for each topic, the best strategy first; with several topics the means at the end."""
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
    *(
        "topiccrawler",
        "Scrapy",
        "selectolax",
        "jieba",
        "rjieba",
        "OpenCC",
        "publicsuffixlist",
        "scikit-learn",
    ),
    *("numpy", "scipy", "networkx", "FastWARC", "matplotlib"),
)
KEPT_HEADINGS = ("kept", "precision", "recall", "P@25", "calibration error")


def report(
    comparison: Comparison, pictures: Mapping[str, Mapping[str, bytes]], asked: Mapping[str, Any]
) -> str:
    """The HTML of the report. `pictures`: topic -> file name -> PNG. `asked`: the options of the command."""
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
    at = sorted({int(next(iter(found["oracle"]["harvest_rate"]))), pages})  # the others are in result.json
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
    """The row of a strategy's figures on kept pages, each with its band."""
    bands = row.get("band", {}).get("kept", {})
    return [name, *(_interval(row["kept"][key], bands.get(key)) for key in KEPT)]


def _interval(value: object, ends: Sequence[float] | None) -> object:
    return f"{cell(value)} ({ends[0]:.3f} to {ends[1]:.3f})" if ends else value


def _strategy(spec: str) -> tuple[str, str]:
    parameters = {**defaults_of(STRATEGIES[name_of(spec)]), **parameters_of(spec)}
    shown = ", ".join(f"{key}={value}" for key, value in parameters.items())
    return spec, shown or "no parameters"


def versions() -> dict[str, str]:
    """The versions of Python, the tokenizer and all packages that can change a figure."""
    found = {"Python": platform.python_version(), "tokenizer": TOKENIZER}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def _source(png: bytes) -> str:
    return f"data:image/png;base64,{b64encode(png).decode('ascii')}"

"""report.html: a comparison on one page that needs nothing else, with every setting and version.

Pictures are inside it, no script and no outside address is, and every text is escaped: it comes out of the web.
"""

from __future__ import annotations

import platform
from base64 import b64encode
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

from topiccrawler.evaluation.configurations import name_of, parameters_of
from topiccrawler.evaluation.experiment import Comparison
from topiccrawler.evaluation.results import mean_ratios, ranked, result
from topiccrawler.evaluation.scoring import KEPT
from topiccrawler.files import sha256_of
from topiccrawler.results.html import cell, environment
from topiccrawler.strategies import STRATEGIES
from topiccrawler.strategies import parameters_of as defaults_of
from topiccrawler.text.tokenise import TOKENIZER

PACKAGES = (
    *("topiccrawler", "Scrapy", "selectolax", "jieba", "rjieba", "OpenCC", "tldextract", "scikit-learn"),
    *("numpy", "scipy", "networkx", "FastWARC", "matplotlib"),
)
KEPT_COLUMNS = ("kept", "precision", "recall", "P@25", "calibration error")


def report(
    comparison: Comparison, pictures: Mapping[str, Mapping[str, bytes]], settings: Mapping[str, Any]
) -> str:
    """The page; `pictures`: topic -> file name -> PNG."""
    outcomes, pages = comparison.outcomes, comparison.plan.pages
    means = mean_ratios(outcomes, pages) if len(outcomes) > 1 else {}
    topics = [
        {
            **_topic(result(comparison, outcome), pages),
            "name": outcome.display_name,
            "absent": list(outcome.built.absent.values()),
            "pictures": [(name, _source(png)) for name, png in pictures[outcome.topic].items()],
        }
        for outcome in outcomes
    ]
    return (
        environment()
        .get_template("evaluation/templates/comparison.html")
        .render(
            topics=topics,
            means=list(means.items()),
            settings=_pairs(settings),
            strategies=[_strategy(spec) for spec in comparison.plan.specs],
            web=_pairs(_web(comparison)),
            versions=_pairs(versions()),
        )
    )


def _topic(found: dict[str, Any], pages: int) -> dict[str, Any]:
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
        rows.append([name, _with_band(row), *rates, *found_out, row["pages"]])
    return {
        "relevant": found["reachable"]["relevant"],
        "reachable": found["reachable"]["pages"],
        "sites": found["reachable"]["relevant_sites"],
        "seeds": found["seeds"],
        "is_judged": found["truth"] == "judge",
        "is_live": found["mode"] == "live",
        "columns": [*columns, "pages"],
        "rows": rows,
        "kept_columns": ["strategy", *KEPT_COLUMNS],
        "kept": [_kept(name, row) for name, row in ranked(found) if "kept" in row],
    }


def _kept(name: str, row: Mapping[str, Any]) -> list[object]:
    """What a strategy kept, each figure with its band."""
    bands = row.get("band", {}).get("kept", {})
    return [name, *(_interval(row["kept"][key], bands.get(key)) for key in KEPT)]


def _with_band(row: Mapping[str, Any]) -> object:
    return _interval(row["oracle_ratio"], row.get("band", {}).get("oracle_ratio"))


def _interval(value: object, ends: Sequence[float] | None) -> object:
    return f"{cell(value)} ({ends[0]:.3f} to {ends[1]:.3f})" if ends else value


def _strategy(spec: str) -> tuple[str, str]:
    parameters = {**defaults_of(STRATEGIES[name_of(spec)]), **parameters_of(spec)}
    shown = ", ".join(f"{key}={value}" for key, value in parameters.items())
    return spec, shown or "no parameters"


def _web(comparison: Comparison) -> dict[str, object]:
    files = (*comparison.plan.web, *comparison.plan.labels)
    return {
        **{f"{path} (SHA-256)": sha256_of(path) for path in files},
        "pages": comparison.pages,
        "distinct links between them": comparison.links,
        "links to pages that were not recorded, not queued": comparison.links_elsewhere,
        "labelled pages": comparison.labelled,
        "labelled URLs that were not recorded": comparison.labels_elsewhere,
    }


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


def _pairs(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(name, str(value)) for name, value in values.items()]

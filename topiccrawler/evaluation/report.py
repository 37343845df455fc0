"""report.html: a comparison on one page that needs nothing else, with every setting and version.

Pictures are inside it, no script and no outside address is, and every text is escaped: it comes out of the web.
"""

from __future__ import annotations

import platform
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import metadata
from itertools import zip_longest
from typing import Any

from topiccrawler.evaluation.configurations import name_of, parameters_of
from topiccrawler.evaluation.experiment import Comparison
from topiccrawler.evaluation.results import mean_ratios, ranked, result
from topiccrawler.files import sha256_of
from topiccrawler.strategies import STRATEGIES
from topiccrawler.strategies import parameters_of as defaults_of
from topiccrawler.text.tokenise import TOKENIZER

PACKAGES = (
    *("topiccrawler", "Scrapy", "selectolax", "jieba", "rjieba", "OpenCC", "tldextract", "scikit-learn"),
    *("numpy", "scipy", "networkx", "FastWARC", "matplotlib"),
)
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222;overflow-wrap:anywhere}"
    "div.scroll{overflow-x:auto;margin:1em 0}table{border-collapse:collapse}"
    "td,th{padding:.2em .7em;border-bottom:1px solid #ddd;text-align:right;vertical-align:top;white-space:nowrap}"
    ".text{text-align:left}td.text{white-space:normal;min-width:6em}td.text+td.text{min-width:14em}"
    "table.named td:first-child{white-space:nowrap;position:sticky;left:0;background:#fff}"
    "img{width:100%;min-width:40em}p.note{background:#fff3cd;padding:.6em 1em}"
)


def report(
    comparison: Comparison, pictures: Mapping[str, Mapping[str, bytes]], settings: Mapping[str, Any]
) -> str:
    """The page; `pictures`: topic -> file name -> PNG."""
    topics = [outcome.topic for outcome in comparison.outcomes]
    body = [f"<h1>Comparison: {escape(', '.join(topics))}</h1>"]
    if len(topics) > 1:
        means = mean_ratios(comparison.outcomes, comparison.plan.pages).items()
        body += ["<h2>Mean oracle ratio</h2>", _table(("strategy", "mean of topics"), means, named=True)]
    for outcome in comparison.outcomes:
        body += _topic(result(comparison, outcome), comparison.plan.pages, outcome.built.absent)
        body += [_picture(name, png) for name, png in pictures[outcome.topic].items()]
    body += ["<h2>What was run</h2>", _pairs(settings)]
    body += ["<h3>Strategies</h3>", _strategies(comparison.plan.specs)]
    body += ["<h3>Recorded web</h3>", _web(comparison)]
    body += ["<h3>Versions</h3>", _pairs(versions()), "<h3>Measures</h3>", _MEASURES]
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><title>Comparison</title>'
        f"<style>{_STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )


_MEASURES = (
    "<p>harvest rate = relevant among the first N fetched / N. target recall = relevant among the first N fetched / relevant "
    "that can be reached from the seeds. oracle ratio = area under the curve of relevant pages, by the same area of an "
    "oracle that knows links and truth and fetches the page nearest to a relevant one. A crawl that runs out of pages keeps its count. "
    "Steps between are in result.json and curves.csv. What the runs cost stands in cost.json, because it does not repeat.</p>"
)


def _topic(found: dict[str, Any], pages: int, absent: Mapping[str, str]) -> list[str]:
    reachable = found["reachable"]
    seeds = found["seeds"]
    some = ", ".join(seeds[:5]) + (" …" if len(seeds) > 5 else "")
    reached = f"{reachable['relevant']} relevant pages of {reachable['pages']} that can be reached"
    head = f"<h2>{escape(found['topic'])}</h2>"
    parts = [head, f"<p>{reached} from {len(seeds)} seeds ({escape(some)}).</p>"]
    if found["truth"] == "judge":
        parts.append(
            '<p class="note">No labels were given: the page classifier, which the crawls themselves see, is the truth here. '
            "Strategies that rely on it look better than they are.</p>"
        )
    if found["mode"] == "live":
        parts.append('<p class="note">Crawled by the real engine; such runs do not repeat to the bit.</p>')
    at = sorted({int(next(iter(found["oracle"]["harvest_rate"]))), pages})  # all others are in result.json
    has_content = "content_target_recall" in found["oracle"]
    recalls = ["target_recall", *(["content_target_recall"] if has_content else [])]
    columns = ["strategy", "oracle ratio", *(f"harvest@{n}" for n in at), f"recall@{pages}"]
    columns += [f"recall@{pages}, content"] if has_content else []
    rows = []
    for name, row in ranked(found):
        rates = [*(row["harvest_rate"][str(n)] for n in at), *(row[one][str(pages)] for one in recalls)]
        rows.append([name, _with_band(row), *rates, row["pages"]])
    parts.append(_table((*columns, "pages"), rows, named=True))
    parts += [f'<p class="note">Left out: {escape(why)}</p>' for why in absent.values()]
    return parts


def _with_band(row: Mapping[str, Any]) -> object:
    ends = row.get("band", {}).get("oracle_ratio")
    return f"{_cell(row['oracle_ratio'])} ({ends[0]:.3f} to {ends[1]:.3f})" if ends else row["oracle_ratio"]


def _strategies(specs: Sequence[str]) -> str:
    rows = []
    for spec in specs:
        parameters = {**defaults_of(STRATEGIES[name_of(spec)]), **parameters_of(spec)}
        shown = ", ".join(f"{key}={value}" for key, value in parameters.items())
        rows.append((spec, shown or "no parameters"))
    return _table(("strategy", "parameters"), rows, named=True)


def _web(comparison: Comparison) -> str:
    files = (*comparison.plan.web, *comparison.plan.labels)
    return _pairs(
        {
            **{f"{path} (SHA-256)": sha256_of(path) for path in files},
            "pages": comparison.pages,
            "distinct links between them": comparison.links,
            "links to pages that were not recorded, not queued": comparison.links_elsewhere,
            "labelled pages": comparison.labelled,
            "labelled URLs that were not recorded": comparison.labels_elsewhere,
        }
    )


def versions() -> dict[str, str]:
    """Of Python, the tokenizer and all packages that can change a figure."""
    found = {"Python": platform.python_version(), "tokenizer": TOKENIZER}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def _picture(name: str, png: bytes) -> str:
    source = f"data:image/png;base64,{b64encode(png).decode('ascii')}"
    return f'<div class="scroll"><img alt="{escape(name)}" src="{source}"></div>'


def _pairs(values: Mapping[str, Any]) -> str:
    return _table(("", ""), [(name, str(value)) for name, value in values.items()])


def _table(head: Iterable[str], rows: Iterable[Iterable[object]], *, named: bool = False) -> str:
    """A table in a box of its own that scrolls; with `named`, the first column holds names and stays in sight."""
    rows = [list(row) for row in rows]
    kinds = [' class="text"' if isinstance(value, str) else "" for value in (rows[0] if rows else ())]
    lines = [_cells("th", kinds, head)] if any(head := list(head)) else []
    lines += [_cells("td", kinds, row) for row in rows]
    start = '<div class="scroll"><table class="named">' if named else '<div class="scroll"><table>'
    return start + "".join(f"<tr>{line}</tr>" for line in lines) + "</table></div>"


def _cells(tag: str, kinds: Iterable[str], values: Iterable[object]) -> str:
    pairs = zip_longest(kinds, map(_cell, values), fillvalue="")
    return "".join(f"<{tag}{kind}>{text}</{tag}>" for kind, text in pairs)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else escape(str(value))

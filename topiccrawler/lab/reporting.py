"""Presents a comparison: as files for scripts, as a table for a terminal, as plots, and as one page with all of it.

result.json, curves.csv and cost.json are for scripts; docs/comparing.md describes every field. Names and meanings are stable; `version`
increases with incompatible changes. Only cost.json has figures that are not reproducible bit by bit (time, memory).

Plots show harvest and recall as the papers do: pages fetched to the right, the measure upwards, one line a strategy. The best strategies by
oracle ratio have a colour, a line style and their name beside the plot; the others are grey. The files contain no date.

report.html embeds its plots and has no scripts and no external resources. Every text is escaped, because it comes from the web.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import platform
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from topiccrawler.files import sha256_of
from topiccrawler.lab.configurations import name_of, parameters_of
from topiccrawler.lab.experiment import Comparison, Outcome, Plan
from topiccrawler.lab.measures import (
    DIGITS,
    LABELS,
    Curve,
    Kept,
    Measured,
    band,
    checkpoints,
    figures,
    harvest_rate,
    mean,
    oracle_ratio,
    reliability,
    target_recall,
)
from topiccrawler.lab.runner import Crawled
from topiccrawler.results.templating import as_text, cell, filled_in
from topiccrawler.strategies import STRATEGIES
from topiccrawler.strategies import parameters_of as defaults_of
from topiccrawler.text.segmenter import TOKENIZER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VERSION = 1
CURVE_STEP_PAGES = 50
ORACLE = "oracle"
COLUMNS = (
    "strategy", "run", "pages", "relevant", "content", "harvest_rate", "target_recall", "content_target_recall", "oracle_ratio",
)  # fmt: skip
MOST_COLUMNS = 4  # harvest rates in a table when no step is given, including the last
PACKAGES = (
    "topiccrawler", "Scrapy", "selectolax", "jieba", "rjieba", "OpenCC", "publicsuffixlist", "scikit-learn", "numpy", "scipy",
    "networkx", "FastWARC", "matplotlib",
)  # fmt: skip
KEPT_HEADINGS = ("kept", "precision", "recall", "P@25", "calibration error")
POINTS = 200  # per curve of a plot
SIZE_INCHES = (9.0, 5.5)
DOTS_AN_INCH = 120
FONT_POINTS = 11
# For the best strategies: Okabe and Ito's colours, which most colour-blind people can distinguish; each has a line style too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 1, 4, 1)))
OTHERS = "0.72"  # a light grey
LONGEST_NAME = 32


def result(comparison: Comparison, outcome: Outcome) -> dict[str, Any]:
    """The contents of one topic's result.json."""
    plan, truth = comparison.plan, outcome.truth

    def entry(runs: Sequence[Measured]) -> dict[str, Any]:
        return figures(runs, outcome.best, truth, plan.pages, plan.counts)

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
            spec: {**entry(runs), **_counts(outcome.crawls[spec])} for spec, runs in outcome.scored.items()
        },
        "oracle": entry([outcome.oracle]),
        "absent": outcome.built.absent,
        "reachable": {
            "pages": len(truth.reachable),
            "relevant": truth.targets,
            "content": truth.content_targets,
            "relevant_sites": truth.sites_of(truth.reachable),
        },
        "recorded": comparison.recorded,
    }


def _counts(crawls: Sequence[Crawled]) -> dict[str, Any]:
    """The numbers of links refused, of tunnels, and of responses that were no page, in the first run; zeros are left out."""
    counts = {name: getattr(crawls[0], name) for name in ("refused", "tunnels", "no_page")}
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
    writer.writerow(COLUMNS)
    truth = outcome.truth
    for name, runs in (*outcome.scored.items(), (ORACLE, [outcome.oracle])):
        for run, (curve, content, *_) in enumerate(runs):
            for n in checkpoints(pages, CURVE_STEP_PAGES):
                measured = (
                    harvest_rate(curve, n),
                    target_recall(curve, n, truth.targets),
                    target_recall(content, n, truth.content_targets),
                    oracle_ratio(curve, outcome.best, n),
                )
                rounded = ("" if value is None else round(value, DIGITS) for value in measured)
                relevant = curve.found(n), content.found(n) if truth.content else ""
                writer.writerow((name, run, n, *relevant, *rounded))
    return output.getvalue()


def write(comparison: Comparison, folder: Path, asked: Mapping[str, Any]) -> None:
    """Write the files for scripts and the plots of every topic, with several topics each into a folder of its name, and report.html.
    `asked`: the options of the command."""
    pictures, pages = {}, comparison.plan.pages
    for outcome in comparison.outcomes:
        place = folder if len(comparison.outcomes) == 1 else folder / outcome.topic
        place.mkdir(parents=True, exist_ok=True)
        (place / "result.json").write_text(as_json(result(comparison, outcome)), encoding="utf-8")
        (place / "cost.json").write_text(as_json(cost(outcome)), encoding="utf-8")
        (place / "curves.csv").write_text(curves(outcome, pages), encoding="utf-8")
        pictures[outcome.topic] = plots(outcome, pages)
        for name, png in pictures[outcome.topic].items():
            (place / name).write_bytes(png)
    (folder / "report.html").write_text(report(comparison, pictures, asked), encoding="utf-8")


def as_json(value: Any) -> str:
    """A value as indented JSON, which is reproducible bit by bit."""
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def ranked(found: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The strategies and the oracle of one topic's result.json, the best first by oracle ratio."""
    named = {**found["strategies"], ORACLE: found["oracle"]}
    return sorted(named.items(), key=lambda row: -(row[1]["oracle_ratio"] or 0.0))


def mean_ratios(outcomes: Sequence[Outcome], pages: int) -> dict[str, float | None]:
    """The mean oracle ratio over the topics, for each strategy that ran for every topic; the best first."""

    def ratio(spec: str, one: Outcome) -> float | None:
        found: float | None = mean([oracle_ratio(run.curve, one.best, pages) for run in one.scored[spec]])
        return found

    specs = [spec for spec in outcomes[0].scored if all(spec in outcome.scored for outcome in outcomes)]
    means = {spec: mean([ratio(spec, one) for one in outcomes]) for spec in specs}
    return dict(sorted(means.items(), key=lambda row: -(row[1] or 0.0)))


def _of_topics(comparison: Comparison) -> dict[str, Any]:
    """What table and report have in common: the tables of each topic, and the means of several topics."""
    outcomes, pages = comparison.outcomes, comparison.plan.pages
    topics = []
    for outcome in outcomes:
        found = result(comparison, outcome)
        name = outcome.display_name or outcome.topic
        topics.append({"name": name, "found": found, **_tables(found, comparison.plan)})
    means = mean_ratios(outcomes, pages).items() if len(outcomes) > 1 else ()
    return {"topics": topics, "means": list(means), "pages": pages}


def lines(comparison: Comparison) -> list[str]:
    """The lines of a table for each topic, the best strategy first; with several topics the means at the end."""
    values = {**_of_topics(comparison), "aligned": _aligned}
    return as_text("lab/templates/comparison.txt", values).split("\n")


def _aligned(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """The lines of one table: the first column to the left, the others to the right."""
    texts = [*([headings] if headings else []), *([cell(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return [
        f"  {first:<{widths[0]}}"
        + "".join(f"  {text:>{width}}" for text, width in zip(rest, widths[1:], strict=True))
        for first, *rest in texts
    ]


def report(
    comparison: Comparison, pictures: Mapping[str, Mapping[str, bytes]], asked: Mapping[str, Any]
) -> str:
    """The HTML of the report. `pictures`: topic -> file name -> PNG. `asked`: the options of the command."""
    plan, known = comparison.plan, _of_topics(comparison)
    for outcome, topic in zip(comparison.outcomes, known["topics"], strict=True):
        drawn = {name: b64encode(png).decode("ascii") for name, png in pictures[outcome.topic].items()}
        topic["pictures"] = [(name, f"data:image/png;base64,{text}") for name, text in drawn.items()]
    return filled_in(
        "lab/templates/comparison.html",
        **known,
        asked=asked,
        strategies=[(spec, _parameters(spec)) for spec in plan.specs],
        comparison=comparison,
        plan=plan,
        files=[(f"{path} (SHA-256)", sha256_of(path)) for path in (*plan.web, *plan.labels)],
        versions=list(versions().items()),
    )


def _tables(found: dict[str, Any], plan: Plan) -> dict[str, Any]:
    """The tables of one topic: of what was fetched, and of what was kept."""
    step = 1 if plan.step else -(-len(plan.counts) // MOST_COLUMNS)
    at = plan.counts[::-1][::step][::-1]  # the others are in result.json
    kinds = {"target_recall": "", "content_target_recall": ", content"}
    recalls = {key: f"recall@{plan.pages}{kind}" for key, kind in kinds.items() if key in found["oracle"]}
    headings = ["strategy", "oracle ratio", *(f"harvest@{n}" for n in at), *recalls.values()]
    rows, kept = [], []
    for name, row in ranked(found):
        bands = row.get("band", {})
        rates = [*(row["harvest_rate"][str(n)] for n in at), *(row[key][str(plan.pages)] for key in recalls)]
        shares = (row[key] for key in ("pages_to_half", "relevant_sites", "off_topic_share", "pages"))
        rows.append([name, _interval(row["oracle_ratio"], bands.get("oracle_ratio")), *rates, *shares])
        if "kept" in row:
            of_kept = bands.get("kept", {})
            kept.append([name, *(_interval(row["kept"][key], of_kept.get(key)) for key in Kept._fields)])
    return {
        "columns": [*headings, "pages to half", "relevant sites", "off topic", "pages"],
        "rows": rows,
        "kept_columns": ["strategy", *KEPT_HEADINGS],
        "kept": kept,
    }


def _interval(value: object, ends: Sequence[float] | None) -> object:
    return f"{cell(value)} ({ends[0]:.3f} to {ends[1]:.3f})" if ends else value


def _parameters(spec: str) -> str:
    parameters = {**defaults_of(STRATEGIES[name_of(spec)]), **parameters_of(spec)}
    return ", ".join(f"{key}={value}" for key, value in parameters.items()) or "no parameters"


def versions() -> dict[str, str]:
    """The versions of Python, the tokenizer and all packages that can change a figure."""
    found = {"Python": platform.python_version(), "tokenizer": TOKENIZER}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def plots(outcome: Outcome, pages: int) -> dict[str, bytes]:
    """The plots of one topic: file name -> PNG. `pages`: the length of the crawls."""
    truth, counted = outcome.truth, partial(_draw_measure, outcome, pages)
    all_pages = partial(target_recall, reachable=truth.targets)
    drawn = {
        "harvest.png": counted("harvest rate", lambda run: run.curve, harvest_rate),
        "recall.png": counted("target recall", lambda run: run.curve, all_pages),
    }
    if truth.content:
        label, content = (
            "target recall, content pages alone",
            partial(target_recall, reachable=truth.content_targets),
        )
        drawn["recall_content.png"] = counted(label, lambda run: run.content, content)
    if truth.source == LABELS and outcome.scored:
        drawn["reliability.png"] = _draw_reliability(outcome, pages)
    return drawn


def _draw_reliability(outcome: Outcome, pages: int) -> bytes:
    """The reliability diagram: share on topic over mean relevance, a point a bin, sized by its pages. On the diagonal relevance is a
    probability."""

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], linestyle="--", color="black", linewidth=1.0)
        for name, look in _looks(outcome, pages):
            bins = reliability([page for run in outcome.scored[name] for page in run.assessed or ()])
            known = [one for one in bins if one.pages]
            across, up = [one.mean_relevance or 0.0 for one in known], [one.on_topic or 0.0 for one in known]
            axes.plot(across, up, **look)
            total = sum(one.pages for one in known)
            sizes = [8.0 + 250.0 * one.pages / total for one in known]
            axes.scatter(across, up, s=sizes, color=look["color"], alpha=0.7)

    title = f"{_plain(outcome.topic)}: reliability of the relevance"
    return _png(title, "mean relevance of the content pages of a bin", "share of them on topic", 1.02, draw)


def _draw_measure(
    outcome: Outcome,
    pages: int,
    label: str,
    curve_of: Callable[[Measured], Curve],
    measure: Callable[[Curve, int], float | None],
) -> bytes:
    """A plot of the measure over the pages fetched: the mean of the runs, and their confidence band if each point has one."""

    def draw(axes: Axes) -> None:
        at = checkpoints(pages, max(1, pages // POINTS))
        oracle = {"color": "black", "linewidth": 1.0, "label": ORACLE}
        drawn = [(outcome.scored[name], look) for name, look in _looks(outcome, pages)]
        for runs, look in [([outcome.oracle], oracle), *drawn]:
            values = [[measure(curve_of(run), n) or 0.0 for run in runs] for n in at]
            axes.plot(at, [fmean(some) for some in values], **look)
            ends = [one for some in values if (one := band(some)) is not None]
            if len(ends) == len(values) and look["color"] != OTHERS:
                low, high = zip(*ends, strict=True)
                axes.fill_between(at, low, high, color=look["color"], alpha=0.2, linewidth=0)

    others = f" (grey: {count} other strategies)" if (count := len(outcome.scored) - len(COLOURS)) > 0 else ""
    return _png(f"{_plain(outcome.topic)}: {label}{others}", "pages fetched", label, pages, draw)


def _looks(outcome: Outcome, pages: int) -> list[tuple[str, dict[str, Any]]]:
    """The strategies with the style of their lines, the best last, so that it is drawn on top."""
    names = list(mean_ratios([outcome], pages))
    looks = {
        name: {"color": colour, "linestyle": style, "linewidth": 2.2, "label": _plain(name)}
        for name, colour, style in zip(names, COLOURS, STYLES, strict=False)
    }
    plain: dict[str, Any] = {"color": OTHERS, "linewidth": 0.8}
    return [(name, looks.get(name, plain)) for name in reversed(names)]


def _png(title: str, across: str, up: str, right: float, draw: Callable[[Axes], None]) -> bytes:
    """A figure as PNG, made without pyplot, so that no display is needed, with a legend at the right, the best strategy first. `right`: the
    end of the horizontal axis."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE_INCHES, dpi=DOTS_AN_INCH, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=FONT_POINTS + 1, loc="left")
    axes.set_xlabel(across, fontsize=FONT_POINTS)
    axes.set_ylabel(up, fontsize=FONT_POINTS)
    axes.set(xlim=(0, right), ylim=(0, 1.02))
    axes.grid(visible=True, alpha=0.3)
    draw(axes)
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
        axes.legend(handles[::-1], labels[::-1], **place, fontsize=FONT_POINTS - 1)
    output = io.BytesIO()
    figure.savefig(output, format="png", metadata={"Software": None})
    return output.getvalue()


def _plain(text: str) -> str:
    """A label for matplotlib, which parses dollar signs as formulas and skips labels that begin with an underscore."""
    plain = text.replace("$", "").lstrip("_")
    return plain if len(plain) <= LONGEST_NAME else f"{plain[: LONGEST_NAME - 1]}…"

"""Draws harvest and recall curves as the papers do: pages fetched to the right, the measure upwards, one line a strategy.

The best strategies by oracle ratio have a colour, a line style and their name beside the plot; the others are grey.
The plots are made without pyplot, so that no display is needed. The files contain no date, so they are reproducible bit by bit.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from statistics import fmean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from topiccrawler.lab.experiment import Outcome
from topiccrawler.lab.kept_pages import reliability
from topiccrawler.lab.measures import Curve, band, checkpoints, harvest_rate, target_recall
from topiccrawler.lab.reporting import mean_ratios
from topiccrawler.lab.result_files import ORACLE

POINTS = 200  # per curve
SIZE_INCHES = (9.0, 5.5)
DOTS_AN_INCH = 120
FONT_POINTS = 11
# For the best strategies: Okabe and Ito's colours, which most colour-blind people can distinguish; each has a line style too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_STYLES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 1, 4, 1)))
_OTHERS = "0.72"  # a light grey
_LONGEST_NAME = 32

Measure = Callable[[Curve, int], float | None]


def plots(outcome: Outcome, pages: int) -> dict[str, bytes]:
    """The plots of one topic: file name -> PNG. `pages`: the length of the crawls."""
    truth = outcome.truth
    drawn = {
        "harvest.png": _draw(outcome, pages, "harvest rate", harvest_rate),
        "recall.png": _draw(outcome, pages, "target recall", lambda c, n: target_recall(c, n, truth.targets)),
    }
    if truth.content:
        label, targets = "target recall, content pages alone", truth.content_targets
        png = _draw(outcome, pages, label, lambda c, n: target_recall(c, n, targets), content=True)
        drawn["recall_content.png"] = png
    if any(scored.assessed for scored in outcome.scored.values()):
        drawn["reliability.png"] = _draw_reliability(outcome, pages)
    return drawn


def _draw_reliability(outcome: Outcome, pages: int) -> bytes:
    """The reliability diagram: share on topic over mean relevance, a point a bin, sized by its pages. On the diagonal relevance is a
    probability."""
    title = f"{_plain(outcome.topic)}: reliability of the relevance"
    figure, axes = _axes(
        title, "mean relevance of the content pages of a bin", "share of them on topic", 1.02
    )
    axes.plot([0, 1], [0, 1], linestyle="--", color="black", linewidth=1.0)
    for name, look in _looks(outcome, pages):
        bins = reliability([page for run in outcome.scored[name].assessed for page in run])
        known = [one for one in bins if one.pages]
        across, up = [one.mean_relevance or 0.0 for one in known], [one.on_topic or 0.0 for one in known]
        axes.plot(across, up, **look)
        total = sum(one.pages for one in known)
        sizes = [8.0 + 250.0 * one.pages / total for one in known]
        axes.scatter(across, up, s=sizes, color=look["color"], alpha=0.7)
    return _png(figure, axes)


def _draw(outcome: Outcome, pages: int, label: str, measure: Measure, *, content: bool = False) -> bytes:
    """A plot of the measure over the pages fetched: the mean of the runs, and their confidence band if each point has one."""
    at = checkpoints(pages, max(1, pages // POINTS))
    others = f" (grey: {count} other strategies)" if (count := len(outcome.scored) - len(COLOURS)) > 0 else ""
    figure, axes = _axes(f"{_plain(outcome.topic)}: {label}{others}", "pages fetched", label, pages)
    oracle = {"color": "black", "linewidth": 1.0, "label": ORACLE}
    drawn = [(outcome.scored[name], look) for name, look in _looks(outcome, pages)]
    for scored, look in [(outcome.oracle, oracle), *drawn]:
        curves = scored.content if content else scored.curves
        values = [[measure(curve, n) or 0.0 for curve in curves] for n in at]
        axes.plot(at, [fmean(some) for some in values], **look)
        ends = [one for some in values if (one := band(some)) is not None]
        if len(ends) == len(values) and look["color"] != _OTHERS:
            low, high = zip(*ends, strict=True)
            axes.fill_between(at, low, high, color=look["color"], alpha=0.2, linewidth=0)
    return _png(figure, axes)


def _looks(outcome: Outcome, pages: int) -> list[tuple[str, dict[str, Any]]]:
    """The strategies with the style of their lines, the best last, so that it is drawn on top."""
    names = list(mean_ratios([outcome], pages))
    best = zip(names, COLOURS, _STYLES, strict=False)
    looks = {
        name: {"color": colour, "linestyle": style, "linewidth": 2.2, "label": _plain(name)}
        for name, colour, style in best
    }
    plain: dict[str, Any] = {"color": _OTHERS, "linewidth": 0.8}
    return [(name, looks.get(name, plain)) for name in reversed(names)]


def _axes(title: str, across: str, up: str, right: float) -> tuple[Figure, Axes]:
    """An empty figure with axes. `right`: the end of the horizontal axis."""
    figure = Figure(figsize=SIZE_INCHES, dpi=DOTS_AN_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=FONT_POINTS + 1, loc="left")
    axes.set_xlabel(across, fontsize=FONT_POINTS)
    axes.set_ylabel(up, fontsize=FONT_POINTS)
    axes.set_xlim(0, right)
    axes.set_ylim(0, 1.02)
    axes.grid(visible=True, alpha=0.3)
    return figure, axes


def _png(figure: Figure, axes: Axes) -> bytes:
    """The figure as PNG, with a legend at the right, the best strategy first."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        axes.legend(
            handles[::-1],
            labels[::-1],
            fontsize=FONT_POINTS - 1,
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
        )
    output = io.BytesIO()
    figure.savefig(output, format="png", metadata={"Software": None})
    return output.getvalue()


def _plain(text: str) -> str:
    """A label for matplotlib, which parses dollar signs as formulas and skips labels that begin with an underscore."""
    plain = text.replace("$", "").lstrip("_")
    return plain if len(plain) <= _LONGEST_NAME else f"{plain[: _LONGEST_NAME - 1]}…"

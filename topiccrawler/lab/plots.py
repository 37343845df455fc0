"""Harvest and recall curves as the papers draw them: pages fetched to the right, the measure upwards, a line a strategy.

The best strategies by oracle ratio have a colour, a line style and their name at the end of the line; the others are grey.
Made without pyplot, so that no display is needed; the files hold no date and repeat to the bit.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy.optimize import isotonic_regression

from topiccrawler.lab.experiment import Outcome
from topiccrawler.lab.measures import (
    Curve,
    Scored,
    band,
    checkpoints,
    harvest_rate,
    reliability,
    target_recall,
)
from topiccrawler.lab.reporting import ORACLE, mean_ratios

POINTS = 200
SIZE_INCHES = (9.0, 5.5)
DOTS_AN_INCH = 120
FONT_POINTS = 11
# Okabe and Ito's colours, which most colour-blind people can distinguish; each has a line style too. For the best strategies.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_STYLES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 1, 4, 1)))
_OTHERS = "0.72"  # a light grey
_LONGEST_NAME = 32
_APART = 0.055  # of the height, from label to label

Measure = Callable[[Curve, int], float | None]


def plots(outcome: Outcome, pages: int) -> dict[str, bytes]:
    """File name -> PNG."""
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
    """Share on topic over mean relevance, a point a bin, its size by the pages in it: on the diagonal relevance is a probability."""
    title = f"{_plain(outcome.topic)}: reliability of the relevance"
    figure, axes = _axes(title, "mean relevance of the content pages of a bin", 1.02)
    axes.plot([0, 1], [0, 1], linestyle="--", color="black", linewidth=1.0)
    names = list(mean_ratios([outcome], pages))
    for rank, name in reversed(list(enumerate(names))):
        bins = reliability([page for run in outcome.scored[name].assessed for page in run])
        known = [one for one in bins if one.pages]
        if not known:
            continue
        across, up = [one.mean_relevance or 0.0 for one in known], [one.on_topic or 0.0 for one in known]
        best = rank < len(COLOURS)
        colour, style = (COLOURS[rank], _STYLES[rank]) if best else (_OTHERS, "-")
        label = _plain(name) if best else None
        axes.plot(across, up, linestyle=style, color=colour, linewidth=2.2 if best else 0.8, label=label)
        total = sum(one.pages for one in known)
        sizes = [8.0 + 250.0 * one.pages / total for one in known]
        axes.scatter(across, up, s=sizes, color=colour, alpha=0.7)
    axes.set_ylabel("share of them on topic", fontsize=FONT_POINTS)
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        axes.legend(
            handles[::-1],
            labels[::-1],
            fontsize=FONT_POINTS - 1,
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
        )
    return _png(figure)


def _axes(title: str, across: str, right: float) -> tuple[Figure, Axes]:
    """A picture to draw in; `right`: the end of what goes to the right."""
    figure = Figure(figsize=SIZE_INCHES, dpi=DOTS_AN_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=FONT_POINTS + 1, loc="left")
    axes.set_xlabel(across, fontsize=FONT_POINTS)
    axes.set_xlim(0, right)
    axes.set_ylim(0, 1.02)
    axes.grid(visible=True, alpha=0.3)
    return figure, axes


def _png(figure: Figure) -> bytes:
    output = io.BytesIO()
    figure.savefig(output, format="png", metadata={"Software": None})
    return output.getvalue()


def _draw(outcome: Outcome, pages: int, label: str, measure: Measure, *, content: bool = False) -> bytes:
    at = checkpoints(pages, max(1, pages // POINTS))
    names = list(mean_ratios([outcome], pages))  # best first
    others = f" (grey: {count} other strategies)" if (count := len(names) - len(COLOURS)) > 0 else ""
    figure, axes = _axes(f"{_plain(outcome.topic)}: {label}{others}", "pages fetched", pages)
    best = _values(outcome.oracle, at, measure, content=content)
    ends = {ORACLE: (_line(axes, at, best, "black", "-", 1.0), "black")}
    for rank, name in reversed(list(enumerate(names))):  # the best is drawn last, on top
        values = _values(outcome.scored[name], at, measure, content=content)
        if rank < len(COLOURS):
            ends[name] = (_line(axes, at, values, COLOURS[rank], _STYLES[rank], 2.2), COLOURS[rank])
        else:
            _line(axes, at, values, _OTHERS, "-", 0.8)
    _label_ends(axes, ends)
    axes.tick_params(labelsize=FONT_POINTS - 1)
    return _png(figure)


def _line(
    axes: Axes, at: list[int], values: list[list[float]], colour: str, style: Any, width: float
) -> float:
    """Draw the mean of the runs, and their band where each point has one; the height of its end."""
    means = [fmean(some) for some in values]
    axes.plot(at, means, linestyle=style, color=colour, linewidth=width)
    ends = [one for some in values if (one := band(some)) is not None]
    if len(ends) == len(values) and colour != _OTHERS:
        low, high = zip(*ends, strict=True)
        axes.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0)
    return means[-1]


def _label_ends(axes: Axes, ends: Mapping[str, tuple[float, str]]) -> None:
    """Write the names right of the ends of their lines, the higher line's above."""
    names = sorted(ends, key=lambda name: ends[name][0])
    for name, height in zip(names, spread([ends[name][0] for name in names]), strict=True):
        end, colour = ends[name]
        axes.annotate(
            _plain(name),
            xy=(1.0, end / 1.02),
            xytext=(1.03, height),
            xycoords="axes fraction",
            textcoords="axes fraction",
            color=colour,
            fontsize=FONT_POINTS,
            fontweight="bold",
            va="center",
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.8, "relpos": (0, 0.5)},
            annotation_clip=False,
        )


def spread(heights: Sequence[float]) -> list[float]:
    """Heights from 0 to 1, lowest first, moved as little as labels need to stand apart (least squares)."""
    steps = np.arange(len(heights)) * _APART
    fitted = isotonic_regression(np.array(heights) - steps).x.clip(0.0, max(0.0, 1.0 - steps[-1]))
    moved: list[float] = (fitted + steps).tolist()
    return moved


def _values(scored: Scored, at: list[int], measure: Measure, *, content: bool) -> list[list[float]]:
    """For each point the measure of each run."""
    curves = scored.content if content else scored.curves
    return [[measure(curve, n) or 0.0 for curve in curves] for n in at]


def _plain(text: str) -> str:
    """matplotlib reads dollar signs as formulas, and leaves out names that begin with an underscore."""
    plain = text.replace("$", "").lstrip("_")
    return plain if len(plain) <= _LONGEST_NAME else f"{plain[: _LONGEST_NAME - 1]}…"

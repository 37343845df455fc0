"""Harvest and recall curves as the papers draw them: pages fetched to the right, the measure upwards, a line a strategy.

Made without pyplot, so that no display is needed; the files hold no date and repeat to the bit.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from statistics import fmean

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from topiccrawler.evaluation.experiment import Outcome
from topiccrawler.evaluation.measures import Curve, checkpoints, harvest_rate, target_recall
from topiccrawler.evaluation.results import ORACLE
from topiccrawler.evaluation.scoring import Scored, band

POINTS = 200
SIZE_INCHES = (9.0, 5.5)
DOTS_AN_INCH = 110
_STYLES = ("-", "--", "-.", ":")
_COLOURS = 10  # of matplotlib's default cycle

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
    return drawn


def _draw(outcome: Outcome, pages: int, label: str, measure: Measure, *, content: bool = False) -> bytes:
    figure = Figure(figsize=SIZE_INCHES, dpi=DOTS_AN_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    at = checkpoints(pages, max(1, pages // POINTS))
    for number, (name, scored) in enumerate(outcome.scored.items()):
        style = _STYLES[number // _COLOURS % len(_STYLES)]
        values = _values(scored, at, measure, content=content)
        (line,) = axes.plot(at, [fmean(some) for some in values], style, linewidth=1.4, label=_plain(name))
        ends = [one for some in values if (one := band(some)) is not None]
        if len(ends) == len(values):
            low, high = zip(*ends, strict=True)
            axes.fill_between(at, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    best = [some[0] for some in _values(outcome.oracle, at, measure, content=content)]
    axes.plot(at, best, "-", color="black", linewidth=1.0, label=ORACLE)
    axes.set_xlabel("pages fetched")
    axes.set_ylabel(label)
    axes.set_title(f"{_plain(outcome.topic)}: {label}")
    axes.set_xlim(0, pages)
    axes.set_ylim(0, 1.02)
    axes.grid(visible=True, alpha=0.3)
    figure.legend(loc="outside right upper", fontsize=8)
    output = io.BytesIO()
    figure.savefig(output, format="png", metadata={"Software": None})
    return output.getvalue()


def _values(scored: Scored, at: list[int], measure: Measure, *, content: bool) -> list[list[float]]:
    """For each point the measure of each run."""
    curves = scored.content if content else scored.curves
    return [[measure(curve, n) or 0.0 for curve in curves] for n in at]


def _plain(text: str) -> str:
    """matplotlib reads dollar signs as formulas, and leaves out names that begin with an underscore."""
    return text.replace("$", "").lstrip("_")

"""Draws the harvest curves of a finished `scrapy demo`, of its first web, as an SVG file: python benchmarks/harvest_curve.py [DEMO_FOLDER] [FILE]."""

from __future__ import annotations

import argparse
from pathlib import Path

import _checkout  # noqa: F401
from matplotlib import rc_context
from matplotlib.figure import Figure

from topiccrawler.crawling.page_stores import visits_of
from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.demo.tour import BASELINE, FOCUSED, harvest
from topiccrawler.lab.measures import Curve

STYLES = {FOCUSED: {"color": "#0072B2"}, BASELINE: {"color": "#D55E00", "linestyle": "--"}}


def curves(folder: Path) -> dict[str, Curve]:
    """On-topic pages after each page fetched, by strategy, counted by the web's own truth."""
    web = Web()
    logs = {name: visits_of(folder / name) for name in (FOCUSED, BASELINE)}
    return {
        name: harvest(web, [visit.url for visit in log if visit.status == 200]) for name, log in logs.items()
    }


def draw(named: dict[str, Curve], file: Path) -> None:
    """Write the SVG file: pages fetched to the right, on-topic pages upwards."""
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    axes = figure.add_subplot(xlabel="pages fetched", ylabel="pages on topic")
    for name, curve in named.items():
        axes.plot(range(curve.pages + 1), (0, *curve.counts), label=name, linewidth=2, **STYLES[name])
    axes.margins(0)
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "harvest"}):
        figure.savefig(file, format="svg", metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("data/demo"))
    parser.add_argument("out", type=Path, nargs="?", default=Path("harvest.svg"))
    given = parser.parse_args()
    draw(curves(given.folder), given.out)


if __name__ == "__main__":
    main()

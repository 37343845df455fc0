"""Draws the harvest curves of a finished `scrapy demo`, of its first web, as an SVG file: python benchmarks/harvest_curve.py [DEMO_FOLDER] [FILE]."""

from __future__ import annotations

import argparse
from pathlib import Path

import _checkout  # noqa: F401

from topiccrawler.crawling.page_stores import visits_of
from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.demo.tour import BASELINE, FOCUSED, harvest
from topiccrawler.lab.measures import Curve

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 360, 60, 140, 20, 50  # pixels; the rest is the plot
TICKS = 4  # per axis
COLOURS = {FOCUSED: "#0072B2", BASELINE: "#D55E00"}
# distinguishable without colour
DASHES = {FOCUSED: "none", BASELINE: "6 4"}


def curves(folder: Path) -> dict[str, Curve]:
    """On-topic pages after each page fetched, by strategy, counted by the web's own truth."""
    web = Web()
    logs = {name: visits_of(folder / name) for name in (FOCUSED, BASELINE)}
    return {
        name: harvest(web, [visit.url for visit in log if visit.status == 200]) for name, log in logs.items()
    }


def drawing(named: dict[str, Curve]) -> str:
    """The text of an SVG file: pages fetched to the right, on-topic pages upwards."""
    pages = max(curve.pages for curve in named.values())
    most = max(curve.found(curve.pages) for curve in named.values())
    top = -(-most // 100) * 100  # the next full hundred

    def across(count: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * count / pages

    def up(count: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * count / top

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for tick in range(TICKS + 1):
        x, y = across(pages * tick / TICKS), up(top * tick / TICKS)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{top * tick // TICKS}</text>')
        parts.append(
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{pages * tick // TICKS}</text>'
        )
    middle = across(pages / 2)
    parts.append(f'<text x="{middle:.1f}" y="{HEIGHT - 12}" text-anchor="middle">pages fetched</text>')
    parts.append(
        f'<text transform="translate(16 {up(top / 2):.1f}) rotate(-90)" text-anchor="middle">pages on topic</text>'
    )
    for name, curve in named.items():
        points = " ".join(f"{across(n):.1f},{up(curve.found(n)):.1f}" for n in range(0, curve.pages + 1, 5))
        line = f'fill="none" stroke="{COLOURS[name]}" stroke-width="2.5" stroke-dasharray="{DASHES[name]}"'
        parts.append(f'<polyline points="{points}" {line}/>')
        end = up(curve.found(curve.pages)) + 4
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{end:.1f}" fill="{COLOURS[name]}">{name}</text>')
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("data/demo"))
    parser.add_argument("out", type=Path, nargs="?", default=Path("harvest.svg"))
    given = parser.parse_args()
    given.out.write_text(drawing(curves(given.folder)), encoding="utf-8")


if __name__ == "__main__":
    main()

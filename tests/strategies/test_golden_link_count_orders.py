"""Golden orders of the strategies that count links or go by their position, and of a random one."""

from __future__ import annotations

from collections.abc import Callable, Collection

from topiccrawler.strategies import build
from topiccrawler.strategies.base import Knowledge

GoldenOrder = Callable[..., list[str]]


def test_depth_first_takes_the_last_link_found(golden_order: GoldenOrder) -> None:
    """hub finds sport 1, bank 2, misc 3; misc finds late 4; bank finds fund 5, about 6 (misc is done); fund finds stock."""
    assert golden_order(build("depth_first")) == [
        "hub", "misc", "late", "bank", "about", "fund", "stock", "sport", "odd", "ball",
    ]  # fmt: skip


def test_random_order_repeats_under_a_seed_and_differs_under_another(
    golden_order: GoldenOrder, golden_site: Collection[str]
) -> None:
    orders = []
    for seed in (0, 0, 1):
        strategy = build("random_order")
        strategy.prepare(Knowledge(seed=seed))
        orders.append(golden_order(strategy))
    assert orders[0] == orders[1] != orders[2]
    assert [sorted(order) for order in orders] == [sorted(golden_site)] * 3


def test_backlink_takes_what_most_pages_point_to(golden_order: GoldenOrder) -> None:
    """
    hub: sport, bank, misc 1 each, in order. sport: ball, odd 1. bank: fund, about 1, misc 2 and so next: late 1.
    Then in order of discovery: ball, odd, fund (stock 1), about, late, stock.
    """
    assert golden_order(build("backlink")) == [
        "hub", "sport", "bank", "misc", "ball", "odd", "fund", "about", "late", "stock",
    ]  # fmt: skip


def test_pagerank_passes_importance_on(golden_order: GoldenOrder) -> None:
    """
    d = .85. root .15 gives hub .15 + .1275 = .2775; hub gives each of three .0786: sport, bank, misc .2286.
    sport gives ball, odd .0972 each: .2472, more than bank and misc: they are next and give nothing.
    bank gives fund, about, misc .0648 each: misc .2934 is next and gives late all its .2494: .3994 goes next.
    fund .2148 before about (found first) gives stock and hub .0913: stock .2413 goes before about .2148.
    """
    assert golden_order(build("pagerank")) == [
        "hub", "sport", "ball", "odd", "bank", "misc", "late", "fund", "stock", "about",
    ]  # fmt: skip


def test_opic_pays_in_cash(golden_order: GoldenOrder) -> None:
    """
    hub holds 1, gives sport, bank, misc a third each. sport gives ball, odd a sixth each. bank gives fund, about, misc a
    ninth: misc 4/9 is next and gives late all. Then ball and odd 1/6, fund 1/9 (stock 1/18), about 1/9, stock 1/18.
    """
    assert golden_order(build("opic")) == [
        "hub", "sport", "bank", "misc", "late", "ball", "odd", "fund", "about", "stock",
    ]  # fmt: skip

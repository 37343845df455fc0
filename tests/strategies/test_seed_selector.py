"""Seed selector: pages whose linking page it never visited, as after a crawl log with redirects was learned again; stages with several pages
under way."""

from collections.abc import Callable

from topiccrawler.strategies.seed_selector import SeedSelector


def test_pages_under_way_at_once_blur_the_end_of_a_stage(crawl_order: Callable[..., list[str]]) -> None:
    """One at a time, c, the last link of the hub's stage, is read before a candidate is chosen, and its link y comes first. With two at once
    a's link x is fetched beside c, before anything is known of c."""
    site = {
        "hub": (0.3, [("a", ""), ("b", ""), ("c", "")]),
        "a": (0.8, [("x", "")]), "c": (0.9, [("y", "")]), "b": (0.0, []), "x": (0.0, []), "y": (0.0, []),
    }  # fmt: skip

    def stages() -> SeedSelector:
        return SeedSelector(link_weight=0.0, stages=True)

    assert crawl_order(stages(), site, ["hub"]) == ["hub", "a", "b", "c", "y", "x"]
    assert crawl_order(stages(), site, ["hub"], 2) == ["hub", "a", "b", "c", "x", "y"]

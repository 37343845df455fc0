"""The benchmarks of whole crawls run, and their last line has the keys that scripts read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forked_scrapy import ForkedScrapy
from redis_server import SERVER

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def last_line(forked_scrapy: ForkedScrapy) -> Callable[..., dict[str, Any]]:
    """`last_line("crawl.py", "--pages", "5")`: what a benchmark says last; `holds`: it must end well."""

    def run(script: str, *arguments: str, holds: bool = True) -> dict[str, Any]:
        done = forked_scrapy(str(BENCHMARKS / script), *arguments, "--json", timeout=300)
        assert done.code == 0 or not holds, done.err
        found: dict[str, Any] = json.loads(done.out.splitlines()[-1])
        return found

    return run


def test_order_prints_share_seconds_and_the_ideal(last_line: Callable[..., dict[str, Any]]) -> None:
    found = last_line(
        "order.py",
        "--hosts",
        "20",
        "--links",
        "200",
        "--delay",
        "0.05",
        "--first",
        "10",
        "--concurrency",
        "4",
    )
    assert list(found) == ["ours", "scrapy_default", "ideal_seconds"]
    assert all(list(found[name]) == ["relevant_500", "seconds"] for name in ("ours", "scrapy_default"))
    assert found["ours"]["relevant_500"] == 1.0  # one host of twenty, ten pages
    assert found["scrapy_default"]["relevant_500"] <= 0.2
    assert found["ideal_seconds"] == 0.45
    assert found["ours"]["seconds"] >= 0.44


def test_crawl_prints_pages_cpu_speed_and_memory_of_each_crawl(
    last_line: Callable[..., dict[str, Any]],
) -> None:
    found = last_line(
        "crawl.py", "--pages", "12", "--hosts", "5", "--rounds", "1", "--strategies", "breadth_first"
    )
    assert list(found) == ["scrapy_bfs", "breadth_first"]
    for crawl in found.values():
        assert list(crawl) == ["pages", "cpu_ms_per_page", "pages_per_s", "peak_rss_mb"]
        assert crawl["pages"] >= 12
        assert crawl["cpu_ms_per_page"] > 0
        assert 20 < crawl["peak_rss_mb"] < 400
    assert found["breadth_first"]["pages"] == 12


def test_soak_tells_cost_memory_and_slices_of_every_stretch(last_line: Callable[..., dict[str, Any]]) -> None:
    found = last_line("soak.py", "--pages", "30", "--every", "10", holds=False)
    assert list(found) == ["growth", "slice_ms", "errors", "rows"]
    assert found["errors"] == 0
    assert [row["pages"] for row in found["rows"]] == [10, 20, 30]
    for row in found["rows"]:
        assert list(row) == [
            "pages", "kept", "urls", "cpu_ms", "of_loop", "megabytes", "slice_ms", "stall_ms", "errors",
        ]  # fmt: skip
        assert row["urls"] >= 60 * row["pages"]
        assert 20 < row["megabytes"] < 500


@pytest.mark.skipif(SERVER is None, reason="no redis-server is installed (.ci/run installs Debian's)")
def test_shared_learning_prints_a_state_and_what_a_page_costs(
    last_line: Callable[..., dict[str, Any]],
) -> None:
    small = ("--pages", "5", "--urls", "200", "--links", "5", "--strategies", "adaptive,pagerank")
    found = last_line("shared_learning.py", *small)
    assert found["state"]["bytes"] > 1000
    for name in ("adaptive 5", "pagerank 5"):
        assert set(found[name]) == {"entry_bytes", "tell_ms", "learn_ms"}
        assert min(found[name].values()) > 0


def test_scale_tells_which_part_is_full(last_line: Callable[..., dict[str, Any]]) -> None:
    small = ("--urls", "900000", "--hosts", "900", "--seconds", "2", "--workers", "4", "--nodes", "2")
    found = last_line("scale.py", *small)
    assert (found["workers"], found["nodes"], found["full"]) == (4, 2, "-")
    assert 120 < found["pages_per_second"] < 180  # at 25 ms a page
    found = last_line("scale.py", *small, "--learn", "50", "--learner", "alone")
    assert found["full"] == "learner"
    assert found["learner_behind"] > 1


def test_page_stores_tells_time_cpu_and_bytes_of_each_store(last_line: Callable[..., dict[str, Any]]) -> None:
    found = last_line("page_stores.py", "--pages", "5", "--known", "50")
    assert next(iter(found)) == "file"
    for meter in found.values():
        assert meter["put"] > 0
        assert meter["first_of"] > 0
        assert meter["bytes"] > 1000

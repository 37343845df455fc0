"""Which pages are looked at again first."""

from __future__ import annotations

import math
import time
from random import Random

import pytest

from topiccrawler.crawling.revisiting import (
    DAY,
    FIRST_RATE,
    A,
    Known,
    first_check,
    known_pages,
    looked,
    looked_unchanged,
    missed,
    ranked,
)
from topiccrawler.model import Visit
from topiccrawler.store.page_checks import Check

NOW = 1_700_000_000.0


def page(name: str, **check: object) -> Known:
    given = {"looked": NOW - 10 * DAY, **check}
    return Known(Check(f"http://{name}", **given), relevance=0.5, is_kept=True, children=0)


def test_the_rate_of_a_page_leans_on_its_site_and_that_on_the_job() -> None:
    pages = [page("a.cn/1", changes=3, days=30.0), page("a.cn/2", days=30.0), page("b.cn/1")]
    job = (3 + A) / (60 + A / FIRST_RATE)
    site = (3 + A) / (60 + A / job)
    expected = {
        "http://a.cn/1": (3 + A) / (30 + A / site),
        "http://a.cn/2": A / (30 + A / site),
        "http://b.cn/1": A / (A / (A / (A / job))),
    }
    found = ranked(pages, NOW, Random(0))
    assert [known.check.url for _, known in found] == ["http://a.cn/1", "http://b.cn/1", "http://a.cn/2"]
    for value, known in found:
        assert value == pytest.approx(0.5 * (1 - math.exp(-10 * expected[known.check.url])))


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/New_York"])
def test_a_last_modified_date_without_a_zone_is_utc(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        visit = Visit("http://a.cn/", 200, 0.0, 0.5, True, NOW, modified="Sat, 14 Nov 2020 22:13:20")
        assert first_check(visit).days == pytest.approx((NOW - 1_605_392_000) / DAY)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_relevance_time_and_a_last_modified_header_count() -> None:
    visit = Visit("http://a.cn/old", 200, 0.0, 0.5, True, NOW, modified="Sat, 14 Nov 2020 22:13:20 GMT")
    assert first_check(visit).days == pytest.approx(1096, abs=1)
    for damaged in (
        "yesterday",
        "Thu, 01 Jan 1970 00:00:00 +99999999999999",
        "Mon, 14 Nov 2050 00:00:00 GMT",
    ):
        assert first_check(Visit("http://a.cn/", 200, 0.0, 0.5, True, NOW, modified=damaged)).days == 0.0
    recent, old = page("a.cn/recent"), page("b.cn/old", days=1096.0)
    long_ago = page("c.cn/", looked=NOW - 100 * DAY)
    best = [known for _, known in ranked([old, recent, long_ago], NOW, Random(0))]
    assert best == [long_ago, recent, old]


def test_kept_pages_and_those_that_led_to_one_are_known_each_by_its_last_visit() -> None:
    log = [
        Visit("http://a.cn/", 200, 0.0, 0.1, stored=False, time=1.0),
        Visit("http://a.cn/1", 200, 0.0, 0.6, stored=True, time=2.0, source_url="http://a.cn/", etag="x"),
        Visit("http://a.cn/2", 200, 0.0, 0.1, stored=False, time=3.0, source_url="http://a.cn/"),
        Visit("http://a.cn/3", 404, 0.0, 0.0, stored=False, time=4.0, source_url="http://a.cn/"),
    ]
    later = Check("http://a.cn/1", 9.0, looks=1)
    assert known_pages(log, []) == [
        Known(Check("http://a.cn/", 1.0), 0.1, False, 1),
        Known(Check("http://a.cn/1", 2.0, etag="x"), 0.6, True, 0),
    ]
    assert known_pages(log, [later])[1] == Known(later, 0.6, True, 0)


def test_looks_add_up_and_what_answers_404_twice_is_gone() -> None:
    check = Check("http://a.cn/", NOW, digest="1")
    check = looked(check, NOW + DAY, digest="2", etag="e", modified="m")
    assert (check.looks, check.changes, check.days, check.digest, check.etag) == (1, 1, 1.0, "2", "e")
    check = looked_unchanged(check, NOW + 3 * DAY)
    assert (check.looks, check.changes, check.days, check.etag, check.modified) == (2, 1, 3.0, "e", "m")
    assert looked(check, NOW + 4 * DAY, digest="2").changes == 1
    assert looked(Check("http://a.cn/", NOW), NOW, digest="1").changes == 0
    check = missed(missed(check, NOW + 4 * DAY), NOW + 5 * DAY)
    assert (check.misses, check.gone) == (2, NOW + 4 * DAY)
    assert ranked([Known(check, 0.9, True, 3)], NOW, Random(0)) == []
    back = looked(check, NOW + 6 * DAY, digest="2")
    assert (back.misses, back.gone) == (0, 0.0)


def test_sources_that_gave_new_pages_come_first_and_unknown_ones_are_tried() -> None:
    def source(name: str, found: int, days: float) -> Known:
        check = Check(f"http://{name}", NOW - DAY, found=found, days=days)
        return Known(check, relevance=0.0, is_kept=False, children=5)

    rich, poor, unknown = (
        source("rich.cn/", 30, 30.0),
        source("poor.cn/", 0, 30.0),
        source("unknown.cn/", 0, 0.0),
    )
    firsts = [ranked([poor, unknown, rich], NOW, Random(seed))[0][1] for seed in range(200)]
    assert firsts.count(rich) > firsts.count(unknown) > firsts.count(poor)


def test_without_any_headers_it_learns_which_pages_change() -> None:
    """Ten of a hundred pages change a day; after two whole rounds four of ten looks find 95 % of the changes."""
    draw = Random(5)
    changing = {f"http://a.cn/{number}" for number in draw.sample(range(100), 10)}
    pages = [page(f"a.cn/{number}", looked=NOW, digest="0") for number in range(100)]
    found = 0
    for day in range(1, 13):
        now = NOW + day * DAY
        order = [known for _, known in ranked(pages, now, Random(day))]
        seen = {known.check.url for known in (order if day <= 2 else order[:40])}
        found += len(changing & seen) if day > 2 else 0
        pages = [
            Known(
                looked(known.check, now, digest=str(day) if known.check.url in changing else "0")
                if known.check.url in seen
                else known.check,
                known.relevance,
                True,
                0,
            )
            for known in pages
        ]
    assert found >= 0.95 * 10 * len(changing)

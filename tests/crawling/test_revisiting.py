"""Which pages are looked at again first."""

import pytest

from topiccrawler.crawling.revisiting import DAY, Due, known_pages, looked, looked_unchanged, missed, ranked
from topiccrawler.model import Visit
from topiccrawler.store.page_checks import Check

NOW = 1_700_000_000.0


def test_relevance_times_the_days_since_the_last_look_decides_the_order() -> None:
    configured = {
        "新闻": (0.9, 1),
        "front": (0.2, 10),
        "old": (0.6, 30),
        "off": (0.0, 99),
        "future": (0.8, -1),
    }
    pages = [
        Due(Check(f"http://a.cn/{name}", NOW - days * DAY), relevance)
        for name, (relevance, days) in configured.items()
    ]
    found = ranked(pages, NOW)
    assert [page.check.url.rpartition("/")[2] for page in found] == [
        "old",
        "front",
        "新闻",
        "future",
        "off",
    ]
    assert [page.value(NOW) for page in found] == pytest.approx([18.0, 2.0, 0.9, 0.0, 0.0])


def test_kept_pages_and_those_that_led_to_one_are_known_each_by_its_last_visit() -> None:
    log = [
        Visit("http://a.cn/", 200, 0.0, 0.1, stored=False, time=1.0),
        Visit("http://a.cn/1", 200, 0.0, 0.6, stored=True, time=2.0, source_url="http://a.cn/", etag="x"),
        Visit("http://a.cn/2", 200, 0.0, 0.1, stored=False, time=3.0, source_url="http://a.cn/"),
        Visit("http://a.cn/3", 404, 0.0, 0.0, stored=False, time=4.0, source_url="http://a.cn/"),
    ]
    assert known_pages(log, []) == [
        Due(Check("http://a.cn/", 1.0), 0.1),
        Due(Check("http://a.cn/1", 2.0, etag="x"), 0.6),
    ]
    later = Check("http://a.cn/1", 9.0, looks=1)
    assert known_pages(log, [later])[1] == Due(later, 0.6)


def test_looks_add_up_and_what_answers_404_twice_is_gone() -> None:
    check = Check("http://a.cn/", NOW, digest="1")
    check = looked(check, NOW + DAY, digest="2", etag="e", modified="m")
    assert (check.looks, check.changes, check.looked, check.digest, check.etag) == (1, 1, NOW + DAY, "2", "e")
    check = looked_unchanged(check, NOW + 3 * DAY)
    assert (check.looks, check.changes, check.etag, check.modified) == (2, 1, "e", "m")
    assert looked(check, NOW + 4 * DAY, digest="2").changes == 1
    assert looked(Check("http://a.cn/", NOW), NOW, digest="1").changes == 0
    check = missed(missed(check, NOW + 4 * DAY), NOW + 5 * DAY)
    assert (check.misses, check.gone) == (2, NOW + 4 * DAY)
    assert ranked([Due(check, 0.9)], NOW) == []
    back = looked(check, NOW + 6 * DAY, digest="2")
    assert (back.misses, back.gone) == (0, 0.0)

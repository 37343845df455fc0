import re
import time

import pytest

from topiccrawler.frontier.budgets import shape
from topiccrawler.urls.unwanted import Limits, trap

NOW = 1_795_000_000.0  # November 2026
HOME = "http://a.example/"


@pytest.mark.parametrize(
    ("url", "source", "why"),
    [
        ("http://a.example/" + "x/" * 3 + "y", HOME, None),
        ("http://a.example/" + "/".join("abcdefghijklmnop"), HOME, None),
        ("http://a.example/" + "/".join("abcdefghijklmnopq"), HOME, "path depth: 17 "),
        ("http://a.example/news/news/news/a.html", HOME, None),
        ("http://a.example/news/news/news/news/a.html", HOME, "repeated segments: news 4 "),
        ("http://a.example/a/b/a/b/a/b/a/b/", HOME, "repeated segments: a 4 "),
        ("http://a.example/l?" + "&".join(f"p{n}={n}" for n in range(12)), HOME, None),
        ("http://a.example/l?" + "&".join(f"p{n}={n}" for n in range(13)), HOME, "query facets: 13 "),
        ("http://a.example/l?f=1&f=2&f=3", HOME, None),
        ("http://a.example/l?f=1&f=2&f=3&f=4", HOME, "query facets: f 4 "),
        ("http://a.example/cal/2031/05/", "http://a.example/cal/2031/04/", "calendar: .*2031$"),
        ("http://a.example/cal?y=1931&m=5", "http://a.example/cal?y=1931&m=6", "calendar: .*1931$"),
        ("http://a.example/cal?date=2031-05-01", "http://a.example/cal/2030-12/", "calendar: .*2031$"),
        ("http://a.example/2046/05/03/visa/", HOME, None),  # a blogger's way to stay on top
        ("http://a.example/2028/05/", "http://a.example/2027/04/", None),  # two years ahead
        ("http://a.example/tags/113001", "http://a.example/tags/113002", None),
        ("http://a.example/p/21345/06", "http://a.example/p/31345/06", None),
        ("http://2045-01.example/2024/05/", "http://2045-01.example/", None),
        ("http://a.example/2007-06-21/1", "http://a.example/1999/12/", None),
    ],
)  # fmt: skip
def test_only_forms_that_no_ordinary_site_has_are_refused(url: str, source: str, why: str | None) -> None:
    found = trap(url, source, Limits(), NOW)
    assert found is None if why is None else re.match(why, found or "")


def test_each_rule_can_be_switched_off_and_moved() -> None:
    deep = "http://a.example/" + "/".join("abcdefghijklmnopqrstuvwxyz")
    assert trap(deep, HOME, Limits(path_segments=0), NOW) is None
    assert trap("http://a.example/a/a/a/a/", HOME, Limits(segment_repeats=0), NOW) is None
    assert trap("http://a.example/a/b/", HOME, Limits(path_segments=1), NOW) == "path depth: 2 segments"
    assert (
        trap("http://a.example/2099/01/", "http://a.example/2099/02/", Limits(calendar_years=0), NOW) is None
    )


def test_a_url_of_two_thousand_characters_takes_no_time() -> None:
    hostile = [
        "http://a.example/" + text for text in ("1/" * 1000, "2031-" * 400, "?" + "a&" * 990, "19" * 990)
    ]
    began = time.process_time()
    for url in hostile * 20:
        trap(url, url, Limits(path_segments=0, segment_repeats=0, query_parameters=0), NOW)
        shape(url)
    assert time.process_time() - began < 1.0

"""What a page asks of crawlers: whom a tag addresses, which rule counts, and until when."""

from datetime import UTC, datetime

import pytest

from topiccrawler.pages.parse import parse
from topiccrawler.pages.robots_tags import NO_TAGS, RobotsTags, robots_tags

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)


def tags(head: str = "", *headers: str, agent: str = "topiccrawler") -> RobotsTags:
    return robots_tags(parse(f"<html><head>{head}</head><body>正文"), headers, agent, NOW)


@pytest.mark.parametrize(
    ("content", "no_index", "no_follow"),
    [
        ("noindex", True, False),
        ("nofollow", False, True),
        ("none", True, True),
        ("NoIndex, NOFOLLOW", True, True),
        ("noindex nofollow", True, True),
        ("noindex，nofollow", True, True),
        ("ＮＯＩＮＤＥＸ", True, False),
        ("noarchive;noindex", True, False),
        ("index, follow", False, False),
        ("all", False, False),
        ("noimageindex, nosnippet, max-snippet:0", False, False),
        ("max-image-preview:none, max-snippet:-1", False, False),
        ("unavailable_after: 2026-11-27", True, False),
        ("unavailable_after: 2026-11-28", False, False),
        ("index, unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", True, True),
        ("unavailable_after: Sunday, 01-Sep-24 12:34:56 GMT, nofollow", True, True),
        ("unavailable_after: Fri, 27 Nov 2026 11:59:59 GMT", True, False),
        ("unavailable_after: Fri, 27 Nov 2026 20:00:01 +0800", False, False),
        ("unavailable_after: Fri, 27 Nov 2026 19:59:00 +0800", True, False),
        ("unavailable_after: 2026-11-27T11:00:00Z", True, False),
        ("unavailable_after: 昨天", False, False),
        ("unavailable_after: 9999-12-31T23:59:59-12:00", False, False),
        ("不索引", False, False),
        ("googlebot: noindex", False, False),
        ("", False, False),
    ],
)
def test_a_meta_and_a_header_are_read_alike(content: str, no_index: bool, no_follow: bool) -> None:
    for found in (tags(f'<meta name="robots" content="{content}">'), tags("", content)):
        assert (bool(found.no_index), bool(found.no_follow)) == (no_index, no_follow)


@pytest.mark.parametrize(
    ("headers", "no_index", "no_follow"),
    [
        (["otherbot: noindex, nofollow"], "", ""),
        (["topiccrawler: noindex"], "noindex (X-Robots-Tag)", ""),
        (["TopicCrawler: noindex, nofollow"], "noindex (X-Robots-Tag)", "nofollow (X-Robots-Tag)"),
        (["otherbot: noindex", "nofollow"], "", "nofollow (X-Robots-Tag)"),
        (["noindex, otherbot: nofollow"], "noindex (X-Robots-Tag)", ""),
        (["otherbot: noindex, topiccrawler: nofollow"], "", "nofollow (X-Robots-Tag)"),
        (["*: none"], "none (X-Robots-Tag)", "none (X-Robots-Tag)"),
        (["topiccrawler: unavailable_after: 25 Jun 2010 15:00:00 GMT"], "unavailable_after (X-Robots-Tag)", ""),
        (["otherbot: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex"], "", ""),
        (["topiccrawler: all", "noindex"], "noindex (X-Robots-Tag)", ""),
    ],
)  # fmt: skip
def test_a_header_may_address_one_crawler(headers: list[str], no_index: str, no_follow: str) -> None:
    found = tags("", *headers)
    assert (found.no_index, found.no_follow) == (no_index, no_follow)


def test_all_metas_count_and_so_does_that_of_the_crawlers_own_name() -> None:
    head = '<meta name=ROBOTS content="index,follow"><meta name=robots content="nofollow">'
    head += '<meta name="TopicCrawler" content="noindex"><meta name="googlebot" content="none">'
    found = tags(head)
    assert (found.no_index, found.no_follow) == ("noindex (meta topiccrawler)", "nofollow (meta robots)")
    other = tags(head, agent="finder")
    assert (other.no_index, other.no_follow) == ("", "nofollow (meta robots)")
    assert tags('<meta name="description" content="noindex">') == NO_TAGS


def test_a_hostile_tag_costs_little() -> None:
    for text in ("noindex," * 100_000, "a:" * 100_000, "unavailable_after: " + "9" * 100_000, ":" * 100_000):
        found = tags("", text)
        assert bool(found.no_index) == text.startswith("noindex")
    assert (
        tags("<meta name=robots content=follow>" * 10_000 + "<meta name=robots content=noindex>").no_index
        == ""
    )

"""What a page says of itself."""

import json
from datetime import date
from time import process_time

import pytest

from topiccrawler.pages.metadata import LONGEST_FACT, Facts, facts_of
from topiccrawler.pages.parse import parse


def test_all_facts_of_a_page() -> None:
    document = parse(
        "<html lang=zh-CN><meta name=keywords content=' 基金,\n 股票 '><meta property=og:description content=简介>"
        "<meta name=author content=张三><link rel=canonical href=/a><h1>标题</h1>2019-09-06<p>股票市场今天继续上涨。</p>"
    )
    assert facts_of(document, "", "http://a.test/x", today=date(2024, 1, 1)) == Facts(
        published="2019-09-06",
        language="zh-Hans",
        keywords="基金, 股票",
        description="简介",
        author="张三",
        canonical="http://a.test/a",
    )


def test_a_page_that_says_nothing_and_one_that_says_too_much() -> None:
    assert facts_of(parse(""), "", "http://a.test/") == Facts(language="und")
    long = parse(
        f"<meta name=description content={'长' * 9000}><meta property=og:url content=http://a.test/b>"
    )
    facts = facts_of(long, "", "http://a.test/")
    assert (len(facts.description), facts.canonical) == (LONGEST_FACT, "http://a.test/b")


@pytest.mark.parametrize(
    ("html", "canonical"),
    [
        ("<base href=/b/><link rel=canonical href=x.html>", "http://a.test/b/x.html"),
        ("<link rel=canonical href=x.html><base href=http://c.test/d/e>", "http://c.test/d/x.html"),
        ("<base target=_top><link rel=canonical href=../x.html>", "http://a.test/x.html"),
        ("<base href=/b/><meta property=og:url content=/目标>", "http://a.test/%E7%9B%AE%E6%A0%87"),
    ],
)
def test_the_canonical_url_is_relative_to_the_base_of_the_page(html: str, canonical: str) -> None:
    assert facts_of(parse(html), "", "http://a.test/a/page.html").canonical == canonical


@pytest.mark.parametrize("hostile", [" ", "\u3000", "\n", ",", "/", "(", "(a"])
def test_a_long_declaration_costs_no_time(hostile: str) -> None:
    name = json.dumps({"@type": "Article", "author": hostile * (200_000 // len(hostile)) + "x"})
    kind = "<script type=application/ld+json>"
    began = process_time()
    for script in (name, "{-->" + hostile * 200_000 + "x"):
        facts_of(parse(f"{kind}{script}</script><p>股票市场今天继续上涨。</p>"), "", "http://a.test/x")
    assert process_time() - began < 5  # minutes, when what was passed over is tried again

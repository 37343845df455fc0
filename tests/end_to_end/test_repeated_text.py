"""A blog whose theme writes a notice on each page: what is stored of its pages, and what a second look finds changed."""

import re

import pytest
from blog_with_notice import NOTICE, SUBJECTS, body, own_text
from drawn_crawls import Crawl, stored

HOME = "http://blog.example/"
OPTIONS = {"seeds": HOME, "strategy": None, "ROBOTSTXT_OBEY": False, "CONCURRENT_REQUESTS": 1}


@pytest.mark.slow
def test_a_notice_on_each_page_is_not_stored_and_its_going_is_no_change(crawl: Crawl) -> None:
    places = [f"{HOME}{number}" for number in range(len(SUBJECTS))]
    links = "".join(f"<li><a href={url}>{one}</a></li>" for url, one in zip(places, SUBJECTS, strict=True))
    articles = {url: body(own_text(one)).decode() for url, one in zip(places, SUBJECTS, strict=True)}
    first = crawl({HOME: f"<title>财经</title>{links}<p>{NOTICE}</p>", **articles}, **OPTIONS)
    found = stored(first.job)
    with_notice = [url for url in places if url not in found or NOTICE in found[url].text]
    copies = [url for url, record in found.items() if record.alias_of]
    assert len({*with_notice, *copies}) <= 4
    for url, subject in zip(places, SUBJECTS, strict=True):
        if url not in {*with_notice, *copies}:
            assert found[url].text == f"{own_text(subject)}\n{{"

    said = crawl(first.web, revisit="true", **OPTIONS).err
    again = stored(first.job)
    assert re.search(rf"\b{len(places) + 1} \D+0 \D+{len(places) + 1} ", said)
    assert {record.text for url, record in again.items() if url in places} == {
        f"{own_text(subject)}\n{{" for subject in SUBJECTS
    }
    assert not any(record.alias_of for record in again.values())

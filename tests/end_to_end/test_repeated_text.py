"""A blog whose theme writes a notice on each page: what is stored of its pages, and what a second look finds changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from blog_with_notice import NOTICE, SUBJECTS, body, own_text

from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.store.page_store import PageStore

HOME = "http://blog.example/"
FAST = ("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False", "ROBOTSTXT_OBEY=False", "CONCURRENT_REQUESTS=1")


@pytest.mark.slow
def test_a_notice_on_each_page_is_not_stored_and_its_going_is_no_change(
    draw_web: Callable[..., Any], forked_scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    places = [f"{HOME}{number}" for number in range(len(SUBJECTS))]
    links = "".join(f"<li><a href={url}>{one}</a></li>" for url, one in zip(places, SUBJECTS, strict=True))
    articles = {url: body(own_text(one)).decode() for url, one in zip(places, SUBJECTS, strict=True)}
    web = draw_web({HOME: f"<title>财经</title>{links}<p>{NOTICE}</p>", **articles})

    def crawl(*more: str) -> Any:
        options = [part for setting in (*FAST, f"JOBDIR={tmp_path / 'job'}") for part in ("-s", setting)]
        ran = forked_scrapy(
            "crawl", "topic", "-a", "topic=finance", "-a", f"seeds={HOME}", *more, *options, proxy=web.proxy
        )
        assert ran.code == 0, ran.err
        with closing(PageStore(tmp_path / "job" / JOB_DATABASE)) as store:
            return ran.err, {record.url: record for record in store.records()}

    _, stored = crawl()
    with_notice = [url for url in places if url not in stored or NOTICE in stored[url].text]
    copies = [url for url, record in stored.items() if record.alias_of]
    assert len({*with_notice, *copies}) <= 4
    for url, subject in zip(places, SUBJECTS, strict=True):
        if url not in {*with_notice, *copies}:
            assert stored[url].text == f"{own_text(subject)}\n{{"

    said, again = crawl("-a", "revisit=true")
    assert re.search(rf"\b{len(places) + 1} \D+0 \D+{len(places) + 1} ", said)
    assert {record.text for url, record in again.items() if url in places} == {
        f"{own_text(subject)}\n{{" for subject in SUBJECTS
    }
    assert not any(record.alias_of for record in again.values())

"""Reading rules of a job: from `-a sites=FILE` to what is stored and which links are followed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from topiccrawler.store.page_store import read_pages

FAST = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "LOG_LEVEL=INFO")
TEXT = "股票基金的净值上涨，投资者因此更看重银行的存款利率和债券的收益率。" * 4
PAGE = (
    "<html><head><title>股票基金</title></head><body><h1>股票基金</h1><b class=name>第一篇</b>"
    f"<div class=lead><p>{TEXT}</p></div><div class=story><p>基金短评，只有这些。</p></div>"
    "<ul class=menu><li><a href=/menu>股票</a></ul><ul class=more><li><a href=/more>基金</a></ul></body></html>"
)
RULES = """[sites."hub.example"]
title = "b.name"
text = "div.story"
links = "ul.more"
"""
CRAWL = (
    "crawl", "topic", "-a", "topic=finance", "-a", "seeds=http://hub.example/", "-a", "strategy=breadth_first",
)  # fmt: skip


def test_a_jobs_rules_say_what_is_stored_and_followed(
    draw_web: Callable[..., Any], forked_scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    web = draw_web({"http://hub.example/": PAGE})
    (tmp_path / "rules.toml").write_text(RULES)
    folder = ("-s", f"TOPIC_DATA_DIR={tmp_path / 'data'}", "-s", "TOPIC_JOB=job")
    ran = forked_scrapy(*CRAWL, "-a", f"sites={tmp_path / 'rules.toml'}", *folder, *FAST, proxy=web.proxy)
    assert ran.code == 0, ran.err
    assert web.fetched() == ["http://hub.example/", "http://hub.example/more"]
    with closing(read_pages(tmp_path / "data/job/job.sqlite")) as store:
        stored = [(record.url, record.title, record.text) for record in store.records()]
    assert stored == [("http://hub.example/", "第一篇", "基金短评，只有这些。")]


def test_a_job_stays_on_its_sites_and_keeps_no_old_page(
    draw_web: Callable[..., Any], forked_scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    dated = '<meta property="article:published_time" content="{}">'
    links = "<a href=/old>股票</a> <a href=/new>基金</a> <a href=http://away.example/>债券</a>"
    pages = {
        "http://hub.example/": PAGE.replace("<b class", links + "<b class"),
        "http://hub.example/old": PAGE.replace("</head>", dated.format("2019-05-01") + "</head>"),
        "http://hub.example/new": PAGE.replace("</head>", dated.format("2024-05-01") + "</head>").replace(
            "投资者", "银行"
        ),
        "http://away.example/": PAGE,
    }
    web = draw_web(pages)
    (tmp_path / "rules.toml").write_text(
        '[sites."hub.example"]\nonly = true\nlinks = "body"\n', encoding="utf-8"
    )
    folder = (
        "-s",
        f"TOPIC_DATA_DIR={tmp_path / 'data'}",
        "-s",
        "TOPIC_JOB=job",
        "-s",
        "TOPIC_DUPLICATES=keep",
    )
    options = ("-a", f"sites={tmp_path / 'rules.toml'}", "-a", "since=2020-01-01", "-a", "formats=html")
    ran = forked_scrapy(*CRAWL, *options, *folder, *FAST, proxy=web.proxy)
    assert ran.code == 0, ran.err
    assert "http://away.example/" not in web.fetched()
    assert "http://hub.example/old" in web.fetched()
    with closing(read_pages(tmp_path / "data/job/job.sqlite")) as store:
        assert {record.url for record in store.records()} == {"http://hub.example/", "http://hub.example/new"}

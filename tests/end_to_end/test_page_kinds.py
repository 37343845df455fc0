"""A crawl of a blog with a front page, a tag and articles: kinds are stored, counted, filtered by and exported."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import Crawl, json_lines

pytestmark = pytest.mark.slow

HOME = "http://blog.example/"
OPTIONS = {"seeds": HOME, "TOPIC_DUPLICATES": "keep", "ROBOTSTXT_OBEY": False, "CONCURRENT_REQUESTS": 1}
SUBJECTS = ("股票基金", "货币基金", "债券", "黄金期货", "银行理财", "保险资金")
LICENCE = "本博客所有文章除特别声明外，均采用 CC BY-NC-SA 4.0 许可协议，转载请注明来自本站及作者。"


def text(subject: str) -> list[str]:
    """Paragraphs on a subject that no other has."""
    return [
        f"{subject}在{year}年的收益率比上一年多了{year % 7}个百分点，投资者因此更看重{subject}的风险与费用，而证券公司的佣金收入也随之上升。"
        for year in range(2012, 2020)
    ]


def page(title: str, body: str) -> str:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


def article(subject: str, paragraphs: list[str]) -> str:
    body = "".join(f"<p>{one}</p>" for one in paragraphs)
    return page(f"{subject}的收益", f"<h1>{subject}的收益</h1>{body}<p><a href=/tags/touzi/>投资</a></p>")


def teaser(number: int) -> str:
    return f"<div><h2><a href=/post/10000{number}.html>{SUBJECTS[number]}的收益</a></h2><p>{text(SUBJECTS[number])[0]}……</p></div>"


def web() -> dict[str, str]:
    excerpt = f"{HOME}post/200001.html"  # its text is the middle of another article
    return {
        HOME: page("基金与股票", f"{''.join(map(teaser, range(4)))}<a href=/post/200001.html>债券摘录</a> <a href=/post/300001.html>基金图表</a>"),
        f"{HOME}tags/touzi/": page("标签: 投资", "".join(map(teaser, range(6)))),
        excerpt: article("债券", text("债券")[2:5]),
        f"{HOME}post/300001.html": page("基金股票图表", f"<h1>基金股票图表</h1><img src=1.png><p>{LICENCE}</p>"),
        **{f"{HOME}post/10000{number}.html": article(one, text(one)) for number, one in enumerate(SUBJECTS)},
    }  # fmt: skip


def test_targets_are_articles_and_the_end_tells_the_kinds(crawl: Crawl) -> None:
    ran = crawl(web(), targets=2, **OPTIONS)
    assert [url.removeprefix(HOME) for url in ran.web.fetched()] == [
        "",
        "post/100000.html",
        "post/100001.html",
    ]
    assert "3 kept: 2 articles, 1 lists, 0 stubs (3 html)" in ran.err
    assert "ended: 2 articles are kept (-a targets)" in ran.err
    assert "; kept: 2 articles, 1 lists, 0 stubs" in ran.err
    for key, count in {"": 3, "/article": 2, "/list": 1, "/stub": 0}.items():
        assert f"'topic/kept{key}': {count}" in ran.err
    resumed = crawl(ran.web, targets=3, **OPTIONS)
    assert len(ran.web.fetched()) == 4
    assert "4 kept: 3 articles, 1 lists, 0 stubs" in resumed.err


def test_kinds_select_pages_and_a_corpus_has_articles_without_excerpts(
    crawl: Crawl, forked_scrapy: Any, tmp_path: Path
) -> None:
    job = str(crawl(web(), **OPTIONS).job)

    def listed(*options: str) -> dict[str, str]:
        ran = forked_scrapy("pages", job, "--json", "--limit", "50", *options)
        return {one["url"].removeprefix(HOME): one["kind"] for one in json_lines(ran.out)}

    kinds = listed()
    articles = {f"post/10000{number}.html" for number in range(len(SUBJECTS))} | {"post/200001.html"}
    assert {url for url, kind in kinds.items() if kind == "article"} == articles
    assert {url for url, kind in kinds.items() if kind == "list"} == {"", "tags/touzi/"}
    assert kinds["post/300001.html"] == "stub"
    assert set(listed("--kind", "list").values()) == {"list"}
    assert listed("--kind", "list,stub") == {url: kind for url, kind in kinds.items() if kind != "article"}
    assert listed("--kind", "all") == kinds
    hits = forked_scrapy("search", "投资者", "--job", job, "--kind", "list", "--json")
    assert {hit["kind"] for hit in json_lines(hits.out)} == {"list"}

    table = tmp_path / "pages.csv"
    forked_scrapy("pages", job, "export", "--out", str(table), "--kind", "article")
    with table.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["url"].removeprefix(HOME) for row in rows} == articles
    assert {row["kind"] for row in rows} == {"article"}

    def corpus(name: str, *options: str) -> tuple[str, set[str]]:
        place = tmp_path / name
        words = ("--format", "corpus", "--out", str(place), "--compress", "none")
        ran = forked_scrapy("pages", job, "export", *words, *options)
        lines = json_lines((place / "pages-00000.jsonl").read_text(encoding="utf-8"))
        return ran.out, {line["url"].removeprefix(HOME) for line in lines}

    said, written = corpus("articles")
    assert written == articles - {"post/200001.html"}
    assert re.search(r"\b1 excerpts? of others", said)
    assert "kinds: article" in (tmp_path / "articles" / "README.md").read_text(encoding="utf-8")
    _, written = corpus("everything", "--kind", "all")
    # lists have what their articles have
    assert written == {*articles, "post/300001.html"} - {"post/200001.html"}

"""A second crawl keeps no text that the first has, and none in another language; the links of these pages lead on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

HOME = "http://finance.example/"
FAST = ("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False", "ROBOTSTXT_OBEY=False", "CONCURRENT_REQUESTS=1")
SUBJECTS = ("股票基金", "货币基金", "债券", "银行理财")


def article(subject: str, link: str, changed: str = "") -> str:
    paragraphs = "".join(
        f"<p>{subject}在{year}年的收益率比上一年多了{year % 7}个百分点，投资者因此更看重{subject}的风险与费用，证券公司的佣金收入上升。</p>"
        for year in range(2008, 2020)
    )
    return f"<html lang=en><title>{subject}的收益</title><h1>{subject}的收益</h1>{paragraphs}<p>{changed}</p><a href={link}>{subject}基金投资</a>"


JAPANESE = (
    "<p>投資信託の収益率は前の年より上がり、基金と株式の市場では投資家がリスクと費用を重視しています。</p>"
    * 9
)


def test_known_texts_and_other_languages_are_not_kept_and_their_links_are_followed(
    draw_web: Callable[..., Any], forked_scrapy: Callable[..., Any], tmp_path: Path
) -> None:
    urls = [f"{HOME}{number}.html" for number in range(5)]
    pages = {
        HOME: article(SUBJECTS[0], urls[0]),
        urls[0]: article(SUBJECTS[1], urls[1]),
        urls[
            1
        ]: f"<html lang=zh><title>基金 株式 投資</title><h1>基金 株式 投資</h1>{JAPANESE}<a href={urls[2]}>基金投资</a>",
        urls[2]: article(SUBJECTS[2], urls[3]),
        urls[3]: article(SUBJECTS[3], urls[4]),
    }
    first = draw_web({url: pages[url] for url in (HOME, urls[0])})

    def crawl(web: Any, job: str, *more: str) -> Any:
        options = [part for setting in (*FAST, f"JOBDIR={tmp_path / job}") for part in ("-s", setting)]
        ran = forked_scrapy(
            "crawl", "topic", "-a", "topic=finance", "-a", "strategy=breadth_first", "-a", f"seeds={HOME}", *more, *options,
            proxy=web.proxy,
        )  # fmt: skip
        assert ran.code == 0, ran.err
        listed = forked_scrapy("pages", str(tmp_path / job), "--json").out.splitlines()
        return ran.err, sorted(json.loads(line)["url"] for line in listed)

    assert crawl(first, "first")[1] == [HOME, urls[0]]
    grown = draw_web({**pages, urls[0]: article(SUBJECTS[1], urls[1], "（本文编辑：李四）")})
    said, kept = crawl(grown, "second", "-a", f"known={tmp_path / 'first'}", "-a", "language=zh")
    assert kept == [urls[2], urls[3]]
    assert {HOME, *urls} <= set(grown.fetched())
    assert (
        f"2 pages are not kept, because their text is one of the 2 in {tmp_path / 'first'} (-a known)" in said
    )
    assert "1 pages in other languages are not kept (-a language)" in said
    assert "'topic/skipped/known': 2" in said
    assert "'topic/skipped/language': 1" in said

    all_of_it = crawl(grown, "third")[1]
    assert all_of_it == sorted(pages)
    job, place = str(tmp_path / "third"), tmp_path / "ja.jsonl"
    forked_scrapy("pages", job, "export", "--out", str(place), "--language", "ja")
    assert [json.loads(line)["url"] for line in place.read_text(encoding="utf-8").splitlines()] == [urls[1]]
    hits = forked_scrapy("search", "基金", "--job", job, "--language", "ja", "--json").out.splitlines()
    assert [json.loads(hit)["url"] for hit in hits] == [urls[1]]

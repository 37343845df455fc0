"""A second crawl keeps no text that the first has, and none in another language; the links of these pages lead on."""

import pytest
from drawn_crawls import Crawl, json_lines, stored
from forked_scrapy import ForkedScrapy

pytestmark = pytest.mark.slow

HOME = "http://finance.example/"
OPTIONS = {"seeds": HOME, "ROBOTSTXT_OBEY": False, "CONCURRENT_REQUESTS": 1}
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
    crawl: Crawl, forked_scrapy: ForkedScrapy
) -> None:
    urls, titled = [f"{HOME}{number}.html" for number in range(5)], "基金 株式 投資"
    pages = {
        HOME: article(SUBJECTS[0], urls[0]),
        urls[0]: article(SUBJECTS[1], urls[1]),
        urls[
            1
        ]: f"<html lang=zh><title>{titled}</title><h1>{titled}</h1>{JAPANESE}<a href={urls[2]}>基金投资</a>",
        urls[2]: article(SUBJECTS[2], urls[3]),
        urls[3]: article(SUBJECTS[3], urls[4]),
    }
    first = crawl({url: pages[url] for url in (HOME, urls[0])}, job="first", **OPTIONS)
    assert sorted(stored(first.job)) == [HOME, urls[0]]
    changed = {**pages, urls[0]: article(SUBJECTS[1], urls[1], "（本文编辑：李四）")}
    second = crawl(changed, job="second", known=first.job, language="zh", **OPTIONS)
    assert sorted(stored(second.job)) == [urls[2], urls[3]]
    assert {HOME, *urls} <= set(second.web.fetched())
    known = f"2 pages are not kept, because their text is one of the 2 in {first.job} (-a known)"
    for said in (known, "1 pages in other languages are not kept (-a language)", "'topic/skipped/known': 2"):
        assert said in second.err
    assert "'topic/skipped/language': 1" in second.err

    third = crawl(second.web, job="third", **OPTIONS).job
    assert sorted(stored(third)) == sorted(pages)
    place = third.parent / "ja.jsonl"
    forked_scrapy("pages", str(third), "export", "--out", str(place), "--language", "ja")
    assert [one["url"] for one in json_lines(place.read_text(encoding="utf-8"))] == [urls[1]]
    hits = forked_scrapy("search", "基金", "--job", str(third), "--language", "ja", "--json")
    assert [hit["url"] for hit in json_lines(hits.out)] == [urls[1]]

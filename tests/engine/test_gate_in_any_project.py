"""RequestGateMiddleware with its companion, in a project with no spider of ours: its verdicts are those of a crawl of ours."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.utils.test import get_crawler

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.engine.middlewares import LinkContextMiddleware, RequestGateMiddleware
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Via
from topiccrawler.replay.warc import RecordedWeb, recorded_paths
from topiccrawler.urls.canonical import canonical

FUNDS = """<h2>理财</h2><p>本周净值：<a href="/1">更多</a> 股票基金</p><p>体育：<a href="/2">更多</a> 足球比分</p>
<a href="/3">娱乐八卦</a><a href="/1">详情</a><a href="/基金/?utm_source=x">基金定投</a>"""
NEWS = (
    """<div>今日财经要闻<a href="http://a.example/4">查看</a></div><p>"""
    + "足球比赛的主教练说球队下一场客场打得很辛苦。" * 6
    + """</p><div>球星进球<a href="/5#top">足球</a></div>"""
)
DRAWN = [("http://a.example/", "utf-8", FUNDS), ("http://b.example/list", "gbk", NEWS)]


def responses(shared: Path | None) -> Iterator[HtmlResponse]:
    if shared is None:
        for url, charset, html in DRAWN:
            head = {"Content-Type": f"text/html; charset={charset}"}
            yield HtmlResponse(url, body=html.encode(charset), headers=head, request=Request(url))
        return
    web = RecordedWeb(recorded_paths(str(shared / "blogs" / "pages.warc.gz")))
    urls = [url for url in web.urls() if not url.endswith(("robots.txt", ".xml"))]
    for url in urls[:: len(urls) // 60]:
        found = web.response(url)
        if found is not None and found.status == 200 and b"<a " in found.body:
            yield HtmlResponse(url, body=found.body, headers=found.headers, request=Request(url))


async def outputs(requests: Iterable[Request]) -> AsyncIterator[Request]:
    for request in requests:
        yield request


def alone(crawler: Crawler, response: HtmlResponse) -> dict[str, bool]:
    """The verdict of both middlewares by canonical URL, for the requests that CrawlSpider would make."""
    gate, companion = (kind.from_crawler(crawler) for kind in (RequestGateMiddleware, LinkContextMiddleware))
    requests = [
        Request(link.url, meta={"link_text": link.text}, headers={"Referer": response.url})
        for link in LinkExtractor().extract_links(response)
    ]

    async def marked() -> list[Request]:
        return [one async for one in companion.process_spider_output(response, outputs(requests))]

    verdicts: dict[str, bool] = {}
    for request in asyncio.run(marked()):
        url = canonical(request.url)
        if url is None:
            continue
        try:
            gate.process_request(request)
        except IgnoreRequest:
            verdicts.setdefault(url, False)
        else:
            verdicts[url] = True
    return verdicts


def in_a_crawl(crawl: Crawl, response: HtmlResponse) -> dict[str, bool]:
    """The gate's verdict by canonical URL when the links of a page are queued: a URL is queued if any link to it passes."""
    reading = crawl.read(response.url, response.body, "text/html", response.encoding)
    assert reading is not None
    links = crawl.links_of(reading)
    verdicts: dict[str, bool] = {}
    for link, decision in zip(links, crawl.admission.queued(links), strict=True):
        verdicts[link.url] = verdicts.get(link.url, False) or decision.passed
    return verdicts


def compared(shared: Path | None, threshold: float | None) -> tuple[int, int, int]:
    """The number of URLs that both have decided on, of equal verdicts, and of refusals."""
    settings = {"TOPIC": "finance"} | ({} if threshold is None else {"TOPIC_LINK_THRESHOLD": threshold})
    crawler = get_crawler(settings_dict=settings)
    recipe = Recipe("finance", strategy="naive_bayes", link_threshold=threshold)
    crawl = Crawl(assemble(recipe), MemoryFrontier())
    urls = equal = refused = 0
    for response in islice(responses(shared), 60):
        theirs, ours = alone(crawler, response), in_a_crawl(crawl, response)
        for url in theirs.keys() & ours.keys():
            urls += 1
            equal += theirs[url] == ours[url]
            refused += not theirs[url]
    return urls, equal, refused


@pytest.mark.parametrize("threshold", [None, 0.5])
def test_verdicts_are_those_of_a_crawl(threshold: float | None) -> None:
    urls, equal, refused = compared(None, threshold)
    assert (urls, equal) == (6, 6)
    assert (refused > 0) is (threshold is not None)


def test_a_request_keeps_the_link_it_has_and_one_that_no_link_leads_to_gets_none() -> None:
    companion = LinkContextMiddleware.from_crawler(get_crawler(settings_dict={"TOPIC": "finance"}))
    [response, _] = responses(None)
    own = Via(Link("http://a.example/1", "a.example", "我的"))
    requests = [Request("http://a.example/1", meta={"via": own}), Request("http://elsewhere.example/")]

    async def marked() -> list[Request]:
        return [one async for one in companion.process_spider_output(response, outputs(requests))]

    first, second = asyncio.run(marked())
    assert first.meta["via"] is own
    assert "via" not in second.meta


def test_a_project_that_uses_the_key_of_the_link_itself_keeps_what_it_has_there() -> None:
    crawler = get_crawler(settings_dict={"TOPIC": "finance", "TOPIC_LINK_THRESHOLD": 0.5})
    gate, companion = (kind.from_crawler(crawler) for kind in (RequestGateMiddleware, LinkContextMiddleware))
    [response, _] = responses(None)
    request = Request(
        "http://b.example/5", meta={"via": "rss", "link_text": "足球"}, headers={"Referer": response.url}
    )

    async def marked() -> list[Request]:
        return [one async for one in companion.process_spider_output(response, outputs([request]))]

    [same] = asyncio.run(marked())
    assert same.meta["via"] == "rss"
    with pytest.raises(IgnoreRequest):
        gate.process_request(same)

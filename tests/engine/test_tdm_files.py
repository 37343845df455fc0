"""The file of TDMRep of a host is asked for once; pages of the host wait for it, and for nothing else."""

import asyncio
from contextlib import suppress

from scrapy import Request
from scrapy.http import Response

from topiccrawler.engine.tdm_files import TdmFilePipeline
from topiccrawler.pages.read import ReadItem


def item(url: str) -> ReadItem:
    made = ReadItem(url=url)
    made.statements = []
    return made


def test_pages_that_wait_for_a_file_go_on_when_the_crawl_ends_before_it_comes() -> None:
    asked: list[str] = []

    async def never(request: Request) -> Response:
        asked.append(request.url)
        await asyncio.Event().wait()
        raise AssertionError

    async def crawl() -> list[str]:
        pipeline = TdmFilePipeline(never, lambda host: host)
        first, second = (
            asyncio.ensure_future(pipeline.process_item(item(f"http://a.cn/{n}"))) for n in (1, 2)
        )
        await asyncio.sleep(0)  # both wait
        first.cancel()
        with suppress(asyncio.CancelledError):
            await first
        found = await asyncio.wait_for(second, 5)
        return [found.url, found.usage, pipeline.process_item(item("http://a.cn/3")).url]

    assert asyncio.run(crawl()) == ["http://a.cn/2", "", "http://a.cn/3"]
    assert asked == ["http://a.cn/.well-known/tdmrep.json"]

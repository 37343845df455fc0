"""What a user would crawl with instead, run by crawl.py in an interpreter that has it: `PYTHON rivals.py NAME URL PAGES`.

    crawl4ai_http      its breadth-first deep crawl with the HTTP strategy: Markdown and links of each page
    crawl4ai_browser   the same through the Chromium in PATH, which is its default
    trafilatura        its focused crawler, which stays on one host, one request at a time, and finds URLs: no text is read

The web is at the proxy of the environment variable `http_proxy`.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys

MODULES = {
    "crawl4ai_http": "crawl4ai",
    "crawl4ai_browser": "crawl4ai",
    "trafilatura": "trafilatura.spider, pycurl",
}
INSTALL = "python -m venv rivals && rivals/bin/pip install crawl4ai 'trafilatura[all]' lxml_html_clean"
ANY_NUMBER = 10**6


def trafilatura(start: str, pages: int) -> None:
    """Find the URLs of a site, without delays."""
    os.environ["ALL_PROXY"] = os.environ.pop("http_proxy")  # http_proxy would be that of a SOCKS proxy
    from trafilatura.settings import use_config
    from trafilatura.spider import focused_crawler

    config = use_config()
    config.set("DEFAULT", "SLEEP_TIME", "0")
    focused_crawler(start, max_seen_urls=pages, max_known_urls=ANY_NUMBER, config=config)


async def crawl4ai(start: str, pages: int, *, browser: bool) -> None:
    """Crawl breadth-first."""
    from crawl4ai import AsyncWebCrawler, BFSDeepCrawlStrategy, BrowserConfig, CacheMode, CrawlerRunConfig
    from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
    from playwright.async_api import BrowserType

    launch, chromium = BrowserType.launch, shutil.which("chromium")
    BrowserType.launch = lambda self, **options: launch(self, **options | {"executable_path": chromium})
    config = CrawlerRunConfig(
        deep_crawl_strategy=BFSDeepCrawlStrategy(ANY_NUMBER, include_external=True, max_pages=pages),
        cache_mode=CacheMode.BYPASS, proxy_config=os.environ["http_proxy"], verbose=False,
    )  # fmt: skip
    strategy = None if browser else AsyncHTTPCrawlerStrategy()
    async with AsyncWebCrawler(strategy, BrowserConfig(verbose=False)) as crawler:
        await crawler.arun(start, config=config)


def main() -> None:
    """Crawl with the named one."""
    name, start, pages = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if name == "trafilatura":
        trafilatura(start, pages)
    else:
        asyncio.run(crawl4ai(start, pages, browser=name == "crawl4ai_browser"))


if __name__ == "__main__":
    main()

"""What one feed cannot export costs the other feeds nothing."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from scrapy import Spider
from scrapy.utils.test import get_crawler

from topiccrawler.engine.feeds import FatalFeedExporter
from topiccrawler.settings import FEED_EXPORTERS

ITEMS: list[dict[str, Any]] = [{"title": "基金"}, {"title": object()}, {"title": "股票"}]


@pytest.mark.parametrize("first", ["pages.jsonl", "pages.json"])
def test_an_item_that_a_feed_cannot_export_is_missing_there_only(tmp_path: Path, first: str) -> None:
    names = sorted(["pages.jsonl", "pages.json", "pages.csv"], key=lambda name: name != first)
    forms = {"pages.jsonl": "jsonlines", "pages.json": "json", "pages.csv": "csv"}
    feeds = {str(tmp_path / name): {"format": forms[name], "encoding": "utf-8"} for name in names}
    crawler, spider = get_crawler(settings_dict={"FEEDS": feeds}), Spider("any")
    exporter = FatalFeedExporter.from_crawler(crawler)

    async def crawl() -> int:
        refused = 0
        exporter.open_spider(spider)
        for item in ITEMS:
            try:
                exporter.item_scraped(item, spider)
            except TypeError:
                refused += 1
        await exporter.close_spider(spider)
        return refused

    assert asyncio.run(crawl()) == 1
    good = [ITEMS[0], ITEMS[2]]
    assert json.loads((tmp_path / "pages.json").read_text("utf-8")) == good
    assert [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text("utf-8").splitlines()] == good
    rows = (tmp_path / "pages.csv").read_text("utf-8").splitlines()
    assert (len(rows), rows[0], rows[1], rows[3]) == (4, "title", "基金", "股票")


def test_an_xml_feed_is_well_formed_whatever_characters_a_page_has(tmp_path: Path) -> None:
    odd = "".join(map(chr, [*range(32), 0x7F, 0x85, 0xD800, 0xFFFE, 0xFFFF, 0x1F600]))
    settings = {"FEEDS": {str(tmp_path / "pages.xml"): {"format": "xml", "encoding": "utf-8"}}}
    crawler, spider = get_crawler(settings_dict={**settings, "FEED_EXPORTERS": FEED_EXPORTERS}), Spider("any")
    exporter = FatalFeedExporter.from_crawler(crawler)

    async def crawl() -> None:
        exporter.open_spider(spider)
        exporter.item_scraped({"title": f"基{odd}金", "media": [{"alt": odd}]}, spider)
        await exporter.close_spider(spider)

    asyncio.run(crawl())
    root = etree.parse(tmp_path / "pages.xml").getroot()
    assert root.findtext("item/title") == "基\t\n\n\x7f\x85\U0001f600金"  # a parser reads CR as LF
    assert root.findtext("item/media/value/alt") == "\t\n\n\x7f\x85\U0001f600"

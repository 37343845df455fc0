"""Bodies that are no HTML, read by the same Reader."""

import io
from collections.abc import Iterator

import openpyxl
import pytest

from topiccrawler.links.extract import extract
from topiccrawler.pages.formats.reader import Formats
from topiccrawler.pages.read import PageWords, Reader


class ShareOfFunds:
    """Relevance = share of body words that are 基金."""

    threshold = similarity_threshold = 0.5
    reads_segments = False

    def similarity(self, words: PageWords) -> float:
        return self.relevance(words)

    def relevance(self, words: PageWords) -> float:
        return list(words.body).count("基金") / max(1, len(words.body))


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    made = Reader(ShareOfFunds(), Formats(seconds=60))
    yield made
    made.formats.close()


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["基金", "基金", "股票"])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_a_workbook_served_as_html_is_read_as_a_workbook(reader: Reader) -> None:
    reading = reader.read(
        "http://a.test/x.xlsx", workbook(), "utf-8", content_type="text/html; charset=utf-8"
    )
    assert (reading.format, reading.fault, reading.main_text) == ("xlsx", "", "基金 基金 股票")
    assert reading.page.relevance == pytest.approx(2 / 3)
    assert reading.page.is_target


def test_a_feed_is_a_hub_whose_links_have_headlines_and_context(reader: Reader) -> None:
    feed = (
        "<rss><channel><title>财经</title><item><title>基金周报</title><link>/1?a=1&amp;b=2</link>"
        "<description>净值上涨</description></item></channel></rss>"
    )
    reading = reader.read("http://a.test/feed", feed.encode(), content_type="application/rss+xml")
    assert (reading.format, reading.page.title, reading.main_text) == ("feed", "财经", "")
    (link,) = extract(reading.document, "http://a.test/feed", depth=1)
    assert (link.url, link.anchor, link.after) == ("http://a.test/1?a=1&b=2", "基金周报", "|净值上涨|")


@pytest.mark.parametrize(
    ("body", "form", "fault"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "media", "no format 'media'"),
        (bytes(range(32)) * 40, "unknown", "no format 'unknown'"),
        (b"%PDF-1.4 and nothing more", "pdf", "damaged"),
    ],
)
def test_what_cannot_be_read_is_an_empty_page_with_a_reason(
    reader: Reader, body: bytes, form: str, fault: str
) -> None:
    reading = reader.read("http://a.test/x", body, "utf-8", content_type="text/html")
    assert (reading.format, reading.main_text, reading.page.title) == (form, "", "")
    assert reading.fault.startswith(fault)
    assert reading.document.text == "|"
    assert (reading.page.relevance, reading.page.is_target) == (0.0, False)

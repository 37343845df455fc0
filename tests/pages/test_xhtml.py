"""Pages of the type XHTML: an element that is closed in its own tag ends there, and CDATA is text."""

import time

import pytest

from topiccrawler import read
from topiccrawler.pages.parse import html_of_xhtml

TYPE = "application/xhtml+xml; charset=utf-8"
TEXT = "<p>今天的市场上，基金定投成为越来越多投资者的选择，专家表示长期坚持才能看到效果。</p>" * 2


@pytest.mark.parametrize(
    "empty",
    [
        "<title/>",
        "<script src='a.js' />",
        '<iframe src="/f"/>',
        "<textarea\nname='q'/>",
        "<style/>",
        "<xmp/>",
    ],
)
def test_what_stands_behind_an_empty_element_is_read(empty: str) -> None:
    page = f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head></head><body>{empty}{TEXT}</body></html>'
    assert "基金定投" in read(page.encode(), content_type=TYPE).text


def test_void_elements_and_usual_tags_stay_as_they_are() -> None:
    page = '<p class="a/">x<br/><img src="/a/"/></p><a href=/b/>y</a>'
    assert html_of_xhtml(page) == page.replace("/b/>y", "/b></a>y")
    assert html_of_xhtml("<p><![CDATA[a < b & ]c]]></p>") == "<p>a &lt; b &amp; ]c</p>"


def test_the_cost_is_linear() -> None:
    started = time.process_time()
    for part in ("<a ", "<![CDATA[", "<a /", "<![CDATA[]", "<a b='"):
        html_of_xhtml(part * 100_000)
    assert time.process_time() - started < 3

"""Links by column: the same Links as ever, made for those alone that are asked for."""

import pytest

from topiccrawler.links.extract import ContextMaker, extract
from topiccrawler.links.page_links import PageLinks
from topiccrawler.pages.parse import parse

PAGE = "http://a.test/dir/page.html"
BODY = """
<h2>财经</h2><p>开头的文字<a href="/1" title="标题一">基金</a>中间的文字<a href=2.html rel="tag NoFollow">股票</a>末尾</p>
<ul class=list><li><a href="http://b.test/"><img alt="图"></a></li></ul><iframe src=/frame></iframe>
"""
REFRESH = '<title>页面</title><meta http-equiv=refresh content="5;url=/next">'


def links(context: ContextMaker = "window") -> PageLinks:
    return extract(parse(f"<html><head>{REFRESH}</head><body>{BODY}"), PAGE, depth=3, context=context)


@pytest.mark.parametrize("context", ["window", "neighbour", "dom"])
def test_links_asked_for_one_by_one_in_any_order_are_the_same(context: ContextMaker) -> None:
    every = list(links(context))
    assert [link.position for link in every] == [0, 1, 2, 3, 4]
    assert [links(context)[place] for place in range(-5, 0)] == every
    found = links(context)
    assert [found[3], *found[:2]] == [every[3], *every[:2]]
    assert found == every
    assert [*found] == every


@pytest.mark.parametrize("count", [5, 0])
def test_links_are_put_by_column(count: int) -> None:
    every = list(links())[:count]
    found = PageLinks.of(every)
    assert (found.urls, found.hosts, found.anchors) == tuple(
        [getattr(link, name) for link in every] for name in ("url", "host", "anchor")
    )
    assert found == every
    assert list(found.at(range(count)[::-2])) == every[::-2]

"""SkyReach's title reader: the look of the line above the text."""

import pytest

from topiccrawler.pages.parse import parse
from topiccrawler.pages.read import Reader
from topiccrawler.pages.skyreach_title import skyreach_title
from topiccrawler.pages.title import TITLE_READERS
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.catalogue import load_topic

BODY = f"<p>{'央行昨日宣布下调利率，市场反应平稳。' * 6}</p>"
MENU = "<table><tr><td><a href=/><b>首页</b></a></td><td>2003年5月1日</td></tr></table>"


@pytest.mark.parametrize(
    "line",
    [
        "<font size=5>央行下调利率</font>",
        "<font size='+2'>央行下调利率</font>",
        "<center>央行下调利率</center>",
        "<p align=center>央行下调利率</p>",
        "<div style='text-align: center'>央行下调利率</div>",
        "<font color=red>央行下调利率</font>",
        "<span style='font-size:24px'>央行下调利率</span>",
        "<span style='font-size:1.5em'>央行下调利率</span>",
        "<b>央行下调利率</b>",
        "<h2>央行下调利率</h2>",
    ],
)
def test_the_marked_line_above_the_text_is_the_title(line: str) -> None:
    html = f"<title>某某网</title><body>{MENU}<div>{line}</div><div>来源：本报</div>{BODY}<h1>评论</h1>{BODY}"
    assert skyreach_title(html) == "央行下调利率"


def test_a_neighbour_of_the_same_look_is_the_titles_other_line() -> None:
    html = f"<body><center><font size=5>央行下调利率<br>股市应声上涨</font></center><p>来源</p>{BODY}"
    assert skyreach_title(html) == "央行下调利率 股市应声上涨"


def test_links_and_what_stands_below_the_text_are_no_titles() -> None:
    html = f"<body><h1><a href=/>某某网</a></h1><p>央行下调利率</p>{BODY}<h1>相关阅读</h1>"
    assert skyreach_title(html) == ""


@pytest.mark.parametrize(
    "html", ["", "<", "<font size=x><p style='font-size:1.2.3px'>甲", "<b>" * 3000 + "甲", "<p>\x00"]
)
def test_no_page_breaks_it(html: str) -> None:
    assert len(skyreach_title(html)) <= 200


def test_by_name_with_the_title_element_where_no_line_is_marked() -> None:
    plain = f"<title>央行下调利率_某某网</title><p>今天</p>{BODY}"
    marked = f"<title>某某网</title><center>央行下调利率</center>{BODY}"
    assert TITLE_READERS["skyreach"](plain, parse(plain)) == "央行下调利率"
    classifier = VsmClassifier(load_topic("finance"))
    titles = [
        Reader(classifier, title_reader=name).read("http://a.cn/", marked.encode()).page.title
        for name in TITLE_READERS
    ]
    assert titles == ["某某网", "央行下调利率"]

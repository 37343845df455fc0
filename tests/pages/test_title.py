import pytest

from topiccrawler.pages.parse import parse
from topiccrawler.pages.title import title_of


@pytest.mark.parametrize(
    ("full", "title"),
    [
        ("央行下调利率_财经_某某网", "央行下调利率"),
        ("央行下调利率 - 某某网", "央行下调利率"),
        ("央行下调利率-某某网", "央行下调利率"),
        ("央行下调利率—某某网", "央行下调利率—某某网"),
        ("央行下调利率——某某网", "央行下调利率"),
        ("央行下调利率|某某网", "央行下调利率"),
        ("央行下调利率｜某某网", "央行下调利率"),
        ("央行下调利率 » 某某网", "央行下调利率"),
        ("_某某网", "某某网"),
        ("A-B测试入门", "A-B测试入门"),
        ("某某网", "某某网"),
        ("  ", ""),
    ],
)
def test_the_name_of_the_site_is_cut_off(full: str, title: str) -> None:
    assert title_of(parse(f"<title>{full}</title>")) == title


def test_a_heading_within_the_title_wins_over_the_first_part() -> None:
    html = "<title>某某网_财经_央行 下调利率（全文）</title><h1>央行下调利率（全文）</h1>"
    assert title_of(parse(html)) == "央行下调利率（全文）"


def test_a_heading_that_is_the_last_part_of_a_longer_title_is_the_site() -> None:
    assert title_of(parse("<title>央行下调利率_某某财经网</title><h1>某某财经网</h1>")) == "央行下调利率"


def test_without_title_element_og_title_then_the_first_heading() -> None:
    assert title_of(parse("<meta property=og:title content=甲><h1>乙</h1>")) == "甲"
    assert title_of(parse("<h3>乙</h3><h1>丙</h1>")) == "乙"
    assert title_of(parse("<p>甲</p>")) == ""


def test_titles_are_bounded() -> None:
    assert len(title_of(parse(f"<title>{'长' * 5000}</title>"))) == 200


def test_the_site_name_of_the_metas_confirms_nothing() -> None:
    html = (
        "<title>红烧肉的做法 - 下厨小记</title><meta property=og:site_name content=下厨小记><h1>下厨小记</h1>"
    )
    assert title_of(parse(html)) == "红烧肉的做法"


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>快讯|基金定投怎么做_某某网</title><h1>快讯|基金定投怎么做</h1>", "快讯|基金定投怎么做"),
        ("<title>A股 | 沪指收涨0.5% - 某某网</title><h1>A股 | 沪指收涨0.5%</h1>", "A股 | 沪指收涨0.5%"),
        ("<title>快讯|基金定投怎么做_某某网</title>", "快讯|基金定投怎么做"),
        ("<title>投资者说——一个基民的自述_某某网</title>", "投资者说——一个基民的自述"),
        ("<title>2020 - 12 - 01 基金日报</title>", "2020 - 12 - 01 基金日报"),
        ("<title>snake_case 命名规范 - 博客</title>", "snake_case 命名规范"),
        ("<title>GPT-4官网</title><h1>GPT-4官网</h1>", "GPT-4官网"),
        ("<title>某某網_基金定投怎麼做</title>", "基金定投怎麼做"),
        ("<title>城南图书馆 | 三月书目上新</title><meta property=og:site_name content=城南图书馆>", "三月书目上新"),
        ("<title>监管部门发布指数基金费率新规_财经_某某网</title><h2>指数基金</h2>", "监管部门发布指数基金费率新规"),
        ("<title>基金定投怎么做 定投技巧 新手入门_某某网</title><h1>基金定投怎么做</h1>", "基金定投怎么做"),
        ("<title>三月基金新品一览 :: 城南在线</title>", "三月基金新品一览"),
        ("<title>监察法-纪检</title><div>监察法</div>", "监察法"),
        ("<title>Seelenfunk » Nummer zwei: Leo</title><h1>Seelenfunk</h1><h2>Nummer zwei: Leo</h2>", "Nummer zwei: Leo"),
        ("<title>Loan-rates: so you save | Lender</title><h1>Loan</h1>", "Loan-rates: so you save"),
        ("<title>三年定投 我学会了等待 - 某某网</title><h2>三年定投</h2>", "三年定投 我学会了等待"),
        ("<title>Rates rise — again! - The Post</title><h1>Rates rise – again</h1>", "Rates rise – again"),
        ("<title>Detail | a.example</title><meta property=og:title content=一个标题在此><h1>一个标题在此</h1>", "一个标题在此"),
        ('<title>短题目在这里_某某网</title><h1>首页的大标题</h1><h3>短题目在 这里</h3>', "短题目在 这里"),
        ('<title>Why waiting pays off for you</title><script type="application/ld+json">{"headline": "Why waiting pays"}</script><h4>Why waiting pays</h4><h1>Patience</h1>', "Why waiting pays"),
    ],
)  # fmt: skip
def test_the_title_is_whole_whatever_its_bars_blanks_and_dashes(html: str, title: str) -> None:
    assert title_of(parse(html)) == title

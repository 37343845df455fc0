"""Which blocks are the main text; whole pages stand in cases/main_*."""

import pytest

from topiccrawler.pages.main_text import main_text
from topiccrawler.pages.parse import parse

FIRST = "今年以来，公司的收入增长很快，利润也比去年多了三成，大家都很高兴。"
SECOND = "不过老板说，明年的日子可能没有那么好过，因为原料涨价了，工人也不好找。"


def lines(html: str) -> list[str]:
    return main_text(parse(html)).split("\n")


def test_without_a_sentence_worth_its_price_there_is_no_main_text() -> None:
    assert main_text(parse("<p>短。</p><ul><li>甲<li>乙</ul>")) == ""
    assert main_text(parse("")) == ""


def test_link_lists_around_the_text_are_left_out() -> None:
    links = "".join(
        f"<li><a href=/{i}>这是第{i}条很长很长的新闻标题，有逗号，也有句号。</a></li>" for i in range(9)
    )
    assert lines(f"<ul>{links}</ul><div><p>{FIRST}</p><p>{SECOND}</p></div><ul>{links}</ul>") == [
        FIRST,
        SECOND,
    ]


def test_a_list_of_titles_without_links_is_no_text() -> None:
    titles = "".join(f"<li>第{i}条新闻的标题</li>" for i in range(30))
    assert lines(f"<div><p>{FIRST}</p><p>{SECOND}</p></div><ul>{titles}</ul>") == [FIRST, SECOND]


def test_short_paragraphs_beside_the_text_in_its_element_belong_to_it() -> None:
    assert lines(
        f"<div>标题栏</div><div><p>导语</p><p>{FIRST}</p><p>{SECOND}</p><p>（完）</p></div><div>分享</div>"
    ) == [
        "导语",
        FIRST,
        SECOND,
        "（完）",
    ]


@pytest.mark.parametrize("name", ["sidebar", "footer", "comments", "recommend", "top-nav"])
def test_prose_in_a_foreign_region_is_left_out(name: str) -> None:
    text = f"<p>{FIRST}</p><p>{SECOND}</p><p>{FIRST}</p>"
    assert lines(f"<div class=wrap><div>{text}</div><div class={name}><p>{SECOND}</p></div></div>") == [
        FIRST,
        SECOND,
        FIRST,
    ]


def test_an_element_named_like_an_article_body_beats_longer_prose_elsewhere() -> None:
    promotion = f"<div class=intro><p>{SECOND * 3}</p></div>"
    assert lines(f"<div>{promotion}<div class='article-content'><p>{FIRST * 2}</p></div></div>") == [
        FIRST * 2
    ]


def test_a_body_name_on_a_scrap_of_the_page_counts_for_nothing() -> None:
    html = f"<div class=text-content><p>一句话，很短，不是文章。</p></div><div><p>{FIRST * 3}</p><p>{SECOND * 3}</p></div>"
    assert lines(html)[-2:] == [FIRST * 3, SECOND * 3]


@pytest.mark.parametrize(
    "legal", ["Copyright © 2020 某某公司", "京ICP备12345678号-1", "某某网版权所有，未经许可不得转载。"]
)
def test_legal_lines_go_but_an_article_that_speaks_of_them_stays(legal: str) -> None:
    article = FIRST * 4 + legal + SECOND * 4
    assert lines(f"<div><p>{FIRST}</p><p>{legal}</p><p>{article}</p></div>") == [FIRST, article]


def test_links_within_a_sentence_stay_and_blocks_of_links_go() -> None:
    sentence = (
        "今年以来，<a href=/a>公司</a>的收入增长很快，<a href=/b>利润</a>也比去年多了三成，大家都很高兴。"
    )
    html = f"<div><p>{sentence}</p><p><a href=/c>相关新闻：去年的收入怎么样？</a></p><p>{SECOND}</p></div>"
    assert lines(html) == ["今年以来， 公司 的收入增长很快， 利润 也比去年多了三成，大家都很高兴。", SECOND]

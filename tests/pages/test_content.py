"""Which blocks of a Chinese page are the main text; whole pages stand in cases/main_*."""

import pytest

from topiccrawler.pages.main_text import main_text
from topiccrawler.pages.parse import parse

FIRST = "今年以来，公司的收入增长很快，利润也比去年多了三成，大家都很高兴。"
SECOND = "不过老板说，明年的日子可能没有那么好过，因为原料涨价了，工人也不好找。"
TEXT = f"<p>{FIRST}</p><p>{SECOND}</p>"
LINKS = "".join(
    f"<li><a href=/{i}>这是第{i}条很长很长的新闻标题，有逗号，也有句号。</a></li>" for i in range(9)
)
TITLES = "".join(f"<li>第{i}条新闻的标题</li>" for i in range(30))
LINKED = "今年以来，<a href=/a>公司</a>的收入增长很快，<a href=/b>利润</a>也比去年多了三成，大家都很高兴。"
LEGAL = ("Copyright © 2020 某某公司", "京ICP备12345678号-1", "某某网版权所有，未经许可不得转载。")
CASES: dict[str, tuple[str, list[str]]] = {
    "nothing": ("", []),
    "no sentence worth its price": ("<p>短。</p><ul><li>甲<li>乙</ul>", []),
    "lists of links around the text": (f"<ul>{LINKS}</ul><div>{TEXT}</div><ul>{LINKS}</ul>", [FIRST, SECOND]),
    "a list of titles without links": (f"<div>{TEXT}</div><ul>{TITLES}</ul>", [FIRST, SECOND]),
    "short paragraphs in the element of the text": (
        f"<div>标题栏</div><div><p>导语</p>{TEXT}<p>（完）</p></div><div>分享</div>",
        ["导语", FIRST, SECOND, "（完）"],
    ),
    "an element named like an article body beside longer prose": (
        f"<div class=intro><p>{SECOND * 3}</p></div><div class='article-content'><p>{FIRST * 2}</p></div>",
        [FIRST * 2],
    ),
    "links in a sentence, and a block of links": (
        f"<div><p>{LINKED}</p><p><a href=/c>相关新闻：去年的收入怎么样？</a></p><p>{SECOND}</p></div>",
        ["今年以来， 公司 的收入增长很快， 利润 也比去年多了三成，大家都很高兴。", SECOND],
    ),
    **{
        f"a foreign region: {name}": (
            f"<div class=wrap><div>{TEXT}<p>{FIRST}</p></div><div class={name}><p>{SECOND}</p></div></div>",
            [FIRST, SECOND, FIRST],
        )
        for name in ("sidebar", "footer", "comments", "recommend", "top-nav")
    },
    **{
        f"a legal line, and an article that speaks of it: {legal}": (
            f"<div><p>{FIRST}</p><p>{legal}</p><p>{FIRST * 4 + legal + SECOND * 4}</p></div>",
            [FIRST, FIRST * 4 + legal + SECOND * 4],
        )
        for legal in LEGAL
    },
}


@pytest.mark.parametrize("name", CASES)
def test_these_blocks_are_the_text(name: str) -> None:
    html, lines = CASES[name]
    assert main_text(parse(html)).split("\n") == (lines or [""])


def test_a_body_name_on_a_scrap_of_the_page_counts_for_nothing() -> None:
    html = f"<div class=text-content><p>一句话，很短，不是文章。</p></div><div><p>{FIRST * 3}</p><p>{SECOND * 3}</p></div>"
    assert main_text(parse(html)).split("\n")[-2:] == [FIRST * 3, SECOND * 3]

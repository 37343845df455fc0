"""Pages that are no Chinese articles: each kind of page in small, copies of an article, bounds."""

import pytest

from topiccrawler.pages.main_text import MOST_BLOCKS, main_text
from topiccrawler.pages.parse import parse

NAVIGATION = (
    "<header class=site-header><nav class=main-nav><ul><li><a href=/>Home</a><li><a href=/shop>Shop</a>"
    "<li><a href=/blog>Blog</a><li><a href=/about>About us</a></ul></nav></header>"
)
FOOTER = (
    "<footer class=site-footer><ul><li><a href=/privacy>Privacy policy</a><li><a href=/terms>Terms of use</a></ul>"
    "<p>Copyright 2021 Harbour Lane Ltd. All rights reserved.</p></footer>"
)
PARAGRAPHS = [
    "The ferry left the harbour at six in the morning, an hour late, and nobody on board seemed to mind.",
    "Fog had settled over the bay during the night, and the captain preferred to wait until he could see the pier.",
    "By noon the sun was out, the islands stood clear against the water, and the kitchen had run out of coffee.",
    "We stayed for three days, walked along every path the map would admit to, and found two that it would not.",
]


def page(body: str, title: str = "Three days on the islands") -> str:
    return (
        f"<html lang=en><head><title>{title}</title></head><body>{NAVIGATION}"
        f"<main id=content>{body}</main>{FOOTER}</body></html>"
    )


def paragraphs(texts: list[str]) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def entries(tag: str, name: str) -> str:
    return "".join(
        f"<{tag} class={name}><h2><a href=/{number}>Walk number {number} along the coast</a></h2><p>{text}</p></{tag}>"
        for number, text in enumerate(PARAGRAPHS * 2)
    )


KINDS = {
    "article": f"<article class=post><h1>Three days on the islands</h1>{paragraphs(PARAGRAPHS)}</article>",
    "listing": f"<h1>All walks</h1><div class=posts>{entries('article', 'post-summary')}</div>",
    "collection": f"<h1>Walks by season</h1><p>{PARAGRAPHS[0]}</p><div class=grid>{entries('div', 'card')}</div>",
    "documentation": (
        f"<h1>Timetable format</h1>{paragraphs(PARAGRAPHS[:2])}<h2>Fields</h2><table><tr><th>Name<th>Meaning</tr>"
        "<tr><td>pier<td>Where the ferry leaves, by its number on the map.</tr></table>"
        f"<pre><code>pier = 4\ndeparture = 06:00</code></pre>{paragraphs(PARAGRAPHS[2:])}"
    ),
    "forum": "<h1>Which ferry is best?</h1>"
    + "".join(
        f"<div class=post id=post{n}><div class=author>walker{n}</div><div class=message><p>{text}</p></div></div>"
        for n, text in enumerate(PARAGRAPHS)
    ),
    "product": (
        f"<div class=product><h1>Folding walking stick</h1><p class=price>$24.00</p><div class=description>"
        f"{paragraphs(PARAGRAPHS[:3])}</div><table class=specs><tr><th>Weight<td>310 g</tr></table></div>"
    ),
    "service": f"<section class=hero><h1>We plan your walk</h1><p>{PARAGRAPHS[0]}</p></section>"
    + "".join(
        f"<section class=feature><h2>Part {n}</h2><p>{text}</p></section>"
        for n, text in enumerate(PARAGRAPHS)
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_page_has_its_text_without_navigation_and_legal_lines(kind: str) -> None:
    found = main_text(parse(page(KINDS[kind])))
    held = [text for text in PARAGRAPHS if text in KINDS[kind]]
    assert [text for text in held if text not in found] == []
    assert [line for line in ("Shop", "Privacy policy", "Terms of use") if line in found.split("\n")] == []


def test_an_article_that_stands_twice_is_given_once() -> None:
    article = f"<h1>Three days on the islands</h1>{paragraphs(PARAGRAPHS)}<p>Good night.</p>"
    found = main_text(
        parse(page(f"<div class=desktop>{article}</div><div class=mobile>{article}</div>"))
    ).split("\n")
    assert [found.count(text) for text in PARAGRAPHS] == [1] * len(PARAGRAPHS)
    assert found.count("Good night.") <= 1


def test_a_chinese_article_that_stands_twice_is_given_once_and_a_refrain_stays() -> None:
    long = (
        "今年以来，公司的收入增长很快，利润也比去年多了三成，大家都很高兴，" * 2 + "明年怎么样，谁也说不好。"
    )
    article = f"<p>{long}</p><p>风来了，雨来了，花还在。</p><p>{long[3:]}</p><p>风来了，雨来了，花还在。</p>"
    found = main_text(parse(f"<div><div>{article}</div><div>{article}</div></div>")).split("\n")
    assert found == [long, "风来了，雨来了，花还在。", long[3:], "风来了，雨来了，花还在。"]


def test_a_page_of_a_word_and_one_without_any_have_no_text_or_that_word() -> None:
    assert main_text(parse("")) == ""
    assert main_text(parse("<p>word</p>")) in {"", "word"}
    assert set(main_text(parse("<a href=/>x</a>" * 3)).split("\n")) <= {"", "x x x"}


def test_blocks_past_the_bound_are_not_looked_at() -> None:
    html = (
        "<p>Rain, then sun.</p>" * MOST_BLOCKS
        + "<p>This sentence stands behind the last one that is read.</p>"
    )
    assert "behind the last one" not in main_text(parse(html))


def test_a_page_nested_past_every_bound_is_read() -> None:
    deep = "<div>" * 3_000 + paragraphs(PARAGRAPHS) + "</div>" * 3_000
    assert PARAGRAPHS[0] in main_text(parse(f"<body>{deep}</body>"))


def test_two_roots_and_text_outside_of_any_element_are_read() -> None:
    assert PARAGRAPHS[1] in main_text(
        parse(f"<html><p>{PARAGRAPHS[0]}</p></html><html>{PARAGRAPHS[1]}<p>{PARAGRAPHS[2]}</p></html>")
    )


CHINESE = (
    "<p>今天的市场上，基金定投成为越来越多投资者的选择，专家表示长期坚持才能看到效果。</p>"
    "<p>业内人士指出，投资者应根据自身的风险承受能力，选择适合自己的产品，不要盲目跟风。</p>"
    "<p>数据显示，坚持五年以上的账户中，超过八成取得了正的回报，中途停下的人则大多亏损。</p>"
)
LEAD = "记者获悉，监管部门今日发布新规，明确基金定投的收费标准，自下月一日起施行。"


@pytest.mark.parametrize(
    "article",
    [
        f"<article><header><h1>定投</h1><p>{LEAD}</p></header>{CHINESE}</article>",
        f"<article><div class=top><p>{LEAD}</p></div>{CHINESE}</article>",
        f"<article><aside class=abstract><p>{LEAD}</p></aside>{CHINESE}</article>",
        f"<article><header><p>{LEAD}</p></header><div class=article-content>{CHINESE}</div></article>",
    ],
)
def test_the_lead_of_a_chinese_article_is_text(article: str) -> None:
    text = main_text(parse(f"<body><h1>定投</h1>{article}</body>"))
    assert text.startswith(LEAD)
    assert "中途停下的人则大多亏损。" in text


def test_an_aside_within_a_chinese_article_is_none() -> None:
    aside = "<aside><p>本网站提供各类理财产品的信息，欢迎您订阅我们的电子报，每周一期。</p></aside>"
    text = main_text(parse(f"<article><h1>定投</h1>{CHINESE}{aside}</article>"))
    assert "订阅" not in text
    outside = f"<header><p>{LEAD}</p></header><article>{CHINESE}</article>"
    assert LEAD not in main_text(parse(f"<body>{outside}</body>"))


def test_the_whole_text_again_in_one_block_is_a_copy() -> None:
    texts = PARAGRAPHS * 2
    html = page(paragraphs(PARAGRAPHS) + f"<div>{' '.join(texts)}</div>")
    assert main_text(parse(html)).splitlines() == PARAGRAPHS
    other = " ".join(
        ["Nothing of this was said above, although it is as long as that and has the same sea in it."] * 7
    )
    assert main_text(parse(page(paragraphs(PARAGRAPHS) + f"<p>{other}</p>"))).splitlines() == [
        *PARAGRAPHS,
        other,
    ]

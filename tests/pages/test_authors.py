"""The authors of a page, by voice."""

import pytest

from topiccrawler.pages.authors import author_of
from topiccrawler.pages.declarations import declarations_of
from topiccrawler.pages.parse import parse

TEXT = "<p>今天的基金市场平稳，专家说长期坚持才能看到效果。</p>" * 3


def author(html: str) -> str:
    document = parse(f"<title>基金</title>{html}{TEXT}")
    return author_of(document, declarations_of(document))


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ('<script type="application/ld+json">{"@type": "Article", "author": {"@type": "Person", "name": "甲乙丙"}}</script>', "甲乙丙"),
        ('<script type="application/ld+json">{"@type": "Article", "author": "\\ud800甲乙\\udc00丙"}</script>', "甲乙丙"),
        ('<script type="application/ld+json">{"@graph": [{"@type": "Article", "author": [{"@id": "#a"}, "Bo Li"]}, {"@type": "Person", "@id": "#a", "name": "Jo Doe"}]}</script>', "Jo Doe, Bo Li"),
        ("<meta name=author content=张三>", "张三"),
        ("<meta name=DC.Creator content='Jane Doe and John Roe'>", "Jane Doe, John Roe"),
        ("<h1>基金</h1><p>by <a rel=author href=/jane>Jane Doe</a></p>", "Jane Doe"),
        ("<h1>基金</h1><span itemprop=author><meta itemprop=name content='Jane Doe'>J. D.</span>", "Jane Doe"),
        ("<h1>基金</h1><p>By Jane Doe</p>", "Jane Doe"),
        ("<h1>基金</h1><p>Von Anna Groß</p>", "Anna Groß"),
        ("<h1>基金</h1><p class=byline>Erstellt von Anna Groß am 5. März</p>", "Anna Groß"),
        ("<h1>基金</h1><p>作者：甲乙丙　来源：某某网</p>", "甲乙丙"),
        ("<h1>基金</h1><p>作　者：甲乙丙、丁戊</p>", "甲乙丙, 丁戊"),
        ("<h1>基金</h1><p>文／陳大文</p>", "陳大文"),
        ("<h1>基金</h1><p>（记者 王小明 李四）</p>", "王小明, 李四"),
        ("<p>责任编辑：张三</p>", "张三"),
        ("<meta name=author content=甲乙丙><p>责任编辑：张三</p>", "甲乙丙"),
    ],
)  # fmt: skip
def test_each_voice_names_the_author(html: str, name: str) -> None:
    assert author(html) == name


@pytest.mark.parametrize(
    "html",
    [
        "<meta property=article:author content=https://www.facebook.example/anyone>",
        "<meta name=author content=12345>",
        "<meta name=author content='{{author}}'>",
        "<meta name=author content=admin>",
        "<meta name=author content=me@site.example>",
        "<meta name=author content=某某网><meta property=og:site_name content=某某网>",
        '<script type="application/ld+json">{"@type": "Article", "author": {"@type": "Organization", "name": "某某社"}}</script>',
        "<div class=comments><a rel=author>网友甲</a></div>",
        "",
    ],
)
def test_what_is_no_name_of_a_person_is_no_author(html: str) -> None:
    assert author(html) == ""

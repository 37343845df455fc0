"""The whole way from HTML to Document; the rules of one page each stand in cases/."""

import time

import pytest

from topiccrawler.pages.parse import MOST_CHARACTERS, parse


def test_text_is_one_line_with_a_boundary_at_each_block_and_link_end() -> None:
    html = "<div>一<p>二<b>三</b> 四</p>五<a href=/>六</a>七</div><ul><li>八<li><a href=/>九</a></ul>"
    assert parse(html).text == "|一|二三 四|五|六|七|八|九|"


def test_text_of_a_scripted_link_is_link_text_but_no_anchor() -> None:
    document = parse("<p>甲<a onclick=x>乙</a></p>")
    assert document.anchors == []
    assert [(document.text[start:end], in_link) for start, end, _, in_link, _ in document.runs] == [
        ("甲", False),
        ("乙", True),
    ]


@pytest.mark.parametrize(
    "html", ["", " ", "\0", "<", "<!--", "</p>", "\ud800<p>字", "<html>", "<frameset>", "&#55296;"]
)
def test_what_is_hardly_a_page_gives_an_empty_document(html: str) -> None:
    document = parse(html)
    assert document.anchors == []
    assert document.text.strip("|字\ufffd<\0") == ""


HOSTILE = {
    "nested blocks": "<div>" * 400_000,
    "nested lists": "<ul><li>" * 250_000,
    "nested forms": "<form><div>" * 180_000,
    "nested tables": "<table><tr><td>" * 130_000,
    "unclosed formatting": "<p>" + "".join(f"<b id={i}>" for i in range(20_000)) + "</p>" + "<p>x" * 300_000,
    "formatting closed too late": "<p>"
    + "".join(f"<i id={i}>" for i in range(9_000))
    + "</p>"
    + "<p>x" * 90_000
    + "</i>" * 9_000,
    "attributes": "<div " + "".join(f"a{i}=1 " for i in range(200_000)) + ">",
    "comments": "<!--" * 500_000,
    "angle brackets": "<" * 2_000_000,
    "links": "<a href=x>y" * 180_000,
    "frames": "<frameset><frame src=x>" * 80_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_two_megabytes_of_hostile_markup_cost_seconds_at_most(name: str) -> None:
    started = time.process_time()
    document = parse(HOSTILE[name][:MOST_CHARACTERS])
    assert time.process_time() - started < 10  # about one second; without the nesting limit it is minutes
    assert len(document.anchors) <= 5_000


def test_a_page_whose_text_stands_in_noscript_is_read_there() -> None:
    thread = "".join(
        f"<p>Post {number}: the ferry leaves at six, and nobody minds.</p>" for number in range(20)
    )
    page = f"<body><div id=app></div><noscript><a href=/next>next</a>{thread}<iframe src=/count></noscript></body>"
    read = parse(page)
    assert read.text.count("the ferry leaves") == 20
    assert [anchor.href for anchor in read.anchors] == ["/next"]
    scripted = parse(page.replace("<div id=app>", "<div id=app>" + "<p>Rendered text.</p>" * 100))
    assert "ferry" not in scripted.text


def test_what_is_left_open_in_noscript_swallows_nothing() -> None:
    assert parse("<p>a</p><noscript><iframe src=/count></noscript><p>b</p>").text == "|a|b|"
    assert parse("<p>a</p><NOSCRIPT>x</NOSCRIPT><p>b</p>").text == "|a|b|"


@pytest.mark.slow
def test_noscript_tags_without_end_cost_no_more_than_their_characters() -> None:
    for tag in ("<noscript>", "<noscript", "<NOSCRIPT>", "<noscript>x</"):
        parse(tag * 100_000 + "<p>a</p>")

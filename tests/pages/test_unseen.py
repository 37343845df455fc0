"""What no reader sees is not read; what readers get to see is. Links in what is hidden are found."""

import time

import pytest

from topiccrawler import read
from topiccrawler.pages.main_text import main_text
from topiccrawler.pages.parse import parse

TEXT = (
    "<p>今天的市场上，定投成为越来越多投资者的选择，专家表示长期坚持才能看到效果。</p>"
    "<p>业内人士指出，投资者应根据自身的风险承受能力，选择适合自己的产品，不要盲目跟风。</p>"
    "<p>数据显示，坚持五年以上的账户中，超过八成取得了正的回报，中途停下的人则大多亏损。</p>"
)


def page(extra: str) -> str:
    return f"<html><head><title>定投</title></head><body><h1>定投</h1><div class=t_f>{TEXT}{extra}</div></body></html>"


STYLED = [
    "",
    '<b style="color:red"></b>' * 200,
]  # few and many elements with a style are found by different queries


@pytest.mark.parametrize("styled", STYLED)
@pytest.mark.parametrize(
    "noise",
    [
        '<font class="jammer">x7 Q!</font>',
        '<span style="display:none">x7 Q!</span>',
        "<i style='DISPLAY : NONE'>x7 Q!</i>",
        "<span hidden>x7 Q!</span>",
        '<font style="font-size:0px;color:#FFF">x7 Q!</font>',
        '<span style="font-size: 0">x7 Q!</span>',
        '<span style="visibility:hidden">x7 Q!</span>',
        '<font style="color:#fff">x7 Q!</font><br>',
    ],
)
def test_noise_between_sentences_is_not_read(noise: str, styled: str) -> None:
    text = main_text(parse(page(f"<p>我坚持定投已经三年了，{noise}收益还算不错。</p>{styled}")))
    assert "Q!" not in text
    if "<br>" not in noise:
        assert "我坚持定投已经三年了，收益还算不错。" in text


@pytest.mark.parametrize("styled", STYLED)
@pytest.mark.parametrize(
    "displayed",
    [
        '<p style="font-size:0.9em">{}</p>',
        '<span style="font-size:0.95rem">{}</span>',
        '<span style="color:#fff;background:#c00">{}</span>',
        '<div style="visibility:hidden">{}</div>',
        '<div style="opacity:0">{}</div>',
        '<div class="tab-pane" style="display:none">{}</div>',
        '<div role="tabpanel" hidden>{}</div>',
        '<div class="tabs"><div style="display:none">{}</div></div>',
        '<span id="more" style="display:none">{}</span>',
        '<p hidden="until-found">{}</p>',
        "<details><summary>问</summary><p>{}</p></details>",
    ],
)
def test_what_readers_get_to_see_is_read(displayed: str, styled: str) -> None:
    sentence = "我坚持定投已经三年了，收益还算不错，今天和大家分享一下。"
    document = parse(page(displayed.format(sentence) + styled))
    assert sentence in document.text
    assert document.unseen_nodes == []


def test_a_page_that_a_script_shows_is_read() -> None:
    html = page("").replace("<div class=t_f>", '<div style="display:none">' + TEXT * 5)
    assert "业内人士指出" in main_text(parse(html))


def test_a_hidden_menu_has_links_and_no_main_text() -> None:
    menu = '<ul style="display:none"><li>请先登录您的账户，然后就可以阅读全文。<a href="/login">登录</a></li></ul>'
    found = read(page(menu).encode(), "http://a.example/")
    assert [(link.url, link.anchor) for link in found.links] == [("http://a.example/login", "登录")]
    assert "请先登录" not in found.text
    assert "业内人士指出" in found.text


def test_ruby_does_not_split_words() -> None:
    ruby = "<p><ruby>基<rp>(</rp><rt>jī</rt><rp>)</rp>金<rp>(</rp><rt>jīn</rt><rp>)</rp></ruby>定投，今天从这里讲起，请先看第三页。</p>"
    assert "基金定投，今天从这里讲起" in main_text(parse(page(ruby)))
    plain = page("<p>基金定投，今天从这里讲起，请先看第三页。</p>")
    relevant = [read(html.encode(), topic="finance").relevance for html in (page(ruby), plain)]
    assert relevant[0] == relevant[1]


def test_a_formula_is_read_once() -> None:
    mathml = (
        '<math><semantics><mrow><mi>α</mi><mo>≤</mo><mi>β</mi></mrow><annotation encoding="application/x-tex">\\alpha'
        "</annotation></semantics></math>"
    )
    katex = f'<span class="katex"><span class="katex-mathml">{mathml}</span><span class="katex-html" aria-hidden="true">α≤β</span></span>'
    wiki = f'<span class="mwe-math-element"><span style="display: none;">{mathml}</span><img alt="x"></span>'
    layout = '<span class="katex"><span class="katex-html" aria-hidden="true">α≤β</span></span>'
    for formula in (katex, wiki, layout):
        text = main_text(parse(page(f"<p>收益的区间为{formula}，风险由投资者自己承担。</p>")))
        assert text.count("α≤β") == 1, formula
        assert "alpha" not in text


def test_characters_of_no_width_do_not_split_words() -> None:
    html = "<title>基\u200b金定\u200b投</title><p>基\u200b金<span>&#8203;</span>定\u200c投 co&shy;operate 👨\u200d👩\u200d👧 शुल्\u200dक<a href=/x>基\u2060金</a>"
    document = parse(html)
    assert document.title_tag == "基金定投"
    assert document.text == "|基金定投 cooperate 👨\u200d👩\u200d👧 शुल्\u200dक|基金|"
    anchor = document.anchors[0]
    assert document.text[anchor.start : anchor.end] == "基金"


def test_nested_hidden_elements_cost_little() -> None:
    html = "<div hidden>" * 3000 + "<p>x</p>" * 3000 + "</div>" * 3000
    started = time.process_time()
    parse(html)
    parse("<span hidden>x <b style='display:none'>y</b></span>" * 20_000)
    assert time.process_time() - started < 5

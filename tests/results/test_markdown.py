"""A page's main text as Markdown: its structure, in its order, and nothing of its markup that acts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from topiccrawler.pages.main_text import main_text
from topiccrawler.pages.parse import parse
from topiccrawler.results.markdown import DEEPEST, MOST_BLOCKS, markdown_of
from topiccrawler.text.characters import decode

ASIDE = "<div class=nav><a href=/>首页</a> <a href=/b>更多</a></div>"
FIRST = "基金定投是指在固定的时间以固定的金额投资到指定的开放式基金中，类似于银行的零存整取方式。"
LAST = "投资有风险，入市需谨慎，请您在投资之前仔细阅读基金合同，并且了解自己能够承受的损失。"

NUMBERED = (
    "<figure class=highlight><table><tr><td class=gutter><pre><span class=line>1</span><br><span class=line>2</span></pre>"
    "<td class=code><pre><span class=line>int a;</span><br><span class=line>  int b;</span></pre></table></figure>"
)


def page(body: str) -> str:
    return f"<html><head><title>基金</title></head><body>{ASIDE}<div class=article-content><p>{FIRST}</p>{body}<p>{LAST}</p></div></body></html>"


def markdown(body: str, *, links: bool = False) -> str:
    """Of what stands between the first and the last paragraph."""
    html = page(body)
    text, has_structure = markdown_of(main_text(parse(html)), html, "http://a.cn/x/1", links=links)
    assert has_structure
    assert text.startswith(f"{FIRST}\n\n")
    assert text.endswith(LAST)
    return text.removeprefix(FIRST).removesuffix(LAST).strip("\n")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>第一步：<b>开户</b></h2><h3>风险测评</h3>", "## 第一步：**开户**\n\n### 风险测评"),
        (
            "<ol><li>开户，由本人完成。<li>选择基金<ul><li>股票型基金，波动大。<li>债券型基金，波动小。</ul></ol>",
            "1. 开户，由本人完成。\n2. 选择基金\n   - 股票型基金，波动大。\n   - 债券型基金，波动小。",
        ),
        (
            "<table><tr><th>年份<th>收益|净值<tr><td>2023<td>5.1%<tr><td>2024<td></table>",
            "| 年份 | 收益\\|净值 |\n| --- | --- |\n| 2023 | 5.1% |\n| 2024 |  |",
        ),
        (
            "<table><tr><td><p>整页都在一个表格里，这是以前的排版方法。</p><h2>标题</h2><td>右边</table>",
            "整页都在一个表格里，这是以前的排版方法。\n\n## 标题\n\n右边",
        ),
        (
            '<pre><code class="language-python">def f(x):\n    # ``` 注释 *\n\n    return x &lt; 2\n</code></pre>',
            "````python\ndef f(x):\n    # ``` 注释 *\n\n    return x < 2\n````",
        ),
        (NUMBERED, "```\nint a;\n  int b;\n```"),
        ("<blockquote><p>引用的话，出自基金合同。</p></blockquote>", "> 引用的话，出自基金合同。"),
        ("<p>计算用变量 <code>a_b</code>，见<em>下文</em>。</p>", "计算用变量 `a_b`，见*下文*。"),
        ("第一段的话。<br><br>第二段的话。<br>第三行。", "第一段的话。\n\n第二段的话。\n第三行。"),
        ("<p>公式 \\(x_i\\) 与 2 * 3，snake_case</p>", "公式 \\(x_i\\) 与 2 * 3，snake_case"),
    ],
    ids=["headings", "lists", "table", "layout", "code", "numbered code", "quote", "inline", "breaks", "plain"],
)  # fmt: skip
def test_structure_is_kept_in_order(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_links_are_kept_on_request_and_only_addresses_of_pages() -> None:
    html = (
        "<p>详见<a href='../a_(1)'>说明</a>，<a href='javascript:alert(1)'>点击</a>，"
        "<a href='data:text/html,x'>这里</a>，<a href='https://b.cn/?q=%22>)'>那里</a>。</p>"
    )
    assert markdown(html) == "详见说明，点击，这里，那里。"
    linked = "详见[说明](http://a.cn/a_%281%29)，点击，这里，[那里](https://b.cn/?q=%22%3E%29)。"
    assert markdown(html, links=True) == linked


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("&lt;script&gt;alert(1)&lt;/script&gt; 的写法", "\\<script>alert(1)\\</script> 的写法"),
        ("&lt;<span>img src=x onerror=y&gt; 的写法", "\\<img src=x onerror=y> 的写法"),
        ("\\&lt;b&gt; 的写法", "\\\\\\<b> 的写法"),
        ("[点击](javascript:alert(1)) 的写法", "[点击\\](javascript:alert(1)) 的写法"),
        ("![图]<span>(http://x/y.png) 的写法", "![图\\](http://x/y.png) 的写法"),
        ("# 不是标题 *不是强调* `不是代码`", "\\# 不是标题 \\*不是强调* \\`不是代码\\`"),
        ("3 < 5 且 &amp;lt; 是实体", "3 < 5 且 \\&lt; 是实体"),
        (
            "<span onclick=alert(1) style='x'>属性<script>alert(1)</script><iframe src=//x></iframe></span>的写法",
            "属性的写法",
        ),
    ],
)
def test_no_html_goes_through_and_text_stays_text(html: str, expected: str) -> None:
    assert markdown(f"<p>{html}</p>") == expected


def test_only_the_main_text_is_in_it_also_of_a_text_that_is_repeated_elsewhere() -> None:
    html = page("<ul><li>首页<li>更多</ul>")
    text = "\n".join(line for line in main_text(parse(html)).split("\n") if line != "更多")
    assert markdown_of(text, html) == (f"{FIRST}\n\n- 首页\n\n{LAST}", True)


def test_without_the_page_or_with_another_one_lines_are_paragraphs() -> None:
    text = f"{FIRST}\n# 一行 <b>\n{LAST}"
    plain = (f"{FIRST}\n\n\\# 一行 \\<b>\n\n{LAST}", False)
    assert markdown_of(text) == plain
    assert markdown_of(text, "<p>别的页面，没有这些话，也没有那些话。") == plain
    assert markdown_of("", "<p>x") == ("", False)


@pytest.mark.parametrize("charset", ["gb18030", "big5hkscs", "utf-8"])
def test_pages_of_any_charset_and_script(charset: str) -> None:
    first = "定期定額是指在固定的時間以固定的金額投資到指定的開放式基金中，類似於銀行的零存整付方式。"
    html = f"<div class=post-content><h2>基金</h2><p>{first}</p><ul><li>{first}</ul></div>"
    read, name = decode(html.encode(charset), charset)
    assert name == charset
    assert markdown_of(main_text(parse(read)), read) == (f"## 基金\n\n{first}\n\n- {first}", True)


def test_hostile_pages_cost_little() -> None:
    deep = page(f"{'<div><blockquote><b>' * 5_000}{FIRST}")
    assert FIRST in markdown_of(main_text(parse(deep)), deep)[0]
    nested = page(f"{'<ul><li>a' * (2 * DEEPEST)}")
    assert FIRST in markdown_of(main_text(parse(nested)), nested)[0]
    row = "<tr><td colspan=1000>一二三，四五六。<td colspan=1000>七八九。"
    wide = page(f"<table>{row * 500}</table>")
    assert len(markdown_of(main_text(parse(wide)), wide)[0]) < 2 * len(wide)
    items = "".join(f"<li>第{n}项，一共有很多项，每一项都是一句话。" for n in range(MOST_BLOCKS))
    many = page(f"<ul>{items}</ul>")
    text, has_structure = markdown_of(main_text(parse(many)), many)
    assert (has_structure, text.count("\n\n")) == (False, MOST_BLOCKS + 1)


PIECES = st.sampled_from([
    "基金定投", "，", "。", " ", "\n", "<", ">", "&", ";", "#", "script", "/", "!", "--", "[", "]", "(", ")", "javascript:x", "http://b.cn/",
    "\\", "`", "*", "_", "|", "-", "1.", "~~~", "<b>", "</b>", "<p>", "<li>", "<td>", "<a href='javascript:x'>", "<code>", "</code>", "<pre>", "</pre>",
    "<br>", "<span>", "</span>", "<img src=x onerror=y>", "<table><tr>", "</table>", "&lt;", "&gt;", "&amp;", "&#60;", "&quot;",
])  # fmt: skip


@given(st.lists(PIECES, max_size=30))
def test_whatever_a_page_has_a_renderer_finds_no_html_and_no_address_but_http(pieces: list[str]) -> None:
    html = page("".join(pieces))
    for whole, links in ((html, True), ("", False)):
        text, _ = markdown_of(main_text(parse(html)), whole, "http://a.cn/", links=links)
        tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
        flat = [one for token in tokens for one in (token, *(token.children or ()))]
        assert [one.content for one in flat if one.type.startswith("html")] == []
        linked = [one for one in flat if one.type in {"link_open", "image"}]
        hrefs = [str(one.attrGet("href") or one.attrGet("src")) for one in linked]
        assert [href for href in hrefs if not href.startswith("http://")] == []

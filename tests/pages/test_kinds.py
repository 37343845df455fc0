"""Kinds of page: small pages of our own, each of one kind, with the traps that make them look like another."""

from collections.abc import Callable, Sequence

import pytest

from topiccrawler.pages.kinds import ARTICLE, LIST, STUB, kind_of
from topiccrawler.pages.read import ContentReader
from topiccrawler.read_page import read

SENTENCE = "定投把每月的一笔钱分批买进，价格高时份额少，价格低时份额多，久而久之成本就被摊平了。"
TRADITIONAL = "定期定額把每月的一筆錢分批買進，價格高時單位少，價格低時單位多，久而久之成本就被攤平了。"
ENGLISH = "A fund that follows an index buys what the index has, so its fees are low and its results are those of the market. "
LICENCE = "本博客所有文章除特别声明外，均采用 CC BY-NC-SA 4.0 许可协议，转载请注明来自本站，并附上原文链接，违者必究。"
TITLES = [
    f"{year}年{what}的收益与费用比较" for year in range(2012, 2024) for what in ("基金", "债券", "黄金")
]


def page(title: str, body: str, head: str = "") -> str:
    return f"<html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{body}</body></html>"


def links(titles: Sequence[str], tag: str = "li") -> str:
    return "".join(f"<{tag}><a href='/post/{at}.html'>{title}</a></{tag}>" for at, title in enumerate(titles))


def paragraphs(sentence: str, count: int) -> str:
    return "".join(f"<p>{sentence * 2}第{number}点。</p>" for number in range(count))


def teasers(titles: Sequence[str], excerpt: str, more: str = "") -> str:
    button = f"<a href='/post/x.html'>{more}</a>" if more else ""
    return "".join(
        f"<div class=item><h2><a href='/post/{at}.html'>{title}</a></h2><p>{excerpt}</p>{button}</div>"
        for at, title in enumerate(titles)
    )


ARTICLES = {
    "plain article": (
        "http://a.cn/2021/03/04/dingtou.html",
        page("定投入门", f"<h1>定投入门</h1>{paragraphs(SENTENCE, 6)}"),
    ),
    "without a telling address": (
        "http://a.cn/wo-de-dingtou",
        page("我的定投", f"<h1>我的定投</h1>{paragraphs(SENTENCE, 5)}"),
    ),
    "many related links behind the text": (
        "http://a.cn/news/8812345.html",
        page("定投入门", f"<h1>定投入门</h1>{paragraphs(SENTENCE, 3)}<div><h3>相关阅读</h3><ul>{links(TITLES)}</ul></div>"),
    ),
    "related articles as linked headings": (
        "http://a.cn/a/190513221542485.html",
        page("定投入门", f"<h1>定投入门</h1>{paragraphs(SENTENCE, 4)}{links(TITLES[:12], 'h2')}"),
    ),
    "short news of eighty characters": (
        "http://a.cn/2019-10-05/doc-ix77120.shtml",
        page("央行降息", f"<h1>央行降息</h1><p>央行今日宣布下调基准利率零点二五个百分点，自下周一起执行。</p><p>分析师认为，此举有利于降低企业融资成本，债券基金的净值有望小幅上升，投资者不必恐慌。</p><ul>{links(TITLES[:9])}</ul>"),
    ),
    "two sentences in a diary": (
        "http://a.cn/posts/a1817c71.html",
        page("学习", f"<article><h1>学习</h1><p>热点地图很有用。</p><p>低位筹码还不够密集。</p></article><p>{LICENCE}</p>", "<meta property=og:type content=article>"),
    ),
    "thread of a forum": (
        "http://bbs.a.cn/thread-21882-1-1.html",
        page("定投亏了怎么办", "<h1>定投亏了怎么办</h1>" + "".join(
            f"<div class=post><a href=/u/{at}>用户{at}</a> <span>{at}楼</span><p>我也定投了{at}年，中间亏过两次，现在总算回本了。</p></div>" for at in range(1, 9))),
    ),
    "question with answers": (
        "http://wen.a.cn/question/300117",
        page("基金怎么买", f"<h1>基金怎么买？</h1><div class=answer><p>{SENTENCE}</p></div><div class=answer><p>{SENTENCE * 3}</p></div>"),
    ),
    "below a folder called archives": (
        "http://a.cn/archives/65/",
        page("友情链接", f"<h1>只在首页显示友情链接</h1>{paragraphs(SENTENCE, 3)}", "<meta property=og:type content=article>"),
    ),
    "numbered below archives, without a declaration": (
        "http://a.cn/shanren/archives/26",
        page("酒店迎来旺季", f"<h1>酒店迎来旺季</h1>{paragraphs(SENTENCE, 3)}"),
    ),
    "file of an institution named index": (
        "http://bank.cn/personal/gold/index.html",
        page("黄金买卖业务", f"<h1>黄金买卖业务</h1>{paragraphs('个人客户可以通过网上银行买卖黄金，成色不低于千分之九百九十九。', 8)}<ul>{links(['存款业务', '贷款业务', '理财业务'])}</ul>"),
    ),
    "in traditional characters": (
        "http://a.tw/post/1612943303/",
        page("定期定額", f"<h1>定期定額入門</h1>{paragraphs(TRADITIONAL, 4)}"),
    ),
    "in English": (
        "https://a.example/blog/index-funds",
        page("Index funds", f"<h1>Index funds</h1>{'<p>' + ENGLISH * 3 + '</p>'}{'<p>' + ENGLISH * 2 + '</p>'}<ul>{links(['How to buy a fund', 'Fees compared', 'Bonds or funds'])}</ul>"),
    ),
}  # fmt: skip

LISTS = {
    "front page with excerpts": (
        "http://a.cn/",
        page("小站", f"<h1>小站</h1>{teasers(TITLES[:8], SENTENCE * 2, '阅读全文')}"),
    ),
    "front page with whole articles": (
        "http://a.cn/index.html",
        page("小站", "".join(f"<article><h2><a href=/p/{at}>{title}</a></h2>{paragraphs(SENTENCE, 4)}</article>" for at, title in enumerate(TITLES[:5]))),
    ),
    "tag with one article": ("http://a.cn/tags/%E5%AE%9A%E6%8A%95/", page("标签: 定投", "<h1>定投</h1><p>03-04 <a href=/2021/03/04/x/>定投入门</a></p>")),
    "tag in Chinese, whole text": (
        "http://a.cn/%E6%A0%87%E7%AD%BE/%E5%9F%BA%E9%87%91",
        page("基金", f"<article><h2><a href=/2021/3/4/x>定投入门</a></h2>{paragraphs(SENTENCE, 6)}</article>", "<meta property=og:type content=article>"),
    ),
    "category": ("http://a.cn/categories/finance/page/2/", page("分类: 理财", f"<ul>{links(TITLES[:10])}</ul>")),
    "category in traditional characters": ("http://a.tw/%E5%88%86%E9%A1%9E/%E8%82%A1%E7%A5%A8/", page("股票 分類", f"<ul>{links(['定期定額入門', '買進的時機'])}</ul>")),
    "archive of a year": ("http://a.cn/archives/2019/", page("归档", f"<h2>2019</h2><ul>{links(TITLES[:20])}</ul>")),
    "archive of a month by its address": ("http://a.cn/2019/03/", page("三月 2019 – 小站", teasers(TITLES[:4], SENTENCE))),
    "numbered page with long excerpts": ("http://a.cn/page/5/", page("小站", teasers(TITLES[:10], SENTENCE * 8, "继续阅读"))),
    "channel of a portal": (
        "http://finance.a.cn/fund/",
        page("基金频道", f"<ul>{links(TITLES)}</ul><div>{teasers(TITLES[:3], SENTENCE[:30], '[详细]')}</div>"),
    ),
    "list of news by number": ("http://a.cn/news/list_8_62085.shtml", page("要闻", f"<ul>{links(TITLES[:25])}</ul><p><a href=list_8_62086.shtml>下一页</a></p>")),
    "forum": ("http://bbs.a.cn/forum-12.html", page("理财版", f"<table>{''.join(f'<tr><td><a href=/thread-{at}.html>{title}</a><td>12 回复</tr>' for at, title in enumerate(TITLES))}</table>")),
    "search results in English": ("https://a.example/search?q=fund", page("Search results for fund", teasers(["Index funds", "Bond funds", "Fees of funds"], ENGLISH, "Read more"))),
}  # fmt: skip

STUBS = {
    "licence box alone": ("http://a.cn/p/68bb.html", page("直观理解指数", f"<h1>直观理解指数</h1><p>{LICENCE}</p>")),
    "form for a password": (
        "http://a.cn/2022/01/02/secret/",
        page("日记", "<article><h1>日记</h1><p>这里有东西被加密了，需要输入密码查看哦。</p><form><input type=password><button>提交</button></form></article>", "<meta property=og:type content=article>"),
    ),
    "form for a password in traditional characters": ("http://a.tw/post/77/", page("日記", "<h1>日記</h1><p>此文章受密碼保護，請輸入密碼。</p><input type=password>")),
    "login": ("http://a.cn/login", page("登录", "<form>登录名：<input name=u> 密码：<input type=password> <a href=/reg>注册</a> <a href=/lost>忘记密码</a></form>")),
    "gallery without words": (
        "http://photo.a.cn/photo/c135983-99-2.html",
        page("风景", "<h1>风景</h1>" + "".join(f"<img src={at}.jpg>" for at in range(30)) + "<p>1/30</p><a href=2.html>下一张</a>"),
    ),
    "photograph with tags": ("http://a.cn/2022/08/28/photo-02/", page("【02】", "<article><h1>【02】</h1><img src=1.jpg><a href=/tags/1>上海</a> <a href=/tags/2>彩色</a></article>", "<meta property=og:type content=article>")),
    "list that is still empty": ("http://a.cn/message/", page("留言", "<h1>留言</h1><p>暂无内容</p>")),
    "page that does not exist": ("http://a.cn/gone-away", page("404 Not Found", "<h1>404</h1><p>页面不存在</p><a href=/>返回首页</a>")),
    "empty": ("http://a.cn/u/6107668819", page("", "")),
    "password in English": ("https://a.example/private-notes", page("Private", "<h1>Private</h1><p>This content is password protected. Enter the password:</p><input type=password>")),
}  # fmt: skip


CASES = {
    f"{kind}: {name}": (kind, *case)
    for kind, cases in ((ARTICLE, ARTICLES), (LIST, LISTS), (STUB, STUBS))
    for name, case in cases.items()
}


@pytest.mark.parametrize("name", CASES)
def test_a_page_is_of_its_kind_in_any_charset(name: str) -> None:
    kind, url, html = CASES[name]
    assert read(html.encode(), url, "text/html; charset=utf-8").kind == kind
    body = html.replace("charset=utf-8", "charset=gbk").encode("gb18030")
    assert read(body, url, "text/html").kind == kind


def test_what_the_site_repeats_is_no_text_of_a_page() -> None:
    notice = "小站的每一篇文字都是作者在夜里写下的，如果喜欢，请告诉你的朋友，也欢迎来信交流。" * 3
    content = ContentReader().content(
        "http://a.cn/about-x", page("某页", f"<h1>某页</h1><p>{notice}</p>").encode()
    )
    asked = content.document, content.main_text, content.url, content.title
    assert kind_of(*asked) == ARTICLE
    assert kind_of(*asked, repeated={notice}) == STUB


@pytest.mark.parametrize(
    ("form", "text", "wanted"),
    [
        ("feed", SENTENCE * 20, LIST),
        ("sitemap", "", LIST),
        ("pdf", SENTENCE * 20, ARTICLE),
        ("docx", "第一章", ARTICLE),
        ("pdf", " \n", STUB),
    ],
)
def test_a_format_that_is_no_html(form: str, text: str, wanted: str) -> None:
    content = ContentReader().content("http://a.cn/x", b"")
    assert kind_of(content.document, text, "http://a.cn/x", form=form) == wanted


@pytest.mark.parametrize(
    "make",
    [
        lambda: "a" * 2_000_000,
        lambda: "<p>，" * 200_000,
        lambda: "<h2><a href=/x>" * 50_000,
        lambda: f'<script type="application/ld+json">{"@type" * 300_000}',
        lambda: "<a href=/list>更多</a>" * 100_000,
    ],
)
def test_a_hostile_page_costs_little(make: Callable[[], str]) -> None:
    content = ContentReader().content("http://a.cn/" + "list-" * 400, page("第" * 9_000, make()).encode())
    from time import process_time

    began = process_time()
    kind_of(content.document, content.main_text, content.url, content.title)
    assert process_time() - began < 0.5

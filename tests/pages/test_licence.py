"""The licence that a page declares for itself: its canonical form, its evidence, and what is no licence of the page."""

import pytest

from topiccrawler.pages.metadata import facts_of
from topiccrawler.pages.parse import parse

BY_SA = "CC-BY-SA-4.0; url=https://creativecommons.org/licenses/by-sa/4.0/"
DEED = "https://creativecommons.org/licenses/by-sa/4.0/deed.zh"
TEXT = "<p>基金定投是指在固定的时间以固定的金额投资到指定的基金中，适合没有时间打理的人。</p>" * 3


def licence(body: str = "", head: str = "") -> str:
    html = f"<html><head><title>基金</title>{head}</head><body><article><h1>基金</h1>{TEXT}</article>{body}</body></html>"
    document = parse(html)
    return facts_of(document, TEXT, "http://a.cn/1").licence


def linked(license: str) -> str:  # noqa: A002
    return f'<script type="application/ld+json">{{"@type": "Article", "license": {license}}}</script>'


@pytest.mark.parametrize(
    ("href", "found"),
    [
        (DEED, BY_SA),
        ("//creativecommons.org/licenses/by-sa/4.0/", BY_SA),
        ("http://www.creativecommons.org/licenses/BY-SA/4.0/legalcode", BY_SA),
        ("https://creativecommons.org/licenses/by-nc-nd/3.0/cn/", "CC-BY-NC-ND-3.0-CN; url=https://creativecommons.org/licenses/by-nc-nd/3.0/cn/"),
        ("https://creativecommons.org/licenses/by/2.5/tw/deed.zh_TW", "CC-BY-2.5-TW; url=https://creativecommons.org/licenses/by/2.5/tw/"),
        ("https://creativecommons.org/publicdomain/zero/1.0/deed.zh-hans", "CC0-1.0; url=https://creativecommons.org/publicdomain/zero/1.0/"),
        ("https://creativecommons.org/publicdomain/mark/1.0/", "CC-PDM-1.0; url=https://creativecommons.org/publicdomain/mark/1.0/"),
        ("https://www.gnu.org/licenses/fdl-1.3.html", "GFDL-1.3; url=https://www.gnu.org/licenses/fdl-1.3.html"),
        ("https://spdx.org/licenses/ODbL-1.0.html", "ODbL-1.0; url=https://spdx.org/licenses/ODbL-1.0.html"),
        ("/copyright.html", "stated; url=http://a.cn/copyright.html"),
    ],
)  # fmt: skip
def test_a_licence_is_written_in_one_form(href: str, found: str) -> None:
    assert (
        licence(f'<p>本作品采用 <a rel="license" href="{href}">许可协议</a> 授权</p>')
        == f"{found}; source=rel=license"
    )
    assert licence(head=f'<link rel="license" href="{href}">') == f"{found}; source=rel=license"


@pytest.mark.parametrize(
    ("body", "head", "found"),
    [
        ("", linked(f'"{DEED}"'), f"{BY_SA}; source=JSON-LD"),
        ("", linked(f'{{"@type": "CreativeWork", "name": "CC", "url": "{DEED}"}}'), f"{BY_SA}; source=JSON-LD"),
        ("", linked(f'["CC BY 4.0", "{DEED}"]'), "CC-BY-4.0; source=JSON-LD"),
        ("", f'<meta name="dcterms.license" content="{DEED}">', f"{BY_SA}; source=meta dcterms.license"),
        ("", '<meta name="DC.rights" content="CC BY-SA 4.0">', "CC-BY-SA-4.0; source=meta dc.rights"),
        ("", '<meta name="DC.rights" content="知识共享 署名-非商业性使用-相同方式共享 4.0 国际">', "CC-BY-NC-SA-4.0; source=meta dc.rights"),
        ("", '<meta name="DC.rights" content="創用CC 姓名標示-禁止改作 3.0 台灣">', "CC-BY-ND-3.0; source=meta dc.rights"),
        ("", '<meta name="rights" content="Creative Commons Attribution-NonCommercial 2.0">', "CC-BY-NC-2.0; source=meta rights"),
        ("", '<meta name="DC.rights" content="版权所有，未经许可不得转载">', "all rights reserved; source=meta dc.rights"),
        ("", '<meta name="DC.rights" content="某某出版社">', ""),
        (f'<p>本文采用 <a href="{DEED}">CC BY-SA 4.0</a> 许可协议，转载请注明出处。</p>', "", f"{BY_SA}; source=link"),
        (f'<footer><p>除特别声明外，本站图片和文字采用 <a href="{DEED}">知识共享</a> 许可。</p></footer>', "", f"{BY_SA}; source=link"),
        (f'<footer>Text is available under the <a rel="license" href="{DEED}">Creative Commons License</a>; additional terms apply.</footer>', "", f"{BY_SA}; source=rel=license"),
        (f'<p><a rel="license noopener" href="{DEED}"><img alt="CC" src=/cc.png></a><br>This work is licensed under a <a href="{DEED}">CC licence</a>.</p>', "", f"{BY_SA}; source=rel=license"),
        (f'<div class="license-box"><div><a href="{DEED}">BY SA</a></div></div>', "", f"{BY_SA}; source=link"),
        (f'<blockquote><ul class="post-copyright"><li>版权声明：<a href="{DEED}">CC</a>，转载请注明出处</li></ul></blockquote>', "", f"{BY_SA}; source=link"),
        (f'<aside class="sidebar"><div class="cc-license"><a href="{DEED}"><img alt="CC" src=/cc.png></a></div></aside>', "", f"{BY_SA}; source=link"),
        (f'<footer><div>© 2008-2020 王五 <a href="{DEED}">CC BY-SA 4.0</a></div></footer>', "", f"{BY_SA}; source=link"),
        (f'<p>本文采用 <a rel="license" href="{DEED}">CC</a></p>', linked('"/rights"'), f"{BY_SA}; source=rel=license"),
        (f'<div class="widget"><p>本博客采用 <a rel="license" href="{DEED}">CC</a> 协议</p></div>', "", f"{BY_SA}; source=rel=license"),
        (f'<p>本文采用 <a rel="license" href="{DEED}">CC</a></p>', linked('"https://creativecommons.org/licenses/by/4.0/"'), "CC-BY-4.0; url=https://creativecommons.org/licenses/by/4.0/; source=JSON-LD"),
    ],
)  # fmt: skip
def test_the_first_kind_of_evidence_counts(body: str, head: str, found: str) -> None:
    assert licence(body, head) == found


@pytest.mark.parametrize(
    "body",
    [
        f'<figure><img src=/x.jpg><figcaption>图：王五，<a rel="license" href="{DEED}">CC BY-SA</a></figcaption></figure>',
        f'<div class="wp-caption"><p>王五摄 <a rel="license" href="{DEED}">CC BY-SA</a></p></div>',
        f'<p>配图来自王五（<a rel="license" href="{DEED}">CC BY-SA 4.0</a>）</p>',
        f'<p>Photo by Wang Wu, <a rel="license" href="{DEED}">CC BY-SA 4.0</a></p>',
        f'<div id="comments"><div class="comment"><p>我的文章采用 <a rel="license" href="{DEED}">CC</a></p></div></div>',
        f'<div class="pinglun"><p>本文采用 <a rel="license" href="{DEED}">CC</a></p></div>',
        f'<div class="related"><p><a rel="license" href="{DEED}">CC</a> 另一篇文章</p></div>',
        f'<div class="video-player"><p><a rel="license" href="{DEED}">CC BY-SA</a> 第三集</p></div>',
        f'<footer><p>Theme NexT by someone, <a rel="license" href="{DEED}">CC BY-SA</a></p></footer>',
        f'<footer><p>本站主题由某某设计，<a rel="license" href="{DEED}">CC BY-SA</a></p></footer>',
        '<footer><p>Copyright 2024 <a rel="license" href="https://opensource.org/licenses/MIT">MIT</a></p></footer>',
        '<footer><p>本站由 Hugo 驱动，<a rel="license" href="https://www.apache.org/licenses/LICENSE-2.0">Apache</a></p></footer>',
        f'<p>什么是 <a href="{DEED}">CC BY-SA 4.0</a>？它是一种许可协议。</p>',
        f'<p>维基百科的文字采用 <a href="{DEED}">CC BY-SA</a>。</p>',
        f'<footer><div class="copyright">© 2020 Theme NexT <a href="{DEED}">CC</a></div></footer>',
        f'<div class="photo-license"><a rel="license" href="{DEED}">CC BY-SA</a></div>',
        f'<div id="comments"><div class="license">本文采用 <a rel="license" href="{DEED}">CC</a></div></div>',
        f'<p>Photo © Wang Wu, <a href="{DEED}">CC BY-SA 4.0</a></p>',
        f'<blockquote><p>His work is licensed under <a rel="license" href="{DEED}">CC</a></p></blockquote>',
        '<p><a href="/licenses/driving">驾照</a></p>',
        '<script type="application/ld+json">{"@type": "ImageObject", "license": "https://creativecommons.org/licenses/by/4.0/"}</script>',
        '<script type="application/ld+json">{"@type": "VideoObject", "license": "https://creativecommons.org/licenses/by/4.0/"}</script>',
        '<script type="application/ld+json">{"@type": "Article", "image": {"@type": "ImageObject", "license": "https://creativecommons.org/licenses/by/4.0/"}}</script>',
        '<script type="application/ld+json">{"@type": "Article", "comment": [{"@type": "Article", "license": "CC BY 4.0"}]}</script>',
        '<script type="application/ld+json">{"@type": "Article", "license": [[], {}, 7, null, ""]}</script>',
    ],
)  # fmt: skip
def test_what_is_said_of_something_else_is_no_licence_of_the_page(body: str) -> None:
    assert licence(body) == ""


def test_hostile_pages_cost_little() -> None:
    deep = "<div class=caption>" * 300 + f'<a rel="license" href="{DEED}">CC</a>' * 2_000
    assert licence(deep) == ""
    assert licence(f'<p>{"本文 " * 50_000}<a href="{DEED}">CC</a>{"本文 " * 50_000}</p>').startswith(
        "CC-BY-SA"
    )
    assert licence(head=f'<meta name="dc.rights" content="{"cc by-" * 5_000}">').startswith("CC-BY; source")
    assert (
        licence(
            head=f'<meta name="dc.rights" content="https://creativecommons.org/licenses/{"by-" * 5_000}/4.0/">'
        )
        != ""
    )

"""No text, repeated in any place of a page, makes a reader search the same stretch again and again."""

import json
from collections.abc import Callable
from time import process_time

import pytest

from topiccrawler import read

CHARACTERS = 50_000
MOST_SECONDS = 3.0  # the slowest takes 0.7; quadratic patterns took 8 and more
TEXT = f"<title>基金</title><h1>基金定投</h1><p>{'基金定投的理财方法与股票市场。' * 60}</p>"

PLACES: dict[str, Callable[[str], str]] = {
    "alone": lambda text: text,
    "paragraph": lambda text: f"{TEXT}<p>{text}",
    "title": lambda text: f"<title>{text}x</title>{TEXT}",
    "heading": lambda text: f"<title>基金</title><h1>{text}x</h1>{TEXT}",
    "keywords": lambda text: f'<meta name=keywords content="{text}x">{TEXT}',
    "author": lambda text: f'<meta name=author content="{text}x">{TEXT}',
    "day": lambda text: f'<meta name=pubdate content="{text}x"><time datetime="{text}x">{text}</time>{TEXT}',
    "robots": lambda text: (
        f'<meta name=robots content="{text}x"><meta name=tdm-reservation content="{text}">{TEXT}'
    ),
    "licence": lambda text: (
        f'<meta name=dc.rights content="{text}x"><p>{text}<a rel=license href="{text}">{text}</a>{text}</p>{TEXT}'
    ),
    "refresh": lambda text: f'<meta http-equiv=refresh content="{text}x">{TEXT}',
    "charset": lambda text: f'<meta http-equiv=content-type content="text/html; charset{text}x">{TEXT}',
    "script": lambda text: f"<script>{text}x</script>{TEXT}",
    "comment": lambda text: f"<!--{text}x-->{TEXT}",
    "JSON-LD": lambda text: f"<script type=application/ld+json>{{-->{text}x</script>{TEXT}",
    "values of JSON-LD": lambda text: f"<script type=application/ld+json>{_article(text)}</script>{TEXT}",
    "names": lambda text: f'<div class="{text}x" id="{text}x">{TEXT}</div>',
    "style": lambda text: f'<div style="display:none;{text}x">a</div>{TEXT}',
    "URL": lambda text: f'<base href="{text}x"><a href="{text}x">基金</a>{TEXT}',
    "anchor": lambda text: f'<a href=/x>{text}x</a><img alt="{text}x" src=a.png>{TEXT}',
    "byline": lambda text: f"<table><tr><td class=author>{text}x<td></table>{TEXT}",
    "noscript": lambda text: f"<noscript>{text}x</noscript>{TEXT}",
    "feed": lambda text: (
        f'<?xml version="1.0"?><rss><channel><item><title>{text}x</title><link>{text}x</link></item></channel></rss>'
    ),
    "sitemap": lambda text: f"<urlset><url><loc>{text}x</loc></url></urlset>",
}

PIECES = [
    *" \t\n\u3000|,，。/\\?#;&=%.-_()[]{}'\"<>:aA字１\u200b\u0301の가", "\r", "(a", "a)", "<a ", "</", " - ", "——", ", ", " ,", "//", "/../", "?a=",
    "-->", "<!--", "<![CDATA[", "<?xml ", "&#", "&a", "http://", "http://a.cn/", "%E5", "作者：", "记者张三", "发布时间", "2024-01-01 ", "2024年1月1日",
    "1 January 2024 ", "昨天", "3小时前", "by ", "|by ", "publish time 1", "charset=", "C++", "13800138000", "138-", "a@", "a.", "A12345678", "noindex,", "a:", "cc by-", "creativecommons.org/licenses/by-", "e\u0301", "<noscript>", "<script>", "<font>",
    "<b>", "<td>", "<p>", "<table>", "<template>", "<div hidden>", "<div class=comment>", "<div class=author>a", "<li><a href=a>b</a>", "<h2>a</h2>",
    "<time datetime='2024-01-01'>", "<span style='font-size:0'>a</span>", "<ruby>a<rt>b", "<math>", "<svg>", "<iframe src=a>", "<base href=a>",
]  # fmt: skip


def _article(text: str) -> str:
    value = f"{text}x"
    return json.dumps({"@type": "Article", "author": value, "headline": value, "datePublished": value})


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_a_repeated_piece_costs_little_wherever_it_is(place: str) -> None:
    seconds: dict[str, float] = {}
    for piece in PIECES:
        page = PLACES[place](piece * (CHARACTERS // len(piece))).encode("utf-8", "replace")
        began = process_time()
        read(
            page,
            "http://a.example/",
            "text/html" if page[:4] not in {b"<?xm", b"<url"} else "",
            topic="finance",
        )
        seconds[piece] = process_time() - began
    assert max(seconds.values()) < MOST_SECONDS, max(seconds, key=seconds.__getitem__)

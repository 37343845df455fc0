"""Draws one page of the plan as HTML: frame of the site, blocks of links, text.

The conflict: bodies must look like Chinese pages of several makes and cost next to nothing, because the server draws each
one anew on request and keeps none.
"""

from __future__ import annotations

from html import escape
from random import Random
from urllib.parse import unquote

from topiccrawler.demo.anchors import Block, Shown
from topiccrawler.demo.linking import blocks
from topiccrawler.demo.plan import PlannedPage, Web
from topiccrawler.demo.sentences import paragraphs, person, place
from topiccrawler.demo.sites import MIXED, UTF8, Site
from topiccrawler.demo.words import SUBJECTS, TOPICS

RARE = "𬱖"  # an editor's given name that only GB18030 among the GB family can write
_BEFORE_TEXT = frozenset({"nav", "crumb"})
_JUNK = (
    '<a href="javascript:void(0)">加入收藏</a> <a href="mailto:post@{host}">写信</a> <a href="">顶部</a> '
    '<a href="http://[内页">内页</a>'
)
_ABOUT = (
    "本站由几位朋友在{place}办起，内容只作交流。",
    "转载请写明出处；有不妥之处，请来信告诉我们。",
    "联系人：{person}。",
)


def draw(web: Web, page: PlannedPage) -> str:
    """The HTML of a page, as characters; `answers` makes bytes of it."""
    if page.kind == "front":
        return _front(page)
    dice = web.dice("body", page.url)
    shown = blocks(web, page)
    old = page.site.is_old
    before = "".join(_block(block, page, old=old) for block in shown if block.role in _BEFORE_TEXT)
    after = "".join(_block(block, page, old=old) for block in shown if block.role not in _BEFORE_TEXT)
    text = _text(web, page, dice)
    junk = _JUNK.format(host=page.site.host) if page.kind == "home" and page.site.style == "query" else ""
    body = (
        f"{before}{text}{after}<p class=foot>责任编辑：李{RARE}　{escape(page.site.name)} 版权所有 {junk}</p>"
    )
    if old:
        body = f"<table width=960 align=center><tr><td>{body}</td></tr></table>"
    return f"<!DOCTYPE html>\n<html>{_head(web, page, dice)}<body>{body}</body></html>\n"


def _head(web: Web, page: PlannedPage, dice: Random) -> str:
    site = page.site
    title = page.title if page.title.endswith(site.name) else f"{page.title}_{site.name}"
    parts = [_charset(site), f"<title>{escape(title)}</title>"]
    if page.topic != MIXED and page.kind in ("article", "list", "home"):
        nouns = dice.sample(web.nouns(site, page.topic), 3)
        parts.append(f'<meta name="keywords" content="{",".join(nouns)}">')
    if site.style == "base" and page.channel:
        parts.append(f'<base href="http://{page.channel.host}{page.channel.prefix}">')
    return f"<head>{''.join(parts)}</head>"


def _charset(site: Site) -> str:
    if site.encoding is UTF8:
        return '<meta charset="utf-8">'
    return f'<meta http-equiv="Content-Type" content="text/html; charset={site.encoding.meta}">'


def _front(page: PlannedPage) -> str:
    """A home page that is only a door: a frameset, or a refresh to the real one."""
    head = f"{_charset(page.site)}<title>{page.title}</title>"
    if page.site.kind == "frames":
        return (
            f'<html><head>{head}</head><frameset cols="160,*"><frame src="menu.html" name=menu>'
            f'<frame src="main.html" name=main></frameset></html>\n'
        )
    refresh = '<meta http-equiv="refresh" content="0; url=/main.html">'
    return f"<html><head>{head}{refresh}</head><body>正在进入……</body></html>\n"


def _text(web: Web, page: PlannedPage, dice: Random) -> str:
    """What is neither navigation nor list: the article, or the few lines other kinds have."""
    if page.kind == "about":
        lines = (line.format(place=place(dice), person=person(dice)) for line in _ABOUT)
        return f"<h1>{escape(page.title)}</h1>" + "".join(f"<p>{line}</p>" for line in lines)
    if page.kind in ("menu", "members", "category", "month"):
        return f"<h1>{escape(page.title)}</h1>"
    if page.topic == MIXED:
        return f"<p>{escape(page.site.name)}，{place(dice)}人的网上家园。</p>"
    nouns = web.nouns(page.site, page.topic)
    if page.kind != "article":
        lead = paragraphs(dice, page.topic, nouns, 2)[0]
        return f"<h1>{escape(page.title.split('_')[0])}</h1><p class=lead>{lead}</p>"
    found = paragraphs(dice, page.topic, nouns, dice.randint(9, 22))
    byline = (
        f"2019年{dice.randint(1, 12)}月{dice.randint(1, 28)}日　来源：{page.site.name}　作者：{person(dice)}"
    )
    body = "".join(f"<p>　　{line}</p>" for line in found)
    return f"<h1>{escape(page.title)}</h1><div class=info>{byline}</div><div class=article>{body}{_stray(dice)}</div>"


def _stray(dice: Random) -> str:
    """A keyword line as sites print them for search engines, honest or not."""
    topic = dice.choice(TOPICS)
    return (
        f"<p class=tags>大家还在搜：{'　'.join(dice.sample(SUBJECTS[topic].nouns, 3))}</p>"
        if dice.random() < 0.3
        else ""
    )


def _block(block: Block, page: PlannedPage, *, old: bool) -> str:
    links = [_link(link, page) for link in block.links]
    heading = f"<h3>{escape(block.heading)}</h3>" if block.heading else ""
    if block.role in ("nav", "crumb", "pager", "footer"):
        tag = {"nav": "nav", "footer": "footer"}.get(block.role, "div")
        glue = {"nav": " | ", "crumb": " &gt; "}.get(block.role, " ")
        return f"<{tag} class={block.role}>{heading}{glue.join(links)}</{tag}>\n"
    if old:
        rows = "".join(f"<tr><td>·{link}</td></tr>" for link in links)
        return f"{heading}<table class={block.role}>{rows}</table>\n"
    items = "".join(f"<li>{link}</li>" for link in links)
    return f"<div class={block.role}>{heading}<ul>{items}</ul></div>\n"


def _link(link: Shown, page: PlannedPage) -> str:
    href, text = escape(_relative(link.url, page)), escape(link.text)
    note = f" <span>{escape(link.note)}</span>" if link.note else ""
    match link.shape:
        case "image":
            return f'<a href="{href}"><img src="/img/1.jpg" alt="{text}"></a>{note}'
        case "titled":
            return f'<a href="{href}" title="{text}"></a>{note}'
        case "area":
            return f'<map name=m><area href="{href}" alt="{text}"></map><img src="/img/2.jpg" usemap="#m">'
        case _:
            return f'<a href="{href}">{text}</a>{note}'


def _relative(url: str, page: PlannedPage) -> str:
    """Links within a host are written relative, to the root or to `<base href>`."""
    _, _, host, path = url.split("/", 3)
    if host != page.url.split("/")[2]:
        return url
    path = "/" + path
    if page.site.is_old and "?q=%" in path and len(raw := unquote(path, "gb18030")) % 2 == 0:
        return raw  # characters as they are: browsers send a query in the page's own charset
    if page.site.style == "base" and page.channel and path.startswith(page.channel.prefix):
        return path.removeprefix(page.channel.prefix) or "./"
    return path

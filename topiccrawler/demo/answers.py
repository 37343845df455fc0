"""What the synthetic web answers to one request: a page of the plan drawn as HTML, in the bytes of its site, or no page.

Each body is drawn anew on request and none is kept. All that is not a page of the plan happens here: redirects, robots.txt,
dead ends, wrong declarations of the charset.
"""

from __future__ import annotations

from functools import cache
from html import escape
from typing import NamedTuple
from urllib.parse import unquote

from opencc import OpenCC

from topiccrawler.demo.linking import Block, Shown, blocks
from topiccrawler.demo.plan import PlannedPage, Web, key
from topiccrawler.demo.sites import BIG5, CALENDAR, DIRECTORY, JUMPED, LICAI, MIXED, UTF8
from topiccrawler.demo.words import SUBJECTS, TOPICS, draw, paragraphs

RARE = "𬱖"  # an editor's given name that only GB18030 among the GB family can write
_TEXT, _HTML = "text/plain; charset=utf-8", "text/html; charset=utf-8"
_traditional = cache(lambda: OpenCC("s2tw"))  # as Taiwan writes
_ROBOTS = "User-agent: *\nDisallow: /user/\n"
_CRAWL_DELAY = "Crawl-delay: 0.2\n"  # asked for by the calendar alone
_JUMP = "go.php?to="  # the directory's script that counts clicks
_GONE = "<html><head><meta charset=utf-8><title>404</title></head><body>您访问的页面不存在。</body></html>"
_DOORS = {  # home pages that only lead to the real one
    "frames": '</head><frameset cols="160,*"><frame src="menu.html" name=menu><frame src="main.html" name=main></frameset>',
    "refresh": '<meta http-equiv="refresh" content="0; url=/main.html"></head><body>正在进入……</body>',
}
_JUNK = """<a href="javascript:void(0)">加入收藏</a> <a href="mailto:post@{}">写信</a> <a href="">顶部</a> <a href="http://[内页">内页</a>"""
_ABOUT = "本站由几位朋友在{place}办起，内容只作交流。 转载请写明出处；有不妥之处，请来信告诉我们。 联系人：{person}。"
_SHAPES = {
    "text": '<a href="{href}">{text}</a>{note}',
    "image": '<a href="{href}"><img src="/img/1.jpg" alt="{text}"></a>{note}',
    "titled": '<a href="{href}" title="{text}"></a>{note}',
    "area": '<map name=m><area href="{href}" alt="{text}"></map><img src="/img/2.jpg" usemap="#m">',
}
# Of the roles whose links stand in a line: the tag around them, and what stands between.
_LINES = {"nav": ("nav", " | "), "crumb": ("div", " &gt; "), "pager": ("div", " "), "footer": ("footer", " ")}


class Answer(NamedTuple):
    """One HTTP response; `page` is the page of the plan it shows, if any."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    page: PlannedPage | None = None


def answer(web: Web, url: str) -> Answer:
    """The response to GET `url`; never raises, whatever is asked."""
    wanted = key(url)
    host, _, path = wanted.removeprefix("http://").partition("/")
    if page := web.find(wanted):
        encoding, html = page.site.encoding, _Drawing(web, page).html()
        html = _traditional().convert(html) if encoding is BIG5 else html
        kind = f"text/html; charset={encoding.http}" if encoding.http else "text/html"
        # in the site's own charset, whatever it declares
        return Answer(200, (("Content-Type", kind),), html.encode(encoding.codec, "xmlcharrefreplace"), page)
    if moved := _moved(web, wanted, host, path):
        status, where = moved
        return Answer(status, (("Location", where), ("Content-Type", _TEXT)), b"")
    status, kind, body = 404, _HTML, _GONE
    if host not in web.site_of:
        status, kind, body = 502, _TEXT, "no such host\n"
    elif path == "robots.txt":
        status, kind, body = 200, _TEXT, _ROBOTS + (_CRAWL_DELAY if host == CALENDAR else "")
    return Answer(status, (("Content-Type", kind),), body.encode())


def _moved(web: Web, url: str, host: str, path: str) -> tuple[int, str] | None:
    """Where an address that is no page leads to, and by which status."""
    if host == JUMPED:
        return 301, f"http://{LICAI}/{path}"
    if host == DIRECTORY and path.startswith(_JUMP) and path.removeprefix(_JUMP) in web.site_of:
        return 302, f"http://{path.removeprefix(_JUMP)}/"
    return (301, f"{url}/") if "?" not in path and web.find(f"{url}/") else None


class _Drawing:
    """A page as HTML."""

    def __init__(self, web: Web, page: PlannedPage) -> None:
        self.web, self.page, self.site = web, page, page.site
        self.dice = web.dice("body", page.url)

    def html(self) -> str:
        page, site = self.page, self.site
        charset = f'<meta http-equiv="Content-Type" content="text/html; charset={site.encoding.meta}">'
        charset = '<meta charset="utf-8">' if site.encoding is UTF8 else charset
        if page.kind == "front":
            return f"<html><head>{charset}<title>{page.title}</title>{_DOORS[site.kind]}</html>\n"
        blocks_before, blocks_after = list[str](), list[str]()
        for block in blocks(self.web, page):
            (blocks_before if block.role in ("nav", "crumb") else blocks_after).append(self.block(block))
        junk = _JUNK.format(site.host) if page.kind == "home" and site.style == "query" else ""
        foot = f"<p class=foot>责任编辑：李{RARE}　{escape(site.name)} 版权所有 {junk}</p>"
        body = f"{''.join(blocks_before)}{self.text()}{''.join(blocks_after)}{foot}"
        body = f"<table width=960 align=center><tr><td>{body}</td></tr></table>" if site.is_old else body
        return f"<!DOCTYPE html>\n<html><head>{charset}{self.head()}</head><body>{body}</body></html>\n"

    def head(self) -> str:
        page, site, channel = self.page, self.site, self.page.channel
        head = f"<title>{escape(page.title if page.title.endswith(site.name) else f'{page.title}_{site.name}')}</title>"
        if page.topic != MIXED and page.kind in ("article", "list", "home"):
            words = self.dice.sample(self.web.nouns(site.host, page.topic), 3)
            head += f'<meta name="keywords" content="{",".join(words)}">'
        based = site.style == "base" and channel.host
        return head + (f'<base href="http://{channel.host}{channel.prefix}">' if based else "")

    def text(self) -> str:
        """What is neither navigation nor list: the article, or the few lines other kinds have."""
        page, dice = self.page, self.dice
        heading = f"<h1>{escape(page.title)}</h1>"
        if page.kind == "about":
            lines = [
                line.format(place=draw(dice, "places"), person=draw(dice, "surnames", "given"))
                for line in _ABOUT.split()
            ]
            return heading + "".join(f"<p>{line}</p>" for line in lines)
        if page.kind in ("menu", "members", "category", "month"):
            return heading
        if page.topic == MIXED:
            return f"<p>{escape(self.site.name)}，{draw(dice, 'places')}人的网上家园。</p>"
        nouns = self.web.nouns(self.site.host, page.topic)
        if page.kind != "article":
            lead = paragraphs(dice, page.topic, nouns, 2)[0]
            return f"<h1>{escape(page.title.split('_')[0])}</h1><p class=lead>{lead}</p>"
        lines = paragraphs(dice, page.topic, nouns, dice.randint(9, 22))
        text = "".join(f"<p>　　{line}</p>" for line in lines)
        day = f"2019年{dice.randint(1, 12)}月{dice.randint(1, 28)}日"
        byline = (
            f"<div class=info>{day}　来源：{self.site.name}　作者：{draw(dice, 'surnames', 'given')}</div>"
        )
        other = dice.choice(TOPICS)
        if dice.random() < 0.3:  # a keyword line as sites print them for search engines, honest or not
            text += f"<p class=tags>大家还在搜：{'　'.join(dice.sample(SUBJECTS[other].nouns, 3))}</p>"
        return f"{heading}{byline}<div class=article>{text}</div>"

    def block(self, block: Block) -> str:
        role, links = block.role, [self.link(link) for link in block.links]
        heading = f"<h3>{escape(block.heading)}</h3>" if block.heading else ""
        if role in _LINES:
            tag, glue = _LINES[role]
            return f"<{tag} class={role}>{heading}{glue.join(links)}</{tag}>\n"
        if self.site.is_old:
            rows = "".join(f"<tr><td>·{link}</td></tr>" for link in links)
            return f"{heading}<table class={role}>{rows}</table>\n"
        return f"<div class={role}>{heading}<ul>{''.join(f'<li>{link}</li>' for link in links)}</ul></div>\n"

    def link(self, link: Shown) -> str:
        note = f" <span>{escape(link.note)}</span>" if link.note else ""
        href = escape(self.relative(link.url))
        return _SHAPES[link.shape].format(href=href, text=escape(link.text), note=note)

    def relative(self, url: str) -> str:
        """Links within a host are written relative, to the root or to `<base href>`."""
        _, _, host, path = url.split("/", 3)
        path, channel = f"/{path}", self.page.channel
        if host != self.page.url.split("/")[2]:
            return url
        if self.site.is_old and "?q=%" in path and len(raw := unquote(path, "gb18030")) % 2 == 0:
            return raw  # characters as they are: browsers send a query in the page's own charset
        if self.site.style == "base" and channel.host and path.startswith(channel.prefix):
            return path.removeprefix(channel.prefix) or "./"
        return path

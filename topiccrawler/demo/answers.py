"""What the synthetic web answers to one request: a page of the plan drawn as HTML, in the bytes of its site, or no page.

Each body is drawn anew on request and none is kept. All that is not a page of the plan happens here: redirects, robots.txt,
dead ends, wrong declarations of the charset.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from html import escape
from random import Random
from urllib.parse import unquote

from opencc import OpenCC

from topiccrawler.demo.linking import Block, Shown, blocks
from topiccrawler.demo.plan import PlannedPage, Web, key
from topiccrawler.demo.sentences import paragraphs, person, place
from topiccrawler.demo.sites import BIG5, CALENDAR, DIRECTORY, JUMPED, LICAI, MIXED, UTF8
from topiccrawler.demo.words import SUBJECTS, TOPICS

CRAWL_DELAY_SECONDS = 0.2  # asked for by the calendar alone
RARE = "𬱖"  # an editor's given name that only GB18030 among the GB family can write
_BEFORE_TEXT = ("nav", "crumb")
_TEXT, _HTML = "text/plain; charset=utf-8", "text/html; charset=utf-8"
_GONE = "<html><head><meta charset=utf-8><title>404</title></head><body>您访问的页面不存在。</body></html>"
_FRAMES = '</head><frameset cols="160,*"><frame src="menu.html" name=menu><frame src="main.html" name=main></frameset>'
_REFRESH = '<meta http-equiv="refresh" content="0; url=/main.html"></head><body>正在进入……</body>'
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


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP response; `page` is the page of the plan it shows, if any."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    page: PlannedPage | None = None


def answer(web: Web, url: str) -> Answer:
    """The response to GET `url`; never raises, whatever is asked."""
    wanted = key(url)
    host, _, path = wanted.removeprefix("http://").partition("/")
    target = path.removeprefix("go.php?to=") if host == DIRECTORY else ""
    if host not in {*web.site_of, JUMPED}:
        return Answer(502, (("Content-Type", _TEXT),), b"no such host\n")
    if page := web.find(wanted):
        encoding, html = page.site.encoding, _draw(web, page)
        html = _traditional().convert(html) if encoding is BIG5 else html
        kind = f"text/html; charset={encoding.http}" if encoding.http else "text/html"
        # in the site's own charset, whatever it declares
        return Answer(200, (("Content-Type", kind),), html.encode(encoding.codec, "xmlcharrefreplace"), page)
    if path == "robots.txt" and host != JUMPED:
        delay = f"Crawl-delay: {CRAWL_DELAY_SECONDS}\n" if host == CALENDAR else ""
        return Answer(200, (("Content-Type", _TEXT),), f"User-agent: *\nDisallow: /user/\n{delay}".encode())
    status, where = 301, ""
    if host == JUMPED:
        where = f"http://{LICAI}/{path}"
    elif target != path and target in web.site_of:
        status, where = 302, f"http://{target}/"
    elif "?" not in path and not path.endswith("/") and web.find(wanted + "/"):
        where = wanted + "/"
    if where:
        return Answer(status, (("Location", where), ("Content-Type", _TEXT)), b"")
    return Answer(404, (("Content-Type", _HTML),), _GONE.encode())


@cache
def _traditional() -> OpenCC:
    return OpenCC("s2tw")


def _draw(web: Web, page: PlannedPage) -> str:
    """The HTML of a page, as characters."""
    site, dice = page.site, web.dice("body", page.url)
    charset = f'<meta http-equiv="Content-Type" content="text/html; charset={site.encoding.meta}">'
    charset = '<meta charset="utf-8">' if site.encoding is UTF8 else charset
    if page.kind == "front":  # a home page that is only a door
        door = _FRAMES if site.kind == "frames" else _REFRESH
        return f"<html><head>{charset}<title>{page.title}</title>{door}</html>\n"
    shown = blocks(web, page)
    before = "".join(_block(block, page) for block in shown if block.role in _BEFORE_TEXT)
    after = "".join(_block(block, page) for block in shown if block.role not in _BEFORE_TEXT)
    junk = _JUNK.format(site.host) if page.kind == "home" and site.style == "query" else ""
    foot = f"<p class=foot>责任编辑：李{RARE}　{escape(site.name)} 版权所有 {junk}</p>"
    body = f"{before}{_text(web, page, dice)}{after}{foot}"
    if site.is_old:
        body = f"<table width=960 align=center><tr><td>{body}</td></tr></table>"
    head = charset + _head(web, page, dice)
    return f"<!DOCTYPE html>\n<html><head>{head}</head><body>{body}</body></html>\n"


def _head(web: Web, page: PlannedPage, dice: Random) -> str:
    site, base = page.site, page.channel
    title = page.title if page.title.endswith(site.name) else f"{page.title}_{site.name}"
    head = f"<title>{escape(title)}</title>"
    if page.topic != MIXED and page.kind in ("article", "list", "home"):
        head += f'<meta name="keywords" content="{",".join(dice.sample(web.nouns(site, page.topic), 3))}">'
    if site.style == "base" and base.host:
        head += f'<base href="http://{base.host}{base.prefix}">'
    return head


def _text(web: Web, page: PlannedPage, dice: Random) -> str:
    """What is neither navigation nor list: the article, or the few lines other kinds have."""
    heading = f"<h1>{escape(page.title)}</h1>"
    if page.kind == "about":
        lines = (line.format(place=place(dice), person=person(dice)) for line in _ABOUT.split())
        return heading + "".join(f"<p>{line}</p>" for line in lines)
    if page.kind in ("menu", "members", "category", "month"):
        return heading
    if page.topic == MIXED:
        return f"<p>{escape(page.site.name)}，{place(dice)}人的网上家园。</p>"
    nouns = web.nouns(page.site, page.topic)
    if page.kind != "article":
        lead = paragraphs(dice, page.topic, nouns, 2)[0]
        return f"<h1>{escape(page.title.split('_')[0])}</h1><p class=lead>{lead}</p>"
    text = "".join(f"<p>　　{line}</p>" for line in paragraphs(dice, page.topic, nouns, dice.randint(9, 22)))
    day = f"2019年{dice.randint(1, 12)}月{dice.randint(1, 28)}日"
    byline = f"<div class=info>{day}　来源：{page.site.name}　作者：{person(dice)}</div>"
    other = dice.choice(TOPICS)
    if dice.random() < 0.3:  # a keyword line as sites print them for search engines, honest or not
        text += f"<p class=tags>大家还在搜：{'　'.join(dice.sample(SUBJECTS[other].nouns, 3))}</p>"
    return f"{heading}{byline}<div class=article>{text}</div>"


def _block(block: Block, page: PlannedPage) -> str:
    role, links = block.role, [_link(link, page) for link in block.links]
    heading = f"<h3>{escape(block.heading)}</h3>" if block.heading else ""
    if role in _LINES:
        tag, glue = _LINES[role]
        return f"<{tag} class={role}>{heading}{glue.join(links)}</{tag}>\n"
    if page.site.is_old:
        rows = "".join(f"<tr><td>·{link}</td></tr>" for link in links)
        return f"{heading}<table class={role}>{rows}</table>\n"
    return f"<div class={role}>{heading}<ul>{''.join(f'<li>{link}</li>' for link in links)}</ul></div>\n"


def _link(link: Shown, page: PlannedPage) -> str:
    note = f" <span>{escape(link.note)}</span>" if link.note else ""
    href, text = escape(_relative(link.url, page)), escape(link.text)
    return _SHAPES[link.shape].format(href=href, text=text, note=note)


def _relative(url: str, page: PlannedPage) -> str:
    """Links within a host are written relative, to the root or to `<base href>`."""
    _, _, host, path = url.split("/", 3)
    if host != page.url.split("/")[2]:
        return url
    path = "/" + path
    if page.site.is_old and "?q=%" in path and len(raw := unquote(path, "gb18030")) % 2 == 0:
        return raw  # characters as they are: browsers send a query in the page's own charset
    if page.site.style == "base" and page.channel.host and path.startswith(page.channel.prefix):
        return path.removeprefix(page.channel.prefix) or "./"
    return path

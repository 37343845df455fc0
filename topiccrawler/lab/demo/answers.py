"""Generates the synthetic web's response to one request: a page of the plan as HTML in its site's charset, or another response.

Each body is generated on request and not stored. Everything that is no page of the plan is here: redirects, robots.txt, missing pages,
wrong declarations of the charset.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple
from urllib.parse import unquote

from opencc import OpenCC

from topiccrawler.lab.demo.language import SUBJECTS, TOPICS, draw, paragraphs
from topiccrawler.lab.demo.linking import blocks
from topiccrawler.lab.demo.plan import PlannedPage, Web, key
from topiccrawler.lab.demo.sites import BIG5, CALENDAR, DIRECTORY, JUMPED, LICAI, MIXED
from topiccrawler.results.templating import filled_in

_TEXT, _HTML = "text/plain; charset=utf-8", "text/html; charset=utf-8"
_traditional = cache(lambda: OpenCC("s2tw"))  # as Taiwan writes
_ROBOTS = "User-agent: *\nDisallow: /user/\n"
_CRAWL_DELAY = "Crawl-delay: 0.2\n"  # only in the robots.txt of the calendar
_JUMP = "go.php?to="  # the directory's redirect script, which counts clicks
_GONE = "<html><head><meta charset=utf-8><title>404</title></head><body>您访问的页面不存在。</body></html>"


class Answer(NamedTuple):
    """One HTTP response; `page` is the page of the plan in it, or None."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    page: PlannedPage | None = None


def answer(web: Web, url: str) -> Answer:
    """The response to GET `url`. Never raises, whatever the URL."""
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
    """The status and the target of a redirect for a URL that is no page; None if there is no redirect."""
    if host == JUMPED:
        return 301, f"http://{LICAI}/{path}"
    if host == DIRECTORY and path.startswith(_JUMP) and path.removeprefix(_JUMP) in web.site_of:
        return 302, f"http://{path.removeprefix(_JUMP)}/"
    return (301, f"{url}/") if "?" not in path and web.find(f"{url}/") else None


class _Drawing:
    """Renders one page as HTML."""

    def __init__(self, web: Web, page: PlannedPage) -> None:
        self.web, self.page, self.site = web, page, page.site
        self.dice = web.dice("body", page.url)

    def html(self) -> str:
        drawn = [] if self.page.kind == "front" else blocks(self.web, self.page)
        known = {"page": self.page, "site": self.site, "relative": self.relative, "blocks": drawn}
        return filled_in("lab/demo/page.html", **known, **self.text())

    def text(self) -> dict[str, Any]:
        """The template's values for the texts of a page: those of an article, or the few lines of other kinds."""
        page, dice = self.page, self.dice
        if page.kind == "about":
            (place, _), _, (_, person) = (
                (draw(dice, "places"), draw(dice, "surnames", "given")) for _ in range(3)
            )
            return {"place": place, "person": person}
        if page.kind in ("front", "menu", "members", "category", "month"):
            return {}
        if page.topic == MIXED:
            return {"place": draw(dice, "places")}
        nouns, found = self.web.nouns(self.site.host, page.topic), dict[str, Any]()
        if page.kind == "article":
            found = {"lines_of_text": paragraphs(dice, page.topic, nouns, dice.randint(9, 22))}
            found |= {"month": dice.randint(1, 12), "day": dice.randint(1, 28)}
            found |= {"author": draw(dice, "surnames", "given")}
            other = dice.choice(TOPICS)
            if dice.random() < 0.3:  # a line of keywords for search engines, which may be misleading
                found["tags"] = dice.sample(SUBJECTS[other].nouns, 3)
        else:
            found["lead"] = paragraphs(dice, page.topic, nouns, 2)[0]
        if page.kind in ("article", "list", "home"):
            found["words"] = dice.sample(nouns, 3)
        return found

    def relative(self, url: str) -> str:
        """A URL as the page writes it: links within its host are relative, to the root or to `<base href>`."""
        _, _, host, path = url.split("/", 3)
        path, channel = f"/{path}", self.page.channel
        if host != self.page.url.split("/")[2]:
            return url
        if self.site.is_old and "?q=%" in path and len(raw := unquote(path, "gb18030")) % 2 == 0:
            return raw  # not percent-encoded: browsers send a query in the page's own charset
        if self.site.style == "base" and channel.host and path.startswith(channel.prefix):
            return path.removeprefix(channel.prefix) or "./"
        return path

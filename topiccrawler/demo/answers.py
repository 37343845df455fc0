"""What the synthetic web answers to one request: status, headers, bytes.

The conflict: pages are characters, the wire is bytes, and real hosts disagree about the charset, move, hide or lose
pages. All that is not a page of the plan happens here: redirects, robots.txt, dead ends, wrong declarations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from opencc import OpenCC

from topiccrawler.demo import addresses
from topiccrawler.demo.pages import draw
from topiccrawler.demo.plan import PlannedPage, Web
from topiccrawler.demo.sites import BIG5, CALENDAR, DIRECTORY, JUMPED, LICAI, Site

CRAWL_DELAY_SECONDS = 0.2  # asked for by the calendar alone
_ROBOTS = "User-agent: *\nDisallow: /user/\n"
_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP response; `page` is the page of the plan it shows, if any."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    page: PlannedPage | None = None


def answer(web: Web, url: str) -> Answer:
    """The response to GET `url`; never raises, whatever is asked."""
    wanted = addresses.key(url)
    host, _, path = wanted.removeprefix("http://").partition("/")
    if host == JUMPED:
        return _moved(301, f"http://{LICAI}/{path}")
    if host not in web.site_of:
        return Answer(502, (("Content-Type", _TEXT),), b"no such host\n")
    page = web.find(wanted)
    if page is not None:
        return Answer(200, _headers(page.site), encode(draw(web, page), page.site), page)
    return _robots(host) if path == "robots.txt" else _elsewhere(web, wanted, host, path)


def _robots(host: str) -> Answer:
    delay = f"Crawl-delay: {CRAWL_DELAY_SECONDS}\n" if host == CALENDAR else ""
    return Answer(200, (("Content-Type", _TEXT),), (_ROBOTS + delay).encode())


def _elsewhere(web: Web, wanted: str, host: str, path: str) -> Answer:
    """No page stands here: a jump script, a forgotten slash, or nothing."""
    target = path.removeprefix("go.php?to=") if host == DIRECTORY else ""
    if target != path and target in web.site_of:
        return _moved(302, f"http://{target}/")
    if "?" not in path and not path.endswith("/") and web.find(wanted + "/"):
        return _moved(301, wanted + "/")
    return _missing()


def encode(html: str, site: Site) -> bytes:
    """The bytes of the site's own charset, whatever it declares."""
    if site.encoding is BIG5:
        html = _traditional().convert(html)
    return html.encode(site.encoding.codec, "xmlcharrefreplace")


def _headers(site: Site) -> tuple[tuple[str, str], ...]:
    charset = f"; charset={site.encoding.http}" if site.encoding.http else ""
    return (("Content-Type", f"text/html{charset}"),)


def _moved(status: int, where: str) -> Answer:
    return Answer(status, (("Location", where), ("Content-Type", _TEXT)), b"")


def _missing() -> Answer:
    body = "<html><head><meta charset=utf-8><title>404</title></head><body>您访问的页面不存在。</body></html>"
    return Answer(404, (("Content-Type", "text/html; charset=utf-8"),), body.encode())


@cache
def _traditional() -> OpenCC:
    return OpenCC("s2tw")

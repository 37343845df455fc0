"""How sites write the addresses of their pages, and which spellings mean one page.

The conflict: sites must differ (dates, numbers, queries, Chinese words in UTF-8 or GBK percent-encoding), while truth needs
one key for a page however a crawler spelt it.
"""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes, urlsplit

from topiccrawler.demo.sites import Channel, Site

_SAFE = "/:@!$&'()*+,;=~-._"
_TRACKING = ("utm_source=", "spm=")


def key(url: str) -> str:
    """One spelling: lower-case host, percent-encoding made alike, without fragment, tracking, index.html."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower().rstrip(".")
        port = parts.port
    except ValueError:
        return ""
    if port not in (None, 80):
        host += f":{port}"
    path = quote(unquote_to_bytes(parts.path or "/"), safe=_SAFE)
    if path.endswith("/index.html"):
        path = path.removesuffix("index.html")
    kept = [item for item in parts.query.split("&") if item and not item.startswith(_TRACKING)]
    query = quote(unquote_to_bytes("&".join(kept)), safe=_SAFE + "?/%")
    return f"http://{host}{path}" + (f"?{query}" if query else "")


def article(site: Site, channel: Channel, number: int, title: str) -> str:
    """The address of one article; `number` counts through the whole site."""
    base = f"http://{channel.host}{channel.prefix}"
    match site.style:
        case "dated":
            return f"{base}2019/{number % 12 + 1:02}/{number % 28 + 1:02}/{100_000 + number * 37}.shtml"
        case "query":
            return f"{base}view.php?id={1_000 + number}"
        case "forum":
            return f"http://{channel.host}/thread-{2_000 + number}-1-1.html"
        case "blog":
            return f"{base}archives/{number}"
        case "words":
            return f"http://{channel.host}/{quote(channel.name)}/{quote(title)}"
        case _:
            return f"{base}{number}.html"


def listing(site: Site, channel: Channel, page: int) -> str:
    """The address of page `page` (from 1) of a channel's list; the first is the channel's home."""
    base = f"http://{channel.host}{quote(channel.prefix)}"
    if site.style == "forum":
        return f"http://{channel.host}/forum-{channel.prefix.strip('/b')}-{page}.html"
    if page == 1:
        return base
    match site.style:
        case "dated":
            return f"{base}index_{page}.shtml"
        case "query":
            return f"{base}?page={page}"
        case "blog":
            return f"{base}page/{page}"
        case _:
            return f"{base}list_{page}.html"


def tag(channel: Channel, word: str, charset: str) -> str:
    """A tag page, its word percent-encoded in the site's own charset as old sites do."""
    return f"http://{channel.host}/so.php?q={quote(word.encode(charset, 'ignore'))}"

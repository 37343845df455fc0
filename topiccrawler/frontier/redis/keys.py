"""Names in Redis: one namespace a crawl, and the address of the server as it may be shown."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from topiccrawler.errors import ArgumentError

SCHEMES = ("redis", "rediss", "unix")
REMEDY = "write it as redis://HOST:6379/0, rediss://… for TLS, or unix:///PATH"
_SEVERAL = re.compile(r",(?=\s*(?:redis|rediss|unix)://)")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


def prefix_of(job: str) -> str:
    """Before every key of the crawl. The braces keep them together in a cluster."""
    if not _NAME.fullmatch(job):
        raise ArgumentError(f"job name {job!r}", "is no plain name", "use letters, digits, dots and dashes")
    return f"topiccrawler:{{{job}}}:"


def check_address(url: str) -> str:
    """The address, when it is one of a Redis server."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in SCHEMES and bool(parts.path if parts.scheme == "unix" else parts.hostname)
        if fine and parts.scheme != "unix":
            fine = parts.port is None or parts.port > 0
    except ValueError:
        fine = False
    if not fine:
        raise ArgumentError(f"REDIS_URL={shown(url)}", "is no address of a Redis server", REMEDY)
    return url


def addresses(text: str) -> list[str]:
    """The servers of one crawl, separated by commas: one, or several of which each has the hosts that fall to it."""
    urls = [check_address(url.strip()) for url in _SEVERAL.split(text)]
    if len(set(urls)) < len(urls):
        raise ArgumentError(f"REDIS_URL={shown(urls[0])}", "names a server twice", "give each once")
    return urls


def shown(url: str) -> str:
    """The address without user and password; of several the first, and that there are more."""
    if len(parts := _SEVERAL.split(url)) > 1:
        return f"{shown(parts[0])}, …"
    scheme, mark, rest = url.partition("://")
    if not mark:
        return url.rpartition("@")[2]
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"

"""Resolves the target of a redirect as browsers do: the URL to request, not its canonical form.

A redirect may set a session id or a campaign mark that its server expects back, so nothing is dropped here.
"""

from __future__ import annotations

import re

from topiccrawler.urls.canonical import canonical, parsed

_NOT_ASCII = re.compile(rb"[\x80-\xff]")


def redirect_target(base: str, written: str | bytes, encoding: str = "utf-8") -> str | None:
    """The absolute http(s) URL that a Location header, a refresh or a base on `base` leads to; None when it leads to none. Never raises.

    `written`: as the server sent it. Bytes that are not UTF-8 are escaped as they are, as browsers do, so a path in GBK stays in GBK.
    `encoding`: that of the page, in which browsers encode the query of a URL in its text.
    """
    url = parsed(parsed(None, base), _text(written) if isinstance(written, bytes) else written, encoding)
    if url is None or canonical(f"{url.protocol}//{url.host}/") is None:  # a host that DNS cannot hold
        return None
    return url.href


def _text(written: bytes) -> str:
    try:
        return written.decode("utf-8")
    except UnicodeDecodeError:
        return _NOT_ASCII.sub(lambda byte: b"%%%02X" % ord(byte[0]), written).decode("ascii")

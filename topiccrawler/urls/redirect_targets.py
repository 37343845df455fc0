"""Resolves the target of a redirect as browsers do: the URL to request, not its canonical form.

A redirect may set a session id or a campaign mark that its server expects back, so nothing is dropped here. What is corrected is what
browsers correct: blanks, tabs and line ends, backslashes, `http:/x`, characters that no URL may have.

Reference: https://url.spec.whatwg.org/#concept-basic-url-parser
"""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from topiccrawler.urls.canonical import canonical

LONGEST = 8_192  # characters; servers refuse longer URLs
_EDGES = "".join(map(chr, range(33)))
_JUNK = re.compile(r"[\t\n\r]")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_NOT_ASCII = re.compile(rb"[\x80-\xff]")


def redirect_target(base: str, written: str | bytes, encoding: str = "utf-8") -> str | None:
    """The absolute http(s) URL that a Location header or a refresh on `base` leads to; None when it leads to none. Never raises.

    `written`: as the server sent it. Bytes that are not UTF-8 are escaped as they are, as browsers do, so a path in GBK stays in GBK.
    `encoding`: that of the page, in which browsers encode the query of a URL in its text.
    """
    if len(written) > LONGEST:
        return None
    target = _JUNK.sub("", (_text(written) if isinstance(written, bytes) else written).strip(_EDGES))
    try:
        url = safe_url_string(_absolute(base, target), encoding)
        parts = urlsplit(url)
        return (
            url if canonical(f"{parts.scheme}://{parts.netloc}/") else None
        )  # a host, and a port that is one
    except (ValueError, UnicodeError, LookupError):
        return None


def _text(written: bytes) -> str:
    try:
        return written.decode("utf-8")
    except UnicodeDecodeError:
        return _NOT_ASCII.sub(lambda byte: b"%%%02X" % ord(byte[0]), written).decode("ascii")


def _absolute(base: str, target: str) -> str:
    """The target joined with its base. ValueError for another scheme, or what no URL can be made of."""
    end = re.search(r"[?#]|$", target).start()  # type: ignore[union-attr] # always found
    target = target[:end].replace("\\", "/") + target[end:]
    own = urlsplit(base).scheme
    if (named := _SCHEME.match(target)) is not None:
        scheme, rest = named[1].lower(), target[named.end() :]
        if scheme not in {"http", "https"}:
            raise ValueError(target)
        if scheme != own or rest.startswith("//"):
            return f"{scheme}://{rest.lstrip('/')}"
        target = rest
    if target.startswith("//"):
        return f"{own}://{target.lstrip('/')}"
    # A colon in the first segment is no scheme here.
    return urljoin(base, f"./{target}" if named is not None and not target.startswith("/") else target)

"""Reads what a refresh asks a browser to do, in a meta element or in the HTTP header of that name.

Reference: https://html.spec.whatwg.org/multipage/document-lifecycle.html#shared-declarative-refresh-steps
"""

from __future__ import annotations

import re
from math import inf
from typing import NamedTuple

LONGEST_CONTENT = 10_000  # characters
# Seconds, then a URL, with or without "url=" and quotes. Possessive: nothing is tried twice, however long the digits and blanks.
_REFRESH = re.compile(
    r"\s*+(?:(?=[\d.])(\d*+)[\d.]*+(?=[;,\s]|$)\s*+[;,]?\s*+|[;,]?\s*+(?=url\s*+=))(?:url\s*+=\s*+)?(?:(['\"])(.*?)(?:\2|$)|(.*))",
    re.IGNORECASE | re.DOTALL,
)


class Refresh(NamedTuple):
    """A refresh that a browser obeys, or nearly: without a number of seconds it is a link."""

    seconds: float  # whole seconds until another page opens; inf = it names none
    href: str  # as written, resolved once the page's base is known; "" = the page itself


def read_refresh(value: str) -> Refresh | None:
    """The refresh that a `content` attribute or a header has; None if browsers find none in it."""
    found = _REFRESH.match(value[:LONGEST_CONTENT])
    if found is None:
        return None
    digits, _, quoted, plain = found.groups()
    return Refresh(inf if digits is None else float(digits[:20] or 0), (quoted or plain or "").strip())

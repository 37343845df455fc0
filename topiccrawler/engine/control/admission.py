"""Which requests a server on this machine answers at all: those that name it by address, and come from nowhere or from itself.

A browser sends what any page tells it to, and a foreign name may point to this machine; a token alone does not help there.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit


class RefusedError(Exception):
    """A request that is not answered, with its status."""

    def __init__(self, status: int, fault: str, remedy: str) -> None:
        self.status, self.fault, self.remedy = status, fault, remedy
        super().__init__(fault)


def admit(headers: Mapping[str, str], host: str, port: int) -> None:
    """RefusedError for a foreign Host header, and for a request that another web site caused. `host`, `port`: where the server listens."""
    named = headers.get("Host", "")
    if not is_here(named, host, port):
        raise RefusedError(403, "a foreign Host header", "ask by the address that the server has told")
    origin, site = headers.get("Origin"), headers.get("Sec-Fetch-Site", "none")
    opaque = (
        origin == "null" and site == "same-origin"
    )  # a form of our own, under Referrer-Policy: no-referrer
    if (origin not in {None, f"http://{named}"} and not opaque) or site not in {"none", "same-origin"}:
        raise RefusedError(403, "it comes from another site", "ask from this machine, not from a web page")


def is_here(header: str, host: str, port: int) -> bool:
    """The Host header names an address, this machine, or the `host` that the server was told to listen on, and the very port."""
    try:
        named = urlsplit(f"//{header}")
        name, given = named.hostname or "", named.port
    except ValueError:
        return False
    if given != port:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in {"localhost", host.lower()}
    return True

"""What a user blocks: patterns of URLs, or whole sites.

A pattern matches a whole URL; `*` matches any characters, all else itself. A pattern without `*` matches the URLs that begin with it. A site is
a host with all its subdomains.
"""

from __future__ import annotations

from dataclasses import dataclass

from topiccrawler.errors import ArgumentError
from topiccrawler.urls.canonical import canonical, host_of

LONGEST = 2000  # characters


@dataclass(frozen=True, slots=True)
class Block:
    """Exactly one of the two is set. ArgumentError for none, both, or what would match everything."""

    pattern: str = ""
    site: str = ""

    def __post_init__(self) -> None:
        if bool(self.pattern) == bool(self.site) or len(self.text) > LONGEST:
            raise ArgumentError(
                "block", "needs a URL pattern or a site", "block 'http://host/path/*' or block --site HOST"
            )
        if self.pattern and not self.pattern.strip("*"):
            raise ArgumentError(f"block {self.pattern}", "matches everything", "use stop to end the crawl")
        if self.site and (set(self.site) & set("/:*? ") or self.site != self.site.lower()):
            raise ArgumentError(
                f"block --site {self.site}", "is no host", "write it as news.example.com, in small letters"
            )

    @property
    def text(self) -> str:
        """As the user typed it."""
        return self.pattern or self.site

    @property
    def reason(self) -> str:
        """For the URLs that it drops."""
        return f"blocked: {self.text}"

    def matches(self, url: str) -> bool:
        """Whether a URL is blocked; O(length), whatever the pattern."""
        if self.site:
            host = host_of(url).partition(":")[0]
            return host == self.site or host.endswith(f".{self.site}")
        first, *rest = self.pattern.split("*")
        if not url.startswith(first):
            return False
        if not rest:
            return True
        place, last = len(first), rest.pop()
        for part in rest:
            found = url.find(part, place)
            if found < 0:
                return False
            place = found + len(part)
        return len(url) - place >= len(last) and url.endswith(last)


def block_of(pattern: str, site: str = "") -> Block:
    """What a user means: a pattern that is a host is a site. ArgumentError for one that no URL matches."""
    if site or not pattern or "*" in pattern or pattern.startswith("http"):
        return Block(pattern, site)
    host = host_of(canonical(f"http://{pattern}") or "")
    if "." in host and host == pattern.lower().rstrip("/"):
        return Block(site=host)
    raise ArgumentError(f"block {pattern}", "matches no URL", "begin it with http:// or https://, or with *")

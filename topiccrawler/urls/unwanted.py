"""Recognises URLs that are unwanted by their spelling alone, whatever their score: traps, private hosts, and URLs that the user blocks.

`trap` recognises crawler traps. A broken relative link, a filter menu or a calendar offers endless URLs, but long paths and many
parameters are common on the Chinese web. So the form of a URL decides only far outside of what ordinary sites use; doubtful URLs are left
to budgets.

    path depth         more than `path_segments` segments
    repeated segments  one segment more than `segment_repeats` times in a path: /news/news/news/news/a.html
    query facets       more than `query_parameters` parameters, or one name more than `segment_repeats` times
    calendar           a date more than `calendar_years` years ahead or before 1970, linked by a page of such a date:
                       one such page alone may be a blogger's way to stay on top, a chain of them is a calendar

`is_inside` recognises hosts in the crawler's own network. An IP address can be written in many ways that some resolver, proxy or browser
understands: 127.1, 0x7f000001, 2130706433, 017700000001, ::ffff:127.0.0.1, full-width digits, percent-encoding, a dot at the end, a zone.
All are read here. A host that looks like a number but is not an address counts as inside too: no public name ends in a number.

`Block` is a rule of the user. A pattern matches a whole URL; `*` matches any characters, every other character itself. A pattern without
`*` matches the URLs that begin with it. A site is a host with all its subdomains.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from urllib.parse import quote, unquote

from topiccrawler.errors import ArgumentError
from topiccrawler.urls.canonical import canonical, host_of

_DATE = re.compile(
    r"(?<![0-9])(?P<year>[12][0-9]{3})(?:[-/._]|%2[DF])(?:0?[1-9]|1[0-2])(?![0-9])"
    r"|[?&](?:y|year|yyyy|nian)=(?P<named>[12][0-9]{3})(?![0-9])"
)
_FIRST_YEAR = 1970
_YEAR_SECONDS = 31_556_952.0


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest values of an ordinary URL; 0 switches a rule off. Defaults chosen on the frozen webs: none of their pages is refused."""

    path_segments: int = 16
    segment_repeats: int = 3
    query_parameters: int = 12
    calendar_years: int = 2


def trap(url: str, source_url: str, limits: Limits, now: float) -> str | None:
    """Why a canonical URL counts as a trap; None when it looks ordinary. `source_url`: the page that links it. `now`: Unix time."""
    address, _, query = url.partition("?")
    segments = [segment for segment in address.split("/")[3:] if segment]
    if 0 < limits.path_segments < len(segments):
        return f"path depth: {len(segments)} segments"
    repeated = _most(segments)
    if 0 < limits.segment_repeats < repeated[1]:
        return f"repeated segments: {repeated[0]} {repeated[1]} times"
    if query:
        names = [part.partition("=")[0] for part in query.split("&")]
        if 0 < limits.query_parameters < len(names):
            return f"query facets: {len(names)} parameters"
        repeated = _most(names)
        if 0 < limits.segment_repeats < repeated[1]:
            return f"query facets: {repeated[0]} {repeated[1]} times"
    if limits.calendar_years > 0:
        last = _FIRST_YEAR + int(now / _YEAR_SECONDS) + limits.calendar_years
        year = _strange_year(url, last)
        if year is not None and _strange_year(source_url, last) is not None:
            return f"calendar: the year {year}"
    return None


def _strange_year(url: str, last: int) -> int | None:
    for date in _DATE.finditer(url, max(url.find("/", 8), 0)):
        year = int(date["year"] or date["named"])
        if not _FIRST_YEAR <= year <= last:
            return year
    return None


def _most(texts: list[str]) -> tuple[str, int]:
    """The text that occurs most often (the first among equals), and how often."""
    return max(Counter(texts).items(), key=lambda pair: pair[1], default=("", 0))


FAKE = ipaddress.ip_network("198.18.0.0/15")  # a local proxy in TUN mode resolves every name to one of these
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)  # bits 64 to 95; an IPv4 address follows
# Reserved for private use (RFC 6761, 6762, 8375; ICANN for .internal); localdomain and its variants are in hosts files.
_INSIDE_NAME = re.compile(r"(?:.*\.)?(?:localhost|local|internal|localdomain[46]?|home\.arpa)")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


def is_inside(host: str) -> bool:
    """Whether a host (without port) is spelled as a private address, or as a name that only a private network resolves: `localhost`,
    names without a dot, *.local, *.internal … Any other name must be resolved to know."""
    name = _plain(host)
    address = address_of(host)
    if address is not None:
        return is_private(address)
    if not name or "." not in name or _INSIDE_NAME.fullmatch(name):
        return True
    return _NUMBER.fullmatch(name.rpartition(".")[2]) is not None


def address_of(host: str) -> str | None:
    """The IP address that a host spells out, in any notation that some program reads; None for a name."""
    name = _plain(host)
    try:
        return str(ipaddress.ip_address(name.partition("%")[0]))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(name)) if name[:1].isdigit() else None
    except (OSError, UnicodeError, ValueError):
        return None


def is_private(address: str) -> bool:
    """Whether an IP address leads to this machine or its network, also when an IPv6 address embeds it. False for what is not an address."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if (carried := _carried(ip)) is not None:
            return is_private(str(carried))
        if ip.is_reserved or ip.is_site_local:
            return True
    return not ip.is_global or ip.is_multicast


def is_private_answer(address: str) -> bool:
    """Whether an address from a name server is private. FAKE addresses are not: a local proxy in TUN mode resolves every name to one."""
    try:
        return ipaddress.ip_address(address) not in FAKE and is_private(address)
    except ValueError:
        return is_private(address)


def _carried(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to (mapped, 6to4, Teredo, NAT64, ISATAP), or None."""
    number = int(ip)
    if ip in _NAT64 or (number >> 32) & 0xFFFF_FFFF in _ISATAP:
        return ipaddress.IPv4Address(number & 0xFFFF_FFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)


def _plain(host: str) -> str:
    """A host in plain characters: full-width and circled digits, ideographic dots and escapes replaced, invisible characters removed."""
    folded = unicodedata.normalize("NFKC", unquote(host)).replace("。", ".")
    seen = "".join(character for character in folded if unicodedata.category(character) != "Cf")
    return seen.strip().lower().strip("[]").removesuffix(".")


LONGEST = 2000  # characters


@dataclass(frozen=True, slots=True)
class Block:
    """A rule of the user, with either a URL pattern or a site. ArgumentError for none, both, or a pattern that matches everything."""

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
        """The pattern or site, as the user typed it."""
        return self.pattern or self.site

    @property
    def reason(self) -> str:
        """The reason that is recorded for the URLs it drops."""
        return f"blocked: {self.text}"

    def matches(self, url: str) -> bool:
        """Whether this rule blocks a URL. Linear in the length of the URL."""
        if self.site:
            host = host_of(url).partition(":")[0]
            return host == self.site or host.endswith(f".{self.site}")
        return (
            _matching(self.pattern)(url) is not None if "*" in self.pattern else url.startswith(self.pattern)
        )


@lru_cache(maxsize=1024)
def _matching(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """What matches a pattern with `*`. `fnmatch` looks for each part once: the time is linear."""
    return re.compile(translate(re.sub(r"[?\[]", r"[\g<0>]", pattern))).match


def block_of(pattern: str, site: str = "") -> Block:
    """The rule that a user means: a pattern that is a host blocks the site. ArgumentError for a pattern that no URL matches.

    Other characters than ASCII are written as canonical URLs have them: the host 茶.cn as xn--cl1a.cn, 茶 in a path as %E8%8C%B6.
    """
    if site or not pattern:
        block = Block(pattern, site)
        if not (host := host_of(canonical(f"http://{site}") or "")):
            raise ArgumentError(f"block --site {site}", "is no host", "write it as news.example.com")
        return block if host == site else Block(site=host)
    if "*" in pattern or pattern.startswith("http"):
        return Block(_as_in_urls(pattern))
    host = host_of(canonical(f"http://{pattern}") or "")
    typed = pattern.lower().rstrip("/")
    if "." in host and (host == typed or not (typed.isascii() or set(typed) & set("/?#:@"))):
        return Block(site=host)
    raise ArgumentError(f"block {pattern}", "matches no URL", "begin it with http:// or https://, or with *")


def _as_in_urls(pattern: str) -> str:
    """A pattern with its host, if that is written out, and its other characters as canonical URLs have them."""
    scheme, mark, rest = pattern.partition("://")
    host, slash, path = rest.partition("/")
    if mark and slash and "*" not in scheme + host:
        host = host_of(canonical(f"{scheme}://{host}/") or "") or host
        pattern = f"{scheme.lower()}://{host}/{path}"
    return "".join(sign if sign.isascii() else quote(sign, errors="replace") for sign in pattern)

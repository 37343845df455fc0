"""The canonical form of a URL, under which it is queued, fetched and stored; with its host, registered domain, directory and file type.

`Canonicalizer` makes the canonical form of the hrefs of a page: the URL that a browser makes of each (the URL Standard, by the library ada),
and of that, one form for the spellings of one page. A page fetched under two spellings is fetched twice, but joining too many spellings hides
pages. Hrefs are damaged in every way, so reading one never raises.
Joined: all that browsers join, trailing dot and user name of the host, fragment, percent-encoding (case of hex, unreserved characters; the
bytes themselves stay, so a GBK form stays GBK; characters that no server needs raw), index.html and its variants when no query follows,
session ids and tracking parameters, empty query pieces. Raw non-ASCII characters become UTF-8 in the path, and the page's own encoding in
the query when the caller names it. `%u4E2D` (old ASP) and a lone percent sign stay.
Mended, where browsers do not: full-width `：／／` (then the whole URL is folded), ideographic spaces around, a scheme before a scheme.
Not joined: http and https, www and bare host, order of parameters, letter case of the path, doubled slashes.
None: not http(s), no host, a broken host or port, a name that DNS cannot hold, longer than Scrapy's URLLENGTH_LIMIT of 2 083 characters.

`strip_query` and `strip_path` remove the parts of a URL that identify the visitor, not the page. Session ids and campaign marks make one
page look like thousands, but short names (`from`, `sid`, `s`) select the page on other sites. So a name with two meanings is dropped only
when its value has the form of a session id or of a share mark. A setting can add the names of a site: a name, or a prefix that ends with
`*`.

`is_media` recognises files that are not pages by the extension of their URL: media, archives, programs, fonts, scripts. To fetch such a
link costs a slot of its host. The extension of a path is nearly always right. A query is ignored, because the URL may be that of a page
about a file.
But: formats that pages.formats reads (pdf, docx, xlsx, pptx, txt, xml, sitemap.xml.gz) are not listed.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Hashable
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import can_ada
from publicsuffixlist import PublicSuffixList

from topiccrawler.entry_points import named
from topiccrawler.patterns import lazy_pattern

_CAMPAIGNS = """
    utm_* gclid gclsrc dclid fbclid msclkid yclid igshid mc_cid mc_eid mkt_tok _ga _gl _hsenc _hsmi
    hmsr hmpl hmcu hmkw hmci bd_vid wfr
    spm scm spm_id_from vd_source share_source share_medium share_plat share_session_id share_tag share_token
    ops_request_misc depth_1-utm_source tdsourcetag isappinstalled nsukey sudaref refer_flag pvareaid
"""  # by line: worldwide; Baidu; Alibaba, Sohu and Bilibili; CSDN, Tencent, WeChat, Sina, Weibo, Autohome
_SESSIONS = "jsessionid phpsessid aspsessionid* cfid cftoken sessionid session_id oscsid zenid"
TRACKING_PARAMETERS = frozenset(_CAMPAIGNS.split())
SESSION_PARAMETERS = frozenset(_SESSIONS.split())

_SHARE_MARKS = re.compile(r"singlemessage|groupmessage|timeline")  # from=, written by WeChat for shares
_SESSION_VALUE = lazy_pattern(r"(?=.*[a-f])[0-9a-f]{32}|(?=.*[a-z])(?=.*[0-9])[0-9a-z]{26}", re.IGNORECASE)
_BY_VALUE = {"from": _SHARE_MARKS, "sid": _SESSION_VALUE, "s": _SESSION_VALUE, "session": _SESSION_VALUE}
_SESSION_IN_PATH = lazy_pattern(
    r";(?:jsessionid|phpsessid|aspsessionid\w*|sid)=[^;/]*"  # Java and PHP without cookies
    r"|(?<=/)(?:\([ASF]\([0-9a-z_-]{20,}\)\))+/",  # ASP.NET without cookies: /(S(…))/
    re.IGNORECASE,
)


class DroppedNames(NamedTuple):
    """The names of the parameters that are dropped whatever their value."""

    names: frozenset[str]
    prefixes: tuple[str, ...]


@lru_cache(maxsize=16)
def dropped_names(extra_parameters: frozenset[str] = frozenset()) -> DroppedNames:
    """Those of TRACKING_PARAMETERS, SESSION_PARAMETERS and `extra_parameters`: names, or prefixes with `*`."""
    names = {name.strip().lower() for name in TRACKING_PARAMETERS | SESSION_PARAMETERS | extra_parameters}
    names = {name for name in names if name.strip("*")}
    prefixes = tuple(sorted(name.rstrip("*") for name in names if name.endswith("*")))
    return DroppedNames(frozenset(name for name in names if not name.endswith("*")), prefixes)


def strip_query(query: str, dropped: DroppedNames) -> str:
    """The query without visitor parameters and empty pieces; the rest and its order are kept."""
    kept = []
    for piece in query.split("&"):
        if not piece:
            continue
        name, _, value = piece.partition("=")
        name = name.lower().removeprefix("amp;")
        by_value = _BY_VALUE.get(name)
        if (
            name in dropped.names
            or name.startswith(dropped.prefixes)
            or (by_value is not None and by_value.fullmatch(value))
        ):
            continue
        kept.append(piece)
    return "&".join(kept)


def strip_path(path: str) -> str:
    """The path without session ids."""
    if ";" in path or "/(" in path:
        return _SESSION_IN_PATH.sub("", path)
    return path


MEDIA = "media"
_NAMES = """
jpg jpeg png gif webp bmp svg ico tif tiff avif heic psd
mp3 mp4 mpg mpeg m4a m4v avi mov wmv flv mkv webm rmvb rm wav wma ogg flac aac amr mid swf
zip rar 7z gz tgz bz2 xz tar exe msi apk ipa dmg iso pkg deb rpm bin torrent
doc xls ppt wps rtf epub mobi woff woff2 ttf eot css js json
"""
# The format of another package has the name of its file extension.
_ENDINGS = frozenset(_NAMES.split()) - named("topiccrawler.formats").keys()
_PAGES = ("/", ".html", ".htm", ".shtml", ".php", ".aspx", ".jsp")  # the endings of most links


def may_be_media(href: str) -> bool:
    """Whether an href as written has the extension of a file that no format reader reads."""
    if href.endswith(_PAGES) and "?" not in href and "#" not in href:
        return False
    path = href.partition("?")[0].partition("#")[0]
    return path[path.rfind(".") + 1 :].rstrip().lower() in _ENDINGS


def is_media(url: str) -> bool:
    """Whether a canonical URL has the extension of a file that no format reader reads. The host is ignored."""
    if not may_be_media(url):
        return False
    path = url.partition("?")[0]
    slash = path.rfind("/")
    if path.rfind(".") < slash or slash < 8:  # 8: the slashes of https://
        return False
    return not ("sitemap" in path[slash:] and path.endswith(".xml.gz"))


MAX_LENGTH_CHARACTERS = 2083
MAX_RAW_CHARACTERS = 8192  # servers refuse longer URLs; a longer href is a data blob

# Not possessive: before Python 3.11.5 a possessive group matches what a lookahead in it rejects.
_CLEAN = re.compile(
    r"https?://(?![^/]{254})(?:[a-z0-9-]{1,63}+\.)++[a-z]{2,63}+"
    r"(?:/(?!\.|[Ii]ndex\.|[Dd]efault\.)(?:[A-Za-z0-9_~.,=+!@$&*-]++|(?:%[89A-F][0-9A-F])++)++)*/?"
)
_CLEAN_QUERY = re.compile(r"(?:[A-Za-z0-9_~.,=+!@$*:/?&-]++|(?:%[89A-F][0-9A-F])++)++")
_PROTOCOLS = ("http:", "https:")
_DOUBLE_SCHEME = re.compile(r"\A(?:https?:/*)+(?=https?:/)", re.IGNORECASE)
_EDGES = "".join(map(chr, range(33))) + "\u3000\xa0\ufeff"
# A full-width percent sign is no escape in a host: browsers refuse it.
_WIDE = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F) if wide != 0xFF05}
_WIDE_START = re.compile(
    r"(?=[^/?#]*[\uff1a\uff0f])[^/?#\uff0f]*[:\uff1a][/\\\uff0f]{2}|/\uff0f|\uff0f[/\uff0f]"
)
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
# Of what browsers accept, names that can be registered: with other signs a host is mistyped ("a.example,").
_HOST = re.compile(r"\[[0-9a-f:]+\]|(?=.{1,253}\Z)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_PUNYCODE, _STAND_IN = re.compile(r"(?<=[/.])xn--", re.IGNORECASE), "x--n"
_DEFAULT_DOCUMENT = re.compile(r"(?<=/)(?:[Ii]ndex|[Dd]efault)\.(?:html?|php|aspx?|jsp)$")
# An escape behind a lone percent sign stays: with its character that sign might become an escape.
_ESCAPES = r"(?<!%)(?<!%[0-9A-Fa-f])(?:(?P<high>(?:%[89A-Fa-f][0-9A-Fa-f])+)|(?P<low>%[0-7][0-9A-Fa-f]))|[^A-Za-z0-9._~!$&'()*+,;=:@/?%-]"
_ESCAPE = re.compile(_ESCAPES)
_QUERY_CODECS = {"gb18030": "gbk", "gb2312": "gbk"} | dict.fromkeys(
    ("hz", "iso2022_kr", "utf-7", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"),
    "utf-8",
)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def parsed(base: can_ada.URL | None, href: str, encoding: str = "utf-8") -> can_ada.URL | None:
    """The http(s) URL that an href leads to in a browser, parsed; None when it leads to none. Never raises.

    `encoding`: that of the page. Raw non-ASCII characters of a query are written in it, those of a path always in UTF-8.

    Reference: https://url.spec.whatwg.org/#concept-basic-url-parser
    """
    if len(href) > MAX_RAW_CHARACTERS:
        return None
    if not href.isascii():
        # half a character is U+FFFD
        href = href.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if (codec := _query_codec(encoding)) != "utf-8":
            href = _with_query_in(codec, href)
    try:
        url = base + href if base is not None else can_ada.parse(href)
    except ValueError:
        return None
    return url if url.protocol in _PROTOCOLS else None


class Canonicalizer:
    """Makes the canonical URLs of the hrefs of one page. The base URL is parsed once."""

    __slots__ = ("_base", "_directory", "_dropped", "_encoding", "_origin")

    def __init__(
        self, base: str | None = None, extra_parameters: frozenset[str] = frozenset(), encoding: str = "utf-8"
    ) -> None:
        self._dropped = dropped_names(extra_parameters)
        self._encoding = encoding
        self._base = parsed(None, _repaired(base)) if base else None
        self._origin = self._directory = ""
        if self._base is not None:
            self._origin = self._base.origin
            self._directory = self._origin + self._base.pathname[: self._base.pathname.rfind("/") + 1]

    @property
    def root(self) -> Hashable:
        """A key of all that the canonical URL of a rooted or absolute href depends on."""
        return self._origin, self._encoding, self._dropped

    @property
    def directory(self) -> Hashable:
        """A key of all that the canonical URL of a relative href depends on, unless the href is empty or begins with a question mark."""
        return self._directory, self._encoding, self._dropped

    def __call__(self, href: str) -> str | None:
        """The canonical absolute URL, or None when there is nothing to fetch. Never raises."""
        url: can_ada.URL | None
        if self._base is not None and href.isascii() and href.find(":/", 8) < 0:  # as parsed() does, for most
            if len(href) > MAX_RAW_CHARACTERS:
                return None
            try:
                url = self._base + href
            except ValueError:
                return self._with_unchecked_punycode(href)
        else:
            resolved = parsed(self._base, _repaired(href), self._encoding)
            if resolved is None:
                return self._with_unchecked_punycode(href)
            url = resolved
        text = url.href
        clean = _CLEAN.match(text)
        end = clean.end() if clean is not None else 0
        if end < len(text):
            if text[end] != "?" or not _CLEAN_QUERY.fullmatch(text, end + 1):
                return self._joined(url)
            query = strip_query(text[end + 1 :], self._dropped)
            if not query:
                return self._joined(url)
            text = f"{text[:end]}?{query}"
        return text if len(text) <= MAX_LENGTH_CHARACTERS else None

    def _with_unchecked_punycode(self, href: str) -> str | None:
        """The canonical URL of an href whose host has labels in Punycode that decode to nothing. Browsers leave them; ada 3 refuses them."""
        if not (_PUNYCODE.search(href) and href.isascii()):
            return None
        url = self(_PUNYCODE.sub(_STAND_IN, href))
        return url and url.replace(_STAND_IN, "xn--")

    def _joined(self, url: can_ada.URL) -> str | None:
        """The one form of the spellings of a URL."""
        host = url.hostname.removesuffix(".")
        if url.protocol not in _PROTOCOLS or not _HOST.fullmatch(host):
            return None
        path = _ESCAPE.sub(_one_escape, url.pathname)
        stripped = strip_path(path)
        if stripped != path:
            url.pathname = stripped  # what was a name with a session id may be dots now
            path = url.pathname
        query = strip_query(_ESCAPE.sub(_one_escape, url.search[1:]), self._dropped)
        port = f":{url.port}" if url.port else ""
        rest = f"{path}?{query}" if query else _DEFAULT_DOCUMENT.sub("", path)
        found = f"{url.protocol}//{host}{port}{rest}"
        return found if len(found) <= MAX_LENGTH_CHARACTERS else None


def canonical(
    url: str, base: str | None = None, extra_parameters: frozenset[str] = frozenset(), encoding: str = "utf-8"
) -> str | None:
    """The canonical form of a URL, or None when it is not an http(s) URL to fetch. Never raises.

    For all links of one page, make one Canonicalizer instead.
    """
    return _canonicalizer(base, extra_parameters, encoding)(url)


@lru_cache(maxsize=64)
def _canonicalizer(base: str | None, extra_parameters: frozenset[str], encoding: str) -> Canonicalizer:
    return Canonicalizer(base, extra_parameters, encoding)


@lru_cache(maxsize=4096)
def host_of(url: str) -> str:
    """The host of a canonical URL, with the port when it is not the default one; "" when there is none."""
    start = url.find("://") + 3
    if start == 2:
        return ""
    end = url.find("/", start)
    return url[start:end] if end >= 0 else url[start:].partition("?")[0]


@lru_cache(maxsize=4096)
def registered_domain(url: str) -> str:
    """The registered domain: a.b.com.cn -> b.com.cn, me.github.io -> me.github.io; else the host itself."""
    host = host_of(url)
    return _domain_under_suffix(host) or _without_port(host)


@lru_cache(maxsize=65536)
def site_of(host: str) -> str:
    """The unit for which shares and evidence are counted: the registered domain of a host; of an IP address the host with its port."""
    return _domain_under_suffix(host) or host


RESERVED = frozenset({"example", "localhost", "test"})  # of documentation and tests (RFC 2606)


def has_known_suffix(host: str) -> bool:
    """Whether a host, as in a canonical URL, is a name under a suffix of the public suffix list or under one reserved for tests, or is
    an IPv4 address; so `news.cn`, not `seeds.txt`."""
    name = _without_port(host)
    if name.replace(".", "").isdecimal():
        return name.count(".") == 3
    top_level = name.rpartition(".")[2]
    return top_level in RESERVED or (top_level in _suffix_rules() and bool(_domain_under_suffix(name)))


def is_public_suffix(domain: str) -> bool:
    """Whether a domain is a suffix of the public suffix list, under which anyone can register: com, com.cn, github.io."""
    name = domain.lower()
    top_level = name.rpartition(".")[2]
    return top_level in _suffix_rules() and not _domain_under_suffix(name)


@lru_cache(maxsize=65536)
def _domain_under_suffix(host: str) -> str:
    name = _without_port(host)
    if name.startswith("[") or name[-1:].isdigit():  # an IP address: no top-level domain ends with a digit
        return ""
    return _suffixes(name.rpartition(".")[2]).privatesuffix(name) or ""


def _without_port(host: str) -> str:
    return host[: host.index("]") + 1] if host.startswith("[") else host.partition(":")[0]


@lru_cache(maxsize=1024)
def _suffixes(top_level: str) -> PublicSuffixList:
    # Private suffixes count, because budgets are per site, and the users of a free host share nothing but the host. An unknown top-level
    # domain is a suffix itself.
    return PublicSuffixList(_suffix_rules().get(top_level, ()), accept_unknown=True)


@lru_cache(maxsize=1)
def _suffix_rules() -> dict[str, list[str]]:
    """The rules of the list in the installed package (no network) by top-level domain: reading all of them takes a tenth of a second."""
    rules: dict[str, list[str]] = {}
    for line in files("publicsuffixlist").joinpath("public_suffix_list.dat").read_text("utf-8").splitlines():
        if line and not line.startswith("//"):
            top_level = line.rpartition(".")[2]
            key = top_level if top_level.isascii() else top_level.encode("idna").decode("ascii")
            rules.setdefault(key, []).append(line)
    return rules


def directory_of(url: str) -> str:
    """The host and path of a canonical URL up to the last slash, inclusive."""
    place = url.partition("://")[2].partition("?")[0]
    return place[: place.rfind("/") + 1]


def kind_between(here: str, there: str) -> str:
    """The direction of a link within its site (SkyReach §2.3.3), by the directories of two canonical URLs (`directory_of`).

    level = same directory, down = deeper in it, up = a directory above, cross = another branch of the same host,
    out = another host. http and https of one host are one host. (A frame is known by its tag, not by its URL.)
    """
    if here == there:
        return "level"
    if there.startswith(here):
        return "down"
    if here.startswith(there):
        return "up"
    return "cross" if here.partition("/")[0] == there.partition("/")[0] else "out"


def _repaired(href: str) -> str:
    """An href without damage that browsers do not mend: ideographic spaces around, full-width `：／／`, a scheme before a scheme."""
    href = href.strip(_EDGES)
    if _WIDE_START.match(href):
        href = href.translate(_WIDE)  # typed with a Chinese input method
    return _DOUBLE_SCHEME.sub("", href, count=1) if href[:4].lower() == "http" else href


def _with_query_in(codec: str, href: str) -> str:
    """An href with its query in the encoding of its page; a character that the encoding lacks is escaped as in browsers, as `&#…;`."""
    place, fragment_mark, fragment = href.partition("#")
    path, mark, query = place.partition("?")
    query = _FOREIGN.sub(lambda run: _percent(run[0].encode(codec, "xmlcharrefreplace")), query)
    return path + mark + query + fragment_mark + fragment


def _one_escape(match: re.Match[str]) -> str:
    text = match[0]
    if match.lastgroup == "low":
        character = chr(int(text[1:], 16))
        return character if character in _UNRESERVED else text.upper()
    return text.upper() if match.lastgroup else _percent(text.encode())


def _percent(data: bytes) -> str:
    return "".join(f"%{byte:02X}" for byte in data)


@lru_cache(maxsize=64)
def _query_codec(encoding: str) -> str:
    """The codec for queries: that of the page's encoding, as in browsers, but UTF-8 for UTF-16 and unknown encodings."""
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)  # LookupError for codecs that are no text encodings
    except (LookupError, ValueError):
        return "utf-8"
    # Pages in GBK are read as its superset GB18030 (text.characters).
    return _QUERY_CODECS.get(name, name)

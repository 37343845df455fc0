"""The canonical form of a URL, under which it is queued, fetched and stored; with its host, registered domain, directory and file type.

`Canonicalizer` makes the canonical form of the hrefs of a page. A page fetched under two spellings is fetched twice, but joining too many
spellings hides pages. Hrefs are damaged in every way, so reading one never raises. Usual ones match one pattern each, the others take the
slow path.
Joined: letter case of scheme and host, IDNA and full-width hosts (then the whole URL is folded), default port,
trailing dot and user name, dot segments, fragment, percent-encoding (case of hex, unreserved characters; the bytes
themselves stay, so a GBK form stays GBK), index.html and its variants when no query follows, session ids and tracking
parameters, empty query pieces. Raw non-ASCII characters become UTF-8 in the path, as in browsers,
and the page's own encoding in the query when the caller names it. `%u4E2D` (old ASP) stays.
Not joined: http and https, www and bare host, order of parameters, letter case of the path, doubled slashes.
None: not http(s), no host, a broken host or port, longer than Scrapy's URLLENGTH_LIMIT of 2 083 characters.

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

import ipaddress
import re
from collections.abc import Hashable
from contextlib import suppress
from functools import lru_cache
from urllib.parse import unquote

import idna
from publicsuffixlist import PublicSuffixList

from topiccrawler.entry_points import named

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
_SESSION_VALUE = re.compile(r"(?=.*[a-f])[0-9a-f]{32}|(?=.*[a-z])(?=.*[0-9])[0-9a-z]{26}", re.IGNORECASE)
_BY_VALUE = {"from": _SHARE_MARKS, "sid": _SESSION_VALUE, "s": _SESSION_VALUE, "session": _SESSION_VALUE}
_SESSION_IN_PATH = re.compile(
    r";(?:jsessionid|phpsessid|aspsessionid\w*|sid)=[^;/]*"  # Java and PHP without cookies
    r"|(?<=/)(?:\([ASF]\([0-9a-z_-]{20,}\)\))+/",  # ASP.NET without cookies: /(S(…))/
    re.IGNORECASE,
)


@lru_cache(maxsize=16)
def names_pattern(extra_parameters: frozenset[str] = frozenset()) -> re.Pattern[str]:
    """One pattern for all parameter names that are dropped whatever their value. `extra_parameters`: names, or prefixes with `*`."""
    names = {name.strip().lower() for name in TRACKING_PARAMETERS | SESSION_PARAMETERS | extra_parameters}
    parts = sorted(re.escape(name).replace(r"\*", ".*") for name in names if name.strip("*"))
    return re.compile("(?:amp;)?(?:" + "|".join(parts) + ")", re.IGNORECASE | re.DOTALL)


def strip_query(query: str, names: re.Pattern[str]) -> str:
    """The query without visitor parameters (`names`: see `names_pattern`) and empty pieces; the rest and its order are kept."""
    kept = []
    for piece in query.split("&"):
        if not piece:
            continue
        name, _, value = piece.partition("=")
        by_value = _BY_VALUE.get(name.lower())
        if names.fullmatch(name) or (by_value and by_value.fullmatch(value)):
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
_MAX_RAW_CHARACTERS = 8192  # a longer href is a data blob

_SEGMENT = r"(?!\.|[Ii]ndex\.|[Dd]efault\.)(?:[A-Za-z0-9_~.,=+!@$&*-]++|(?:%[89A-F][0-9A-F])++)++"
# Not possessive: before Python 3.11.5 a possessive group matches what a lookahead in it rejects.
_PATH = rf"(?:/{_SEGMENT})*/?"
_CLEAN = re.compile(rf"https?://(?![^/]{{254}})(?:[a-z0-9-]{{1,63}}+\.)++[a-z]{{2,63}}+{_PATH}")
_CLEAN_ROOTED = re.compile(rf"/(?:{_SEGMENT}{_PATH})?")
_CLEAN_RELATIVE = re.compile(rf"{_SEGMENT}{_PATH}")

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_HTTP = re.compile(r"(https?):[/\\]+", re.IGNORECASE)
_DOUBLE_SCHEME = re.compile(r"\A(?:https?:/*)+(?=https?:/)", re.IGNORECASE)
_JUNK = re.compile(r"[\t\n\r]")
_EDGES = "".join(map(chr, range(33))) + "\u3000\xa0\ufeff"
_WIDE = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | dict.fromkeys((0x3002, 0xFF61), ord("."))
_WIDE_START = re.compile(r"[^/?#]*[:\uff1a][/\\\uff0f]{2}[^/?#]*|[/\uff0f]{2}[^/?#]*")
_WIDE_CHARACTER = re.compile(r"[\uff01-\uff5e]")
_HOST = re.compile(r"(?=[^.])[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_IPV6 = re.compile(r"\[[0-9a-f:.]+(?:%[A-Za-z0-9._~-]+)?\]")  # a zone may be any text
_DEFAULT_DOCUMENT = re.compile(r"(?<=/)(?:[Ii]ndex|[Dd]efault)\.(?:html?|php|aspx?|jsp)$")
_ESCAPES = r"(?P<high>(?:%[89A-Fa-f][0-9A-Fa-f])+)|(?P<low>%[0-7][0-9A-Fa-f])|(?P<asp>%u[0-9A-Fa-f]{{4}})|(?P<raw>%|[^%{safe}]+)"
_PATH_ESCAPES = re.compile(_ESCAPES.format(safe=r"A-Za-z0-9._~!$&'()*+,;=:@/-"))
_QUERY_ESCAPES = re.compile(_ESCAPES.format(safe=r"A-Za-z0-9._~!$&()*+,;=:@/?-"))
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PORTS = {"http": 80, "https": 443}


class Canonicalizer:
    """Makes the canonical URLs of the hrefs of one page. The base URL is parsed once."""

    __slots__ = ("_directory", "_encoding", "_names", "_origin", "_path", "_query", "_scheme")

    def __init__(
        self, base: str | None = None, extra_parameters: frozenset[str] = frozenset(), encoding: str = "utf-8"
    ) -> None:
        self._names = names_pattern(extra_parameters)
        self._encoding = _query_codec(encoding)
        self._scheme = self._origin = self._path = self._directory = self._query = ""
        parts = self._absolute(_tidy(base)) if base else None
        if parts:
            self._scheme, host, self._path, self._query = parts
            self._origin = f"{self._scheme}://{host}"
            self._directory = self._origin + self._path[: self._path.rfind("/") + 1]

    @property
    def root(self) -> Hashable:
        """A key of all that the canonical URL of a rooted or absolute href depends on."""
        return self._origin, self._encoding, self._names

    @property
    def directory(self) -> Hashable:
        """A key of all that the canonical URL of a relative href depends on, unless the href is empty or begins with a question mark."""
        return self._directory, self._encoding, self._names

    def __call__(self, href: str) -> str | None:
        """The canonical absolute URL, or None when there is nothing to fetch. Never raises."""
        if "#" in href:
            href = href[: href.index("#")]
        if len(href) < 1000 and len(self._directory) < 1000:
            if href[:4] == "http":
                if _CLEAN.fullmatch(href):
                    return href if href.count("/") > 2 else href + "/"
            elif self._origin:
                if _CLEAN_ROOTED.fullmatch(href):
                    return self._origin + href
                if _CLEAN_RELATIVE.fullmatch(href):
                    return self._directory + href
        return self._long_way(href)

    def _long_way(self, href: str) -> str | None:
        if len(href) > _MAX_RAW_CHARACTERS:
            return None
        href = _tidy(href)
        parts = self._absolute(href) if _SCHEME.match(href) else self._relative(href)
        if parts is None:
            return None
        scheme, host, path, query = parts
        query = strip_query(query, self._names) if query else ""
        url = f"{scheme}://{host}" + (f"{path}?{query}" if query else _DEFAULT_DOCUMENT.sub("", path))
        return url if len(url) <= MAX_LENGTH_CHARACTERS else None

    def _absolute(self, url: str) -> tuple[str, str, str, str] | None:
        start = _HTTP.match(url)
        if not start:
            return None
        scheme, rest = start[1].lower(), url[start.end() :]
        rest, _, query = rest.partition("?")
        authority, slash, path = rest.replace("\\", "/").partition("/")
        authority = authority.rpartition("@")[2]
        host = _host(scheme, authority) if len(authority) < 1000 else None
        if host is None:
            return None
        return scheme, host, self._clean_path(slash + path), self._clean_query(query)

    def _relative(self, href: str) -> tuple[str, str, str, str] | None:
        if not self._origin:
            return None
        if href[:2].replace("\\", "/") == "//":
            return self._absolute(f"{self._scheme}:{href}")
        host = self._origin[len(self._scheme) + 3 :]
        path, mark, query = href.partition("?")
        path = path.replace("\\", "/")
        if not path:
            return self._scheme, host, self._path, self._clean_query(query) if mark else self._query
        if path[0] != "/":
            path = self._path[: self._path.rfind("/") + 1] + path
        return self._scheme, host, self._clean_path(path), self._clean_query(query)

    def _clean_path(self, path: str) -> str:
        path = _PATH_ESCAPES.sub(_escape_utf8, path)
        path = strip_path(path)
        return _without_dots(path) if "/." in path else path or "/"

    def _clean_query(self, query: str) -> str:
        if self._encoding == "utf-8" or query.isascii():
            return _QUERY_ESCAPES.sub(_escape_utf8, query)
        # A browser writes a character that the encoding lacks as &#…; which no server reads. UTF-8 is at least a guess.
        with suppress(UnicodeEncodeError):
            query = "".join(c if c.isascii() else _percent(c.encode(self._encoding)) for c in query)
        return _QUERY_ESCAPES.sub(_escape_utf8, query)


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
    return _registered_domain(host_of(url))


@lru_cache(maxsize=65536)
def site_of(host: str) -> str:
    """The unit for which shares and evidence are counted: the registered domain of a host; of an IP address the host with its port."""
    return _domain_under_suffix(host) or host


def _registered_domain(host: str) -> str:
    return _domain_under_suffix(host) or _without_port(host)


@lru_cache(maxsize=65536)
def _domain_under_suffix(host: str) -> str:
    name = _without_port(host)
    if name.startswith("[") or name[-1:].isdigit():  # an IP address: no top-level domain ends with a digit
        return ""
    return _suffixes().privatesuffix(name) or ""


def _without_port(host: str) -> str:
    return host[: host.index("]") + 1] if host.startswith("[") else host.partition(":")[0]


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    # The list in the installed package: no network. Private suffixes count, because budgets are per site, and the users
    # of a free host share nothing but the host. An unknown top-level domain is a suffix itself.
    return PublicSuffixList(accept_unknown=True)


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


def _tidy(url: str) -> str:
    """Correct what browsers correct in an href before they parse it."""
    url = _JUNK.sub("", url.partition("#")[0].strip(_EDGES))
    start = _WIDE_START.match(url)
    if start and _WIDE_CHARACTER.search(start[0]):
        url = url.translate(_WIDE).partition("#")[0]  # typed with a Chinese input method
    return _DOUBLE_SCHEME.sub("", url, count=1) if url[:4].lower() == "http" else url


@lru_cache(maxsize=8192)
def _host(scheme: str, authority: str) -> str | None:
    """The canonical host or host:port, or None when it is broken."""
    if authority.startswith("["):
        name, closed, rest = authority[1:].partition("]")
        if not closed or rest[:1] not in ("", ":"):
            return None
        try:
            host = f"[{ipaddress.IPv6Address(name)}]"
        except ValueError:
            return None
        if not _IPV6.fullmatch(host):
            return None
        port = rest[1:]
    else:
        name, _, port = authority.partition(":")
        host = _name(name)
    if port and not (port.isascii() and port.isdigit() and len(port) <= 8 and 0 < int(port) < 65536):
        return None
    if not host:
        return None
    return f"{host}:{int(port)}" if port and int(port) != _PORTS[scheme] else host


def _name(name: str) -> str:
    if "%" in name:
        name = unquote(name, errors="replace")
    if not name.isascii():
        try:
            # ASCII labels are not IDNA's: a_b.中国.cn and r3---sn.中国.cn are hosts too.
            labels = idna.uts46_remap(name, std3_rules=False).split(".")
            name = ".".join(each if each.isascii() else idna.alabel(each).decode("ascii") for each in labels)
        except (idna.IDNAError, UnicodeError, ValueError):
            return ""
    name = name.lower().removesuffix(".")
    return name if len(name) <= 253 and _HOST.fullmatch(name) else ""


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _escape_utf8(match: re.Match[str]) -> str:
    text = match[0]
    if match.lastgroup == "low":
        character = chr(int(text[1:], 16))
        return character if character in _UNRESERVED else text.upper()
    if match.lastgroup == "raw":
        return _percent(text.encode("utf-8", "replace"))
    return text.upper() if match.lastgroup == "high" else text


def _percent(data: bytes) -> str:
    return "".join(f"%{byte:02X}" for byte in data)


def _query_codec(encoding: str) -> str:
    """The codec for queries: that of the page's encoding, as in browsers, but UTF-8 for UTF-16 and unknown encodings."""
    name = encoding.lower().replace("_", "-")
    if name in ("gb2312", "gbk", "gb18030", "hz-gb-2312", "gb-2312"):
        return "gbk"
    return name if name in ("big5", "big5-hkscs", "shift-jis", "euc-jp", "euc-kr") else "utf-8"

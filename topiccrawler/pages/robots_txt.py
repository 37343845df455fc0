"""Reads a robots.txt as RFC 9309 and Google's parser do, for one user agent: its rules, the line that decides, Crawl-delay, sitemaps, and what
it says about the use of pages.

Protego compares paths and rules. Alone it is not enough: it applies a group to every agent in whose User-Agent header the group's name is a
word (`crawler`, `web`) or a beginning (`topic`), lets an unknown line end a group, does not say which rule decides, and reads all octets
that are no UTF-8 as the same character, so that one Chinese path in GBK closes a site. So Protego gets the rules of the agent's group alone,
as ASCII in which each octet differs from every other.

A rule in GB18030 or Big5 stands for its own octets, as in the URLs of such a site, and for the same path in UTF-8. It is not decided which
of the two charsets it is: a path that is read in the wrong one is in no URL.

Lines `Content-Usage` and `Content-Signal` belong to groups too. They may begin with a path; the longest that matches counts, and all lines
with that path count together (pages.usage).
Reference: RFC 9309, 2.2; github.com/google/robotstxt; draft-ietf-aipref-attach-05, 3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from protego import Protego

from topiccrawler.pages.usage import Statement, combined, preferences_in
from topiccrawler.patterns import lazy_pattern

ALLOW, DISALLOW = "Allow", "Disallow"
_AGENT, _DELAY, _SITEMAP = "User-agent", "Crawl-delay", "Sitemap"
_USAGE, _SIGNAL = "Content-Usage", "Content-Signal"
USAGE_SOURCES = {_USAGE: "robots.txt", _SIGNAL: "robots.txt Content-Signal"}
MOST_USES = 200  # lines about use that are read
_ANY = "*"
_FIELDS = {  # the frequent misspellings are those that Google's parser accepts
    _AGENT: rb"user[ \t-]?agent",
    DISALLOW: rb"disallow|dissallow|dissalow|disalow|diasllow|disallaw",
    ALLOW: rb"allow",
    _DELAY: rb"crawl[ \t-]?delay",
    _SITEMAP: rb"site-?maps?",
    _USAGE: rb"content[ \t-]?usage",
    _SIGNAL: rb"content[ \t-]?signals?",
}
_COLON = rb":|\xef\xbc\x9a|\xa3\xba"  # the full-width one of Chinese keyboards too, in UTF-8 and GB18030
_LINE = lazy_pattern(
    rb"(?:%s)(?:[ \t]*(?:%s)|[ \t])[ \t]*(.*)"
    % (b"|".join(b"(%s)" % names for names in _FIELDS.values()), _COLON),
    re.IGNORECASE | re.DOTALL,
)
_NAMES = tuple(_FIELDS)
_TOKEN = re.compile(r"[a-z0-9_-]+", re.ASCII)
_COMPATIBLE = re.compile(r"\(compatible;\s*([a-z0-9_-]+)", re.ASCII)
_ESCAPED = re.compile(rb"%([89a-f][0-9a-f])|([^\x20-\x7e])", re.IGNORECASE)
_CHARSETS = ("gb18030", "big5hkscs")


class Rule(NamedTuple):
    """A line of a robots.txt that allows or disallows paths."""

    number: int  # of the line, from 1
    kind: str  # ALLOW or DISALLOW
    path: bytes  # as written

    def __str__(self) -> str:
        path = next(filter(None, map(self._decoded, ("utf-8", *_CHARSETS))), None)
        return f"line {self.number}: {self.kind}: {path or self.path.decode('latin-1')}"

    def _decoded(self, charset: str) -> str | None:
        with suppress(UnicodeDecodeError):
            return self.path.decode(charset)
        return None


class RobotsTxt:
    """The rules of a robots.txt for one user agent. `agent`: its product token, or a whole User-Agent header."""

    def __init__(self, body: bytes, agent: str) -> None:
        self.sitemaps: list[str] = []  # as written
        self.crawl_delay: float | None = None  # seconds
        self._rules: list[Rule] = []
        self._uses: list[_Use] = []
        groups: dict[str, list[tuple[int, str, bytes]]] = {}
        current: list[list[tuple[int, str, bytes]]] = []
        names_follow = False
        for number, name, value in _lines(body):
            if name == _SITEMAP:
                self.sitemaps.append(value.decode("utf-8", "replace"))
            elif name == _AGENT:
                if not names_follow:
                    current = []
                names_follow = True
                current.append(groups.setdefault(_group_name(value), []))
            else:
                names_follow = False
                for group in current:
                    group.append((number, name, value))
        own = groups.get(product_token(agent))
        self._read(groups.get(_ANY, []) if own is None else own)

    def allowed(self, url: str) -> bool:
        """Whether the rules allow an absolute URL."""
        return self._protego.can_fetch(_ascii(url.encode()), _ANY)

    def rule(self, url: str) -> Rule | None:
        """The rule that decides on an absolute URL: the longest that matches, and among equals one that allows; None = no rule matches,
        so it is allowed. O(rules), for explanations."""
        kind = ALLOW if self.allowed(url) else DISALLOW
        matching = [rule for rule in self._rules if rule.kind == kind and path_matcher(rule.path)(url)]
        return max(matching, key=lambda rule: len(_ascii(rule.path)), default=None)

    def usage(self, url: str) -> list[Statement]:
        """What the lines about use say of an absolute URL, one statement for each kind of line."""
        found = []
        for name, source in USAGE_SOURCES.items() if self._uses else ():
            matching = [use for use in self._uses if use.name == name and use.matches(url)]
            longest = max((use.length for use in matching), default=0)
            said = combined(use.preferences for use in matching if use.length == longest)
            if said:
                found.append(Statement(said, source))
        return found

    def _read(self, group: list[tuple[int, str, bytes]]) -> None:
        for number, name, value in group:
            if name == _DELAY:
                with suppress(ValueError):
                    seconds = float(value)
                    self.crawl_delay = seconds if 0 <= seconds < float("inf") else self.crawl_delay
            elif name in USAGE_SOURCES:
                if len(self._uses) < MOST_USES and (use := _use(name, value)).preferences:
                    self._uses.append(use)
            elif value:
                self._rules.append(Rule(number, name, value))
        self._protego = Protego.parse("\n".join(["User-agent: *", *map(_directives, self._rules)]))


class _Use(NamedTuple):
    """A line about use."""

    name: str  # _USAGE or _SIGNAL
    length: int  # of the path in octets
    matches: Callable[[str], bool]
    preferences: dict[str, str]


def _use(name: str, value: bytes) -> _Use:
    path, said = b"/", value
    if value.startswith(b"/"):
        path, *rest = value.split(maxsplit=1)
        said = b"".join(rest)
    return _Use(name, len(_ascii(path)), path_matcher(path), preferences_in(said.decode("latin-1")))


def path_matcher(path: bytes) -> Callable[[str], bool]:
    """A function that tells whether the path of an absolute URL matches a pattern of robots.txt, with `*` and `$`."""
    if path in {b"/", b"/*"}:
        return lambda _: True
    parsed = Protego.parse(f"User-agent: *\n{_directives(Rule(0, DISALLOW, path))}")
    return lambda url: not parsed.can_fetch(_ascii(url.encode()), _ANY)


def product_token(agent: str) -> str:
    """The product token of a User-Agent header, in lower case: `topiccrawler` of `topiccrawler/0.1 (…)`, `name` of
    `Mozilla/5.0 (compatible; Name/1.0; …)`; empty if it has none."""
    text = agent.strip().lower()
    if found := _COMPATIBLE.search(text):
        return found[1]
    return found[0] if (found := _TOKEN.match(text)) else ""


def _group_name(value: bytes) -> str:
    """The product token that a User-agent line names, _ANY, or a text that is no token."""
    text = value.decode("latin-1").lower()
    if text[:1] == _ANY and not text[1:2].strip():
        return _ANY
    return found[0] if (found := _TOKEN.match(text)) else "?"


def _lines(body: bytes) -> Iterator[tuple[int, str, bytes]]:
    """Number, field and value of each line with a known field. Octets, not characters: in GB18030 a character may end in one that is a
    blank or the end of a line in Unicode."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        body = body.decode("utf-16", "replace").encode("utf-8", "replace")
    for octet in (b"\xef", b"\xbb", b"\xbf"):  # a byte order mark, or what is left of one
        body = body.removeprefix(octet)
    for number, line in enumerate(body.splitlines(), 1):
        found = _LINE.fullmatch(line.partition(b"#")[0].strip(b" \t\r\n\x0b\x0c"))
        if found is not None:
            which = next(index for index, group in enumerate(found.groups()) if group is not None)
            yield number, _NAMES[which], found[len(_NAMES) + 1]


def _directives(rule: Rule) -> str:
    """The lines by which Protego reads a rule, in each charset in which a URL may have its path."""
    paths = [rule.path]
    if not _is_utf8(rule.path):
        for charset in _CHARSETS:
            with suppress(UnicodeDecodeError):
                paths.append(rule.path.decode(charset).encode())
    return "\n".join(f"{rule.kind}: {_ascii(path)}" for path in dict.fromkeys(paths))


def _is_utf8(octets: bytes) -> bool:
    try:
        octets.decode()
    except UnicodeDecodeError:
        return False
    return True


def _ascii(octets: bytes) -> str:
    """A URL or path as ASCII: each octet beyond ASCII, escaped or not, as the UTF-8 of the character of its number, which Protego compares
    octet by octet."""

    def escaped(found: re.Match[bytes]) -> bytes:
        octet = bytes.fromhex(found[1].decode()) if found[1] else found[2]
        return b"".join(b"%%%02X" % one for one in octet.decode("latin-1").encode())

    return _ESCAPED.sub(escaped, octets).decode()

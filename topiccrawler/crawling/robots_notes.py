"""Notes of the queue on the robots.txt of hosts, by which `scrapy explain`, a running crawl and the dashboard say what holds for a URL.

A note has what the server answered, when, and the file itself, so that the line that decides can be named after the crawl has ended. A file
of more than LARGEST_NOTED compressed bytes is left out of its note.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from topiccrawler.crawling.admission import ROBOTS_TXT, DownloaderRule
from topiccrawler.crawling.link_gate import Decision
from topiccrawler.frontier.base import Notes
from topiccrawler.model import Link
from topiccrawler.pages.robots_txt import RobotsTxt

ROBOTS_NOTE = "robots/"  # followed by the host
LARGEST_NOTED = 4_000  # bytes
# begins the reason for which a host waits whose server answers, but not with its rules
CLOSED = "no robots.txt"
UNREACHABLE = "unreachable"  # begins that of a host without a connection
_UNITS = ((86_400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))


@dataclass(frozen=True, slots=True)
class RobotsNote:
    """What a crawl knows of the robots.txt of one host."""

    agent: str  # product token whose group counts
    said: str  # the answer or the fault: `http 200`, `timeout`
    asked: float  # when, in seconds since 1970
    until: float  # when it is asked again
    is_closed: bool = False  # nothing of the host may be fetched
    file: bytes | None = None  # compressed by zlib; None = there are no rules, or too many for a note

    def text(self) -> str:
        """The note as JSON."""
        packed = (
            None if self.file is None or len(self.file) > LARGEST_NOTED else b64encode(self.file).decode()
        )
        return json.dumps(
            [self.agent, self.said, round(self.asked, 1), round(self.until, 1), self.is_closed, packed]
        )

    @classmethod
    def read(cls, text: str | None) -> RobotsNote | None:
        """The note of a JSON text; None if there is none, or it is damaged."""
        try:
            agent, said, asked, until, is_closed, packed = json.loads(text or "null")
            file = None if packed is None else b64decode(packed, validate=True)
            return cls(str(agent), str(said), float(asked), float(until), bool(is_closed), file)
        except (ValueError, TypeError):
            return None

    def decision(self, url: str, now: float) -> Decision:
        """What holds for a URL of the host, and the line that says so."""
        when = f"robots.txt {span(now - self.asked)} ago: {self.said}"
        if self.is_closed:
            again = f"asked again in {span(self.until - now)}" if self.until > now else "asked again next"
            return Decision(
                False, reason=f"{when}; the host is closed until it can be read, {again}", postpones=True
            )
        if self.file is None:
            return Decision(True, reason=when)
        try:
            rules = RobotsTxt(zlib.decompress(self.file), self.agent)
        except zlib.error:
            return Decision(True, reason=when)
        rule = rules.rule(url)
        return Decision(rules.allowed(url), reason=f"{when}; {rule or 'no rule matches'}")


def robots_of(notes: Notes, host: str, now: float) -> dict[str, Any]:
    """What is known of the robots.txt of a host, for lists of hosts: the answer, and how many seconds ago it came; empty when nothing is."""
    note = RobotsNote.read(notes.get(ROBOTS_NOTE + host))
    return (
        {} if note is None else {"robots": note.said, "robots_seconds": round(max(0.0, now - note.asked), 1)}
    )


def robots_rule(notes: Notes, clock: Callable[[], float]) -> DownloaderRule:
    """The admission rule that says what the notes have on a link. `clock`: seconds since 1970."""

    def known(link: Link) -> Decision | None:
        note = RobotsNote.read(notes.get(ROBOTS_NOTE + link.host))
        return None if note is None else note.decision(link.url, clock())

    return DownloaderRule(ROBOTS_TXT, known)


def span(seconds: float) -> str:
    """A time in its largest unit: `40 s`, `12 min`, `3 h`, `2 days`."""
    unit, name = next((one for one in _UNITS if seconds >= 2 * one[0]), _UNITS[-1])
    return f"{max(0.0, seconds) / unit:.0f} {name}"

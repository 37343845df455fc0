"""What the queue notes of a host's robots.txt, and what an explanation makes of it."""

import json
import os
import zlib

import pytest

from topiccrawler.crawling.robots_notes import LARGEST_NOTED, ROBOTS_NOTE, RobotsNote, robots_rule
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link

NOW = 10_000.0
FILE = zlib.compress("User-agent: *\nDisallow: /下载\n".encode("gb18030"))
LINK = Link("http://a.example/%CF%C2%D4%D8/x", "a.example")


def said(note: RobotsNote | str, link: Link = LINK) -> tuple[bool, bool, str] | None:
    notes = MemoryFrontier(Hosts()).notes
    notes.put(ROBOTS_NOTE + "a.example", note if isinstance(note, str) else note.text())
    decision = robots_rule(notes, lambda: NOW).known(link)
    return None if decision is None else (decision.passed, decision.postpones, decision.reason)


def test_the_line_that_decides_is_named_with_the_age_of_the_file() -> None:
    note = RobotsNote("topiccrawler", "http 200", NOW - 600, NOW + 9, file=FILE)
    assert said(note) == (False, False, "robots.txt 10 min ago: http 200; line 2: Disallow: /下载")
    other = LINK._replace(url="http://a.example/x")
    assert said(note, other) == (True, False, "robots.txt 10 min ago: http 200; no rule matches")
    assert said(note, LINK._replace(host="b.example")) is None


def test_a_host_without_rules_is_open_and_one_that_cannot_be_read_is_closed() -> None:
    open_host = RobotsNote("topiccrawler", "http 404", NOW - 3 * 3600, NOW + 9)
    assert said(open_host) == (True, False, "robots.txt 3 h ago: http 404")
    closed = RobotsNote("topiccrawler", "timeout", NOW - 30, NOW + 90, is_closed=True)
    assert said(closed) == (
        False, True, "robots.txt 30 s ago: timeout; the host is closed until it can be read, asked again in 90 s",
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "[1]", json.dumps(["a", "b", "x", 1, False, None]), '["a","b",1,1,false,"?"]'],
)
def test_a_damaged_note_says_nothing(text: str) -> None:
    assert said(text) is None


def test_a_damaged_or_large_file_is_left_out() -> None:
    note = RobotsNote("topiccrawler", "http 200", NOW - 1, NOW, file=b"no zlib")
    assert said(note) == (True, False, "robots.txt 1 s ago: http 200")
    large = RobotsNote("topiccrawler", "http 200", NOW - 1, NOW, file=os.urandom(LARGEST_NOTED + 1))
    assert len(large.text()) < 100
    assert said(large) == (True, False, "robots.txt 1 s ago: http 200")

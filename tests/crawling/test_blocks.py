from __future__ import annotations

from pathlib import Path

import pytest

from topiccrawler.crawling.blocks import NOTE, Block, Blocks
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link


@pytest.mark.parametrize(
    ("pattern", "url", "matches"),
    [
        ("http://a/list", "http://a/list?page=2", True),  # without a star: what begins so
        ("http://a/list", "http://b/?http://a/list", False),
        ("http://a/*.pdf", "http://a/x/y.pdf", True),
        ("http://a/*.pdf", "http://a/x/y.pdf?z", False),
        ("*page=*", "http://a/?page=3", True),
        ("*page=*", "http://a/", False),
        ("http://a/*/x*/end", "http://a/1/x/end", True),
        ("http://a/*x", "http://a/x", True),
        ("http://a/x*x", "http://a/x", False),  # one x is not two
        ("http://a/[1]?", "http://a/[1]?q", True),  # signs mean themselves
        ("http://a/" + "*a" * 200 + "b", "http://a/" + "a" * 1900, False),  # and no pattern takes long
    ],
)
def test_a_pattern_matches_the_whole_url(pattern: str, url: str, matches: bool) -> None:
    assert Block(pattern=pattern).matches(url) is matches


@pytest.mark.parametrize(
    ("url", "matches"),
    [
        ("http://spam.example/", True),
        ("https://news.spam.example:8080/x", True),
        ("http://notspam.example/", False),
        ("http://a/?spam.example", False),
    ],
)
def test_a_site_is_a_host_with_its_subdomains(url: str, matches: bool) -> None:
    assert Block(site="spam.example").matches(url) is matches


@pytest.mark.parametrize(
    ("pattern", "site"),
    [("", ""), ("http://a/", "a"), ("**", ""), ("", "http://a/"), ("", "A.example"), ("x" * 2001, "")],
)
def test_what_cannot_be_meant_is_refused(pattern: str, site: str) -> None:
    with pytest.raises(ArgumentError):
        Block(pattern, site)


def test_blocks_outlive_a_restart_of_their_job(tmp_path: Path) -> None:
    with SqliteFrontier(tmp_path / "frontier.sqlite") as frontier:
        Blocks(frontier.notes).add(Block(site="spam.example"))
    with SqliteFrontier(tmp_path / "frontier.sqlite") as frontier:
        blocks = Blocks(frontier.notes)
    links = [Link("http://spam.example/", "spam.example"), Link("http://a.example/", "a.example")]
    assert blocks.reason(links[0].url) == "blocked: spam.example"
    assert list(blocks.admitted(links)) == links[1:]


@pytest.mark.parametrize("note", ["{", '[{"pattern": ""}]', '[{"x": 1}]', "7"])
def test_a_damaged_note_is_one_line(note: str) -> None:
    frontier = MemoryFrontier()
    frontier.notes.put(NOTE, note)
    with pytest.raises(StateError, match="are damaged"):
        Blocks(frontier.notes)

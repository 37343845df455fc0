from pathlib import Path
from uuid import uuid4

import pytest
from frontier_calls import until
from redis_server import RedisServer

from topiccrawler.cluster.redis.client import Client
from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.cluster.redis.joining import join
from topiccrawler.crawling.admission import Admission, blocked
from topiccrawler.crawling.blocks import BLOCKS_NOTE, Blocks
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link
from topiccrawler.urls.canonical import canonical
from topiccrawler.urls.unwanted import Block, block_of


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
    with SqliteFrontier(tmp_path / "job.sqlite") as frontier:
        Blocks(frontier.notes).add(Block(site="spam.example"))
    with SqliteFrontier(tmp_path / "job.sqlite") as frontier:
        blocks = Blocks(frontier.notes)
    links = [Link("http://spam.example/", "spam.example"), Link("http://a.example/", "a.example")]
    assert blocks.reason(links[0].url) == "blocked: spam.example"
    assert list(Admission([blocked(blocks)]).offered(links)) == links[1:]


def test_what_one_process_is_reported_to_block_all_keep_out_and_those_that_join_later(
    redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    job, spam = uuid4().hex, "http://spam.example/1"

    def joined() -> tuple[RedisFrontier, Blocks]:
        frontier = RedisFrontier(join(Client(redis_server.url, job), call_seconds=60.0))
        return frontier, Blocks(frontier.notes, frontier.exchange)

    def hears(frontier: RedisFrontier, blocks: Blocks) -> bool:
        frontier.pending()
        return blocks.reason(spam) == "blocked: spam.example"

    (first, reported), (second, other) = joined(), joined()
    first.exchange.announce('{"blocks": {"pattern": ""}}')  # of another version, say
    reported.add(Block(site="spam.example"))
    reported.add(Block(site="spam.example"))
    until(lambda: hears(second, other))
    assert other.reason("http://a.example/1") is None
    third, late = joined()
    until(lambda: hears(third, late))
    assert [len(one.exchange.announced) for one in (second, third)] == [2, 2]
    assert "damaged" in caplog.text
    for frontier in (first, second, third):
        frontier.close()


@pytest.mark.parametrize("note", ["{", '[{"pattern": ""}]', '[{"x": 1}]', "7"])
def test_a_damaged_note_is_one_line(note: str) -> None:
    frontier = MemoryFrontier()
    frontier.notes.put(BLOCKS_NOTE, note)
    with pytest.raises(StateError, match="are damaged"):
        Blocks(frontier.notes)


@pytest.mark.parametrize(
    ("words", "block"),
    [
        ("bbs.hupu.com", Block(site="bbs.hupu.com")),
        ("BBS.hupu.com/", Block(site="bbs.hupu.com")),
        ("http://bbs.hupu.com/", Block("http://bbs.hupu.com/")),
        ("*/tag/*", Block("*/tag/*")),
        ("http*/tag/*", Block("http*/tag/*")),
        ("http://news.", Block("http://news.")),
        ("http://A.cn:80/Tag/*", Block("http://a.cn/Tag/*")),
        ("新闻.cn", Block(site="xn--efvy88h.cn")),
        ("http://新闻.cn/*", Block("http://xn--efvy88h.cn/*")),
        ("https://a.cn/茶/*?茶=", Block("https://a.cn/%E8%8C%B6/*?%E8%8C%B6=")),
        ("*茶*", Block("*%E8%8C%B6*")),
    ],
)
def test_a_host_is_a_host(words: str, block: Block) -> None:
    assert block_of(words) == block


def test_a_site_is_the_host_that_urls_have() -> None:
    assert block_of("", "新闻.cn").matches(canonical("http://www.新闻.cn/1") or "")
    assert block_of("", "a.cn.") == Block(site="a.cn")
    assert block_of("", "a.cn") == Block(site="a.cn")
    for words in (".a.cn", "新闻|.cn", "A.cn", "a.cn/x", "*.a.cn"):
        with pytest.raises(ArgumentError, match="is no host"):
            block_of("", words)

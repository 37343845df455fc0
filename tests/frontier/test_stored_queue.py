from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest
from message_facts import numbers

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.frontier.stored_queue import Overview, StoredQueue, is_made
from topiccrawler.model import Link, Score


def link(url: str, anchor: str = "") -> Link:
    return Link(f"http://{url}", url.partition("/")[0], anchor, source_url="http://hub.cn/", depth=1)


def overview(path: Path, top: int = 10) -> Overview:
    with closing(StoredQueue(path)) as queue:
        return queue.overview(top)


def fill(path: Path) -> None:
    """a/2 is raised above all others; a/1 failed, b/1 was kept, b/2 refused, c/1 is under way."""
    with SqliteFrontier(path) as frontier:
        rows = [
            ("a.cn/1", 9.0),
            ("b.cn/1", 8.0),
            ("b.cn/2", 7.0),
            ("c.cn/1", 6.0),
            ("a.cn/2", 1.0),
            ("d.cn/1", 2.0),
        ]
        frontier.push([(link(url), Score(f"http://{url}", value)) for url, value in rows], now=5.0, tunnel=1)
        for url, state, reason in (
            ("a.cn/1", State.ERROR, "http 404"),
            ("b.cn/1", State.COMPLETED, "kept"),
            ("b.cn/2", State.DISCARDED, "trap: path depth: 17 segments"),
        ):
            assert frontier.lease(6.0) is not None
            frontier.end(f"http://{url}", state, reason, 7.0)
        assert frontier.lease(8.0) is not None
        frontier.push([(link("a.cn/2", "基金"), Score("http://a.cn/2", 4.0, carry=0.5))], now=9.0)
        frontier.notes.put("harvest", '{"pages": 2, "kept": 1}')


def test_an_overview_counts_by_state_host_and_reason_and_gives_the_best_waiting_rows(tmp_path: Path) -> None:
    fill(tmp_path / "f.sqlite")
    seen = overview(tmp_path / "f.sqlite", top=5)
    assert seen.states == {"waiting": 2, "processing": 1, "error": 1, "discarded": 1, "completed": 1}
    assert list(seen.hosts.items()) == [
        ("a.cn", {"waiting": 1, "error": 1}),
        ("d.cn", {"waiting": 1}),
        ("b.cn", {"discarded": 1, "completed": 1}),
        ("c.cn", {"processing": 1}),
    ]
    assert seen.failures == {"http 404": 1}
    [(why, count)] = seen.discards.items()
    assert (why.startswith("trap: "), numbers(why), count) == (True, ["17"], 1)
    assert [(row.link.url, row.score, row.link.anchor) for row in seen.top] == [
        ("http://a.cn/2", 4.0, "基金"),
        ("http://d.cn/1", 2.0, ""),
    ]
    assert seen.notes == {"harvest": '{"pages": 2, "kept": 1}'}


def test_a_frontier_can_be_looked_at_while_a_crawl_writes_to_it(tmp_path: Path) -> None:
    path = tmp_path / "f.sqlite"
    with SqliteFrontier(path) as frontier:
        frontier.push([(link("a.cn/1"), Score("http://a.cn/1", 1.0))], now=0.0)
        frontier.commit()
        frontier.push([(link("a.cn/2"), Score("http://a.cn/2", 1.0))], now=0.0)
        assert overview(path).states["waiting"] == 1
        frontier.commit()
        assert overview(path).states["waiting"] == 2


def test_a_reader_never_blocks_the_writer_and_sees_one_moment(tmp_path: Path) -> None:
    path = tmp_path / "f.sqlite"
    with SqliteFrontier(path) as frontier:
        for number in range(300):
            url = f"http://a.cn/{number}"
            frontier.push([(link(url[7:]), Score(url, 1.0))], now=0.0)
            frontier.commit()
            if number == 100:
                reader = StoredQueue(path)
                assert reader.overview().states["waiting"] == 101
        seen = reader.overview(top=1000)
        assert (seen.states["waiting"], len(seen.top), len(list(reader.queued()))) == (101, 101, 101)
        reader.close()
        assert overview(path).states["waiting"] == 300


def test_where_there_is_no_frontier_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"none\.sqlite"):
        overview(tmp_path / "none.sqlite")
    (tmp_path / "text.sqlite").write_text("hello")
    with pytest.raises(StateError, match=r"text\.sqlite"):
        overview(tmp_path / "text.sqlite")
    assert [path.name for path in tmp_path.iterdir()] == ["text.sqlite"]


def test_single_urls_are_looked_up_beside_the_writer_with_the_score_that_counts(tmp_path: Path) -> None:
    path = tmp_path / "job.sqlite"
    with SqliteFrontier(path) as frontier:
        links = [Link(f"http://h{number % 3}/{number}", f"h{number % 3}") for number in range(50)]
        frontier.push([(link, Score(link.url, 1.0)) for link in links], now=0.0)
        raised = links[7]._replace(anchor="基金")
        frontier.push([(raised, Score(raised.url, 5.0))], now=1.0)
        frontier.notes.put("a", "b")
        frontier.commit()
        lookup = StoredQueue(path)
        assert lookup.row(raised.url) == frontier.look().row(raised.url)
        assert lookup.row(links[0].url) == frontier.look().row(links[0].url)
        assert lookup.row("http://h0/none") is None
        assert lookup.notes.get("a") == "b"
        assert [link.url for link in lookup.queued(links[47].url)] == [links[48].url, links[49].url]
        lookup.close()
        lookup = StoredQueue(path)
        assert list(lookup.queued()) == list(frontier.look().queued()) == [*links[:7], raised, *links[8:]]
        lookup.close()


def test_a_reader_beside_a_crawl_that_begins_finds_no_frontier_or_a_whole_one(tmp_path: Path) -> None:
    (tmp_path / "empty.sqlite").touch()
    assert not is_made(tmp_path / "empty.sqlite")
    paths = [tmp_path / f"{number}.sqlite" for number in range(40)]

    made_all = Event()

    def counted_when_made(path: Path) -> int:
        while not (is_made(path) or made_all.is_set()):
            pass
        return sum(overview(path).states.values())

    with ThreadPoolExecutor(1) as reader:
        found = reader.map(counted_when_made, paths)
        try:
            for path in paths:
                with SqliteFrontier(path) as frontier:
                    frontier.push([(link("a.cn/1"), Score("http://a.cn/1", 1.0))], now=0.0)
        finally:
            made_all.set()
        assert [*found] == [1] * len(paths)

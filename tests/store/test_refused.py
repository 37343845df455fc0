"""The sample of links that were not queued."""

from contextlib import closing
from pathlib import Path

import pytest

from topiccrawler.model import Link
from topiccrawler.store import refused as module
from topiccrawler.store.refused import RefusedLinks


def links(count: int) -> list[Link]:
    return [
        Link(f"http://例子.example/{number}", "例子.example", "基金\ud800", source_url="http://a.example/")
        for number in range(count)
    ]


def test_one_url_in_so_many_is_noted_once_the_same_in_each_run(tmp_path: Path) -> None:
    path = tmp_path / "job.sqlite"
    with closing(RefusedLinks(path)) as first:
        first.add(links(800), [0.25] * 800, 7.0)
        first.add(links(800), [0.5] * 800, 8.0)
        noted = first.all()
    assert 800 / module.ONE_IN / 2 < len(noted) < 800 / module.ONE_IN * 2
    assert {(link.anchor, link.source_url, link.probability, link.time) for link in noted} == {
        ("基金?", "http://a.example/", 0.25, 7.0)
    }
    with closing(RefusedLinks(path)) as again:
        again.add(links(900), [0.75] * 900, 9.0)
        both = again.all()
        assert both[: len(noted)] == noted
        assert {link.probability for link in both[len(noted) :]} == {0.75}
        assert again.all(limit=2, skip=1) == both[1:3]
        assert again.count() == len(both)


def test_there_are_never_more_than_the_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    with closing(RefusedLinks(tmp_path / "job.sqlite")) as log:
        log.add(links(800), [None] * 800, 1.0)
        assert log.count() == 3
    with closing(RefusedLinks(tmp_path / "job.sqlite")) as log:
        log.add(links(900), [None] * 900, 1.0)
        assert log.count() == 3

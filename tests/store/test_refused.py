"""The sample of links that were not queued."""

from __future__ import annotations

import re
from errno import EACCES, ENOENT
from os import strerror
from pathlib import Path
from unittest import mock

import pytest

from topiccrawler.errors import StateError
from topiccrawler.model import Link
from topiccrawler.store import refused as module
from topiccrawler.store.refused import RefusedLinks, read_refused


def links(count: int) -> list[Link]:
    return [
        Link(f"http://例子.example/{number}", "例子.example", "基金\ud800", source_url="http://a.example/")
        for number in range(count)
    ]


def test_one_url_in_so_many_is_noted_once_the_same_in_each_run(tmp_path: Path) -> None:
    path = tmp_path / "refused.jsonl"
    first = RefusedLinks(path)
    first.add(links(800), [0.25] * 800, 7.0)
    first.add(links(800), [0.5] * 800, 8.0)
    first.commit()
    noted = list(read_refused(path))
    assert 800 / module.ONE_IN / 2 < len(noted) < 800 / module.ONE_IN * 2
    assert {(link.anchor, link.source_url, link.probability, link.time) for link in noted} == {
        ("基金\ud800", "http://a.example/", 0.25, 7.0)
    }
    again = RefusedLinks(path)
    again.add(links(900), [0.75] * 900, 9.0)
    again.commit()
    both = list(read_refused(path))
    assert both[: len(noted)] == noted
    assert {link.probability for link in both[len(noted) :]} == {0.75}
    assert list(read_refused(path, limit=2, skip=1)) == both[1:3]


def test_there_are_never_more_than_the_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    log = RefusedLinks(tmp_path / "refused.jsonl")
    log.add(links(800), [None] * 800, 1.0)
    log.commit()
    assert len(list(read_refused(log.path))) == 3


def test_a_file_that_cannot_be_written_is_reported_of_once_and_the_crawl_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = RefusedLinks(tmp_path / "missing" / "refused.jsonl")
    log.commit()
    assert caplog.messages == []
    for number in (100, 200):
        log.add(links(number), [0.1] * number, 1.0)
        log.commit()
    assert list(read_refused(log.path)) == []
    [reported] = caplog.messages
    assert re.search(f"{re.escape(str(log.path))}: .*{strerror(ENOENT)}; ", reported)


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "refused.jsonl"
    path.touch()
    with mock.patch.object(Path, "open", side_effect=PermissionError(EACCES, strerror(EACCES))):
        with pytest.raises(StateError, match=strerror(EACCES)):
            list(read_refused(path))
        RefusedLinks(path).add(links(800), [0.1] * 800, 1.0)
    [reported] = caplog.messages
    assert strerror(EACCES) in reported


def test_a_damaged_line_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "refused.jsonl"
    path.write_text(
        '["http://a.example/", "a", "", 0.1, 1.0]\n[1]\nno\n' + "[" * 100_000 + '\n["half', encoding="utf-8"
    )
    assert [link.url for link in read_refused(path)] == ["http://a.example/"]

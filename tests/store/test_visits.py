from __future__ import annotations

from dataclasses import replace
from errno import EISDIR, ENOSPC
from os import strerror
from pathlib import Path

import pytest

from topiccrawler.errors import StateError
from topiccrawler.model import Visit
from topiccrawler.store.visits import VisitLog, read_visits

VISIT = Visit("http://a.cn/", 200, 0.5, 0.25, stored=True, time=1.0, shares=[])


def test_a_log_goes_on_after_half_a_line_and_loses_no_other(tmp_path: Path) -> None:
    path = tmp_path / "visits.jsonl"
    for more in ('{"url": "http://half', ""):
        log = VisitLog(path)
        log.check()
        log.append(VISIT)
        log.commit()
        path.write_text(path.read_text() + more)
    assert list(read_visits(path)) == [VISIT, VISIT]
    assert len(path.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe{}",
        b"[1, 2]",
        b"[" * 200_000,
        b'{"url": "http://a.cn/"}',
        b'{"url": 1, "status": 200, "score": 0, "relevance": 0, "stored": true, "time": 1}',
        b'{"url": "a", "status": 200, "score": "x", "relevance": 0, "stored": true, "time": 1}',
        b'{"url": "a", "status": 200, "score": 0, "relevance": null, "stored": true, "time": 1}',
        b'{"url": "a", "status": 200, "score": 0, "relevance": 0, "stored": true, "time": 1, "shares": 7}',
    ],
)
def test_a_line_that_is_no_visit_is_passed_over(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "visits.jsonl"
    log = VisitLog(path)
    log.append(VISIT)
    log.commit()
    path.write_bytes(line + b"\n" + path.read_bytes())
    assert list(read_visits(path)) == [VISIT]


def test_a_log_that_cannot_be_written_is_one_line_and_keeps_what_it_was_given(tmp_path: Path) -> None:
    path = tmp_path / "visits.jsonl"
    path.symlink_to("/dev/full")
    log = VisitLog(path)
    log.append(VISIT)
    with pytest.raises(
        StateError,
        match=rf"visits\.jsonl: .*{strerror(ENOSPC)}",
    ):
        log.commit()
    path.unlink()
    log.commit()
    assert list(read_visits(path)) == [VISIT]
    path.unlink()
    path.mkdir()
    with pytest.raises(StateError, match=strerror(EISDIR)):
        VisitLog(path).check()


def test_a_line_of_a_url_that_failed_is_short_and_all_of_it_is_read(tmp_path: Path) -> None:
    shares = [(f"word {number}", number / 7) for number in range(30)]
    dead = Visit(
        "http://a.cn/x",
        404,
        2.5,
        0.0,
        stored=False,
        time=7.0,
        source_url="http://a.cn/",
        anchor="基金",
        shares=shares,
    )
    log = VisitLog(tmp_path / "visits.jsonl")
    for visit in (dead, replace(dead, status=0, anchor=""), replace(dead, status=200)):
        log.append(visit)
    log.commit()
    lines = (tmp_path / "visits.jsonl").read_bytes().splitlines()
    assert [len(line) < 180 for line in lines] == [True, True, False]
    first, second, page = read_visits(tmp_path / "visits.jsonl")
    assert (first, second) == (replace(dead, shares=()), replace(dead, status=0, anchor="", shares=()))
    assert len(page.shares) == 30

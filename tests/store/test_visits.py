"""The crawl log: what is put in comes back, in order, after a number, by URL."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from topiccrawler.model import Visit
from topiccrawler.store.visits import VisitLog, as_json

VISIT = Visit(
    "http://a.cn/基金", 200, 0.5, 0.25, stored=True, time=1.0, shares=[("words", 0.25), ("site", 0.25)]
)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[VisitLog]:
    log = VisitLog(tmp_path / "job.sqlite")
    yield log
    log.close()


def test_visits_come_back_in_order_whole_and_from_any_of_them_on(log: VisitLog) -> None:
    visits = [replace(VISIT, url=f"http://a.cn/{number}", time=float(number)) for number in range(2500)]
    for visit in visits:
        log.append(visit)
    assert list(log.all()) == visits
    assert log.last() == 2500
    assert list(log.after(2498)) == [(2499, visits[2498]), (2500, visits[2499])]
    assert log.latest(2) == visits[-2:]
    assert log.latest(9999) == visits


def test_the_log_may_grow_while_it_is_read(log: VisitLog) -> None:
    log.append(VISIT)
    found = log.all()
    assert next(found) == VISIT
    log.append(replace(VISIT, time=2.0))
    assert [*found, *log.latest(1)][-1].time == 2.0


def test_a_url_has_its_visits_and_its_last_one(log: VisitLog) -> None:
    odd = replace(VISIT, url="http://a.cn/\ud800", anchor="\udfff")
    for visit in (VISIT, odd, replace(VISIT, status=304)):
        log.append(visit)
    assert [visit.status for visit in log.of(VISIT.url)] == [200, 304]
    assert log.last_of(VISIT.url) == replace(VISIT, status=304)
    assert log.last_of(odd.url) == replace(odd, url="http://a.cn/?", anchor="?")
    assert log.last_of("http://none.cn/") is None


def test_the_parts_of_a_failed_urls_score_are_left_to_the_queue(log: VisitLog) -> None:
    for status in (404, 0, 200):
        log.append(replace(VISIT, status=status, stored=False))
    assert [list(visit.shares) for visit in log.all()] == [[], [], list(VISIT.shares)]


def test_a_visit_is_one_line_of_json() -> None:
    line = as_json(VISIT)
    assert "基金" in line
    known = json.loads(line)
    assert (known["url"], known["stored"]) == (VISIT.url, True)
    assert known["shares"] == [["words", 0.25], ["site", 0.25]]

"""A crawl log of any length: what is full is compressed, no line is lost or read twice, whenever the process is killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from topiccrawler.crawling.page_stores import visits_of
from topiccrawler.errors import StateError
from topiccrawler.model import Visit
from topiccrawler.results.jobs import JobLog
from topiccrawler.store import visits as segments
from topiccrawler.store.visits import Segments, VisitLog, VisitTail, read_latest, read_visits
from topiccrawler.zstandard import zstd

HOST = "http://dead.example"


def dead(number: int) -> Visit:
    source = f"{HOST}/archive/{number // 40}"
    return Visit(
        f"{HOST}/2019/{number % 12}/{number * 7919 % 1_000_003}.html", 404, number / 7, 0.0, stored=False,
        time=1.7e9 + number, source_url=source, anchor="上一篇",
    )  # fmt: skip


def write(path: Path, visits: Iterator[Visit] | list[Visit], *, each: int = 1) -> None:
    log = VisitLog(path)
    for number, visit in enumerate(visits, start=1):
        log.append(visit)
        if number % each == 0:
            log.commit()
    log.commit()


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "BYTES", 2000)


@pytest.mark.slow
def test_a_host_of_forty_thousand_dead_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "BYTES", 8_000_000)
    path, visits = tmp_path / "visits.jsonl", [dead(number) for number in range(40_000)]
    write(path, iter(visits), each=100)
    full = [file.name for file in (tmp_path / "visits").iterdir()]
    assert full == ["00001.jsonl.zst"]
    packed = (tmp_path / "visits" / full[0]).stat().st_size
    lines = 40_000 - path.read_bytes().count(b"\n")
    assert 0 < path.stat().st_size < segments.BYTES
    assert packed < 40 * lines  # some 210 before
    assert list(read_visits(path)) == visits
    assert read_latest(path, 1000) == visits[-1000:]


@pytest.mark.usefixtures("short")
def test_the_latest_are_found_when_the_log_was_just_begun_anew(tmp_path: Path) -> None:
    path, visits = tmp_path / "visits.jsonl", list(map(dead, range(50)))
    for number, visit in enumerate(visits, start=1):
        write(path, [visit])
        assert read_latest(path, 15) == visits[max(0, number - 15) : number]
    assert Segments(path).count() > 3


def test_the_latest_of_long_lines_are_fewer_and_have_no_gap(tmp_path: Path) -> None:
    path, visits = tmp_path / "visits.jsonl", list(map(dead, range(10)))
    write(path, visits)
    Segments(path).rotate()
    long = [replace(dead(number), anchor="x" * 3000) for number in range(10, 20)]
    write(path, long)
    assert read_latest(path, 8) == long[-2:]
    assert read_latest(path, 100) == visits + long


@pytest.mark.usefixtures("short")
def test_a_log_that_is_read_while_it_grows(tmp_path: Path) -> None:
    path, log, tail = tmp_path / "visits.jsonl", JobLog(tmp_path), VisitTail(tmp_path / "visits.jsonl")
    visits, found = list(map(dead, range(60))), list[tuple[tuple[int, int], Visit]]()
    for begin in range(0, 60, 5):
        write(path, visits[begin : begin + 5])
        assert log.advance() == 1.0
        assert log.tally.failed == begin + 5
        assert tail.has_more()
        found += tail.visits()
        assert not tail.has_more()
    assert [visit for _, visit in found] == visits
    assert [tail.at(place) for place, _ in found] == visits
    assert log.visit(visits[3].url) == visits[3]
    assert log.advance(0.0) == 1.0


@pytest.mark.usefixtures("short")
def test_a_long_log_is_read_in_pieces(tmp_path: Path) -> None:
    write(tmp_path / "visits.jsonl", map(dead, range(300)))
    log, shares = JobLog(tmp_path), [0.0]
    while shares[-1] < 1:
        shares.append(log.advance(0.0))
    assert shares == sorted(shares)
    assert len(shares) > 3
    assert log.visit(dead(299).url) == dead(299)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("killed", ["after renaming", "while compressing", "before removing", "not"])
def test_killed_while_it_rotates(tmp_path: Path, killed: str) -> None:
    path, visits = tmp_path / "visits.jsonl", list(map(dead, range(24)))
    write(path, visits)
    plain, packed = tmp_path / "visits/00001.jsonl", tmp_path / "visits/00001.jsonl.zst"
    assert packed.is_file()
    [lines] = [Segments(path).open(1)[0].read()]
    if killed != "not":
        plain.write_bytes(lines)
    if killed == "while compressing":
        (tmp_path / "visits/.00001.jsonl.zst.77").write_bytes(packed.read_bytes()[:50])
    if killed in {"while compressing", "after renaming"}:
        packed.unlink()
    if killed == "after renaming":
        visits = [visit for visit in visits if visit.url.encode() in lines]
        for file in (path, *(tmp_path / "visits").glob("0000[2-9]*")):
            file.unlink()
    assert list(read_visits(path)) == list(visits_of(tmp_path)) == visits
    tail = VisitTail(path)
    assert tail.has_more()
    assert [visit for _, visit in tail.visits()] == visits
    assert (tail.has_more(), tail.share > 0) == (False, True)
    write(path, [dead(99)])
    assert list(read_visits(path)) == [*visits, dead(99)]
    assert [visit for _, visit in tail.visits()] == [dead(99)]
    assert packed.is_file()
    assert {file.suffix for file in (tmp_path / "visits").iterdir()} == {".zst"}


@pytest.mark.slow
@pytest.mark.usefixtures("short")
def test_a_reader_beside_the_writer_sees_each_line_once(tmp_path: Path) -> None:
    path, most = tmp_path / "visits.jsonl", 1500
    write(path, [dead(0)])
    writer = Thread(target=write, args=(path, map(dead, range(1, most))))
    writer.start()
    looks, alive = 0, True
    while alive:
        alive, looks = writer.is_alive(), looks + 1
        found = [visit.time - 1.7e9 for visit in read_visits(path)]
        assert found == list(range(len(found)))
    writer.join()
    assert len(found) == most
    assert looks > 3


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    "spoil",
    [
        lambda body: body[:100] + bytes([body[100] ^ 0xFF]) + body[101:],
        lambda body: body[:-5],
        lambda _: b"",
        lambda _: zstd.compress(bytes(segments.MOST_BYTES + 1)),
    ],
    ids=["changed", "cut", "empty", "far too large"],
)
def test_a_damaged_segment_is_named_and_one_moved_away_costs_only_its_lines(
    tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    path, visits = tmp_path / "visits.jsonl", list(map(dead, range(40)))
    write(path, visits)
    second = tmp_path / "visits/00002.jsonl.zst"
    second.write_bytes(spoil(second.read_bytes()))
    with pytest.raises(StateError, match=r"00002\.jsonl\.zst: "):
        list(read_visits(path))
    second.unlink()
    left = list(read_visits(path))
    assert (left[0], left[-1]) == (visits[0], visits[-1])
    assert 20 < len(left) < 40
    write(path, [dead(99)])
    assert next(reversed(list(read_visits(path)))) == dead(99)


def test_another_log_in_its_place_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "BYTES", 2000)
    path, tail = tmp_path / "visits.jsonl", VisitTail(tmp_path / "visits.jsonl")
    write(path, map(dead, range(40)))
    assert tail.has_more()
    assert len(list(tail.visits())) == 40
    for file in (path, *(tmp_path / "visits").iterdir()):
        file.unlink()
    write(path, [dead(5)])
    assert tail.has_more()
    assert [visit for _, visit in tail.visits()] == [dead(5)]

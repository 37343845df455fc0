import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from message_facts import numbers
from page_records import PAGE
from scrapy.settings import Settings

from topiccrawler.crawling.harvest import HarvestCounter
from topiccrawler.crawling.recipe import parse_arguments
from topiccrawler.engine.download_failures import NO_HOST
from topiccrawler.engine.ending import failed_lines, found_lines, no_page, place_lines, why
from topiccrawler.engine.opening import Crawl, open_crawl
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State
from topiccrawler.store.page_store import PageStore

OPENED: list[Crawl] = []


@pytest.fixture(autouse=True)
def opened_crawls_are_closed() -> Iterator[None]:
    yield
    while OPENED:
        opened = OPENED.pop()
        opened.frontier.close()
        opened.files.abandon()


def crawl(folder: Path, **arguments: str) -> Crawl:
    settings = Settings({"TOPIC_DATA_DIR": str(folder)})
    settings.setmodule("topiccrawler.settings", priority="default")
    configured = {"topic": "finance", "seeds": "http://a.cn/,http://b.cn/,http://c.cn/", **arguments}
    params = parse_arguments(configured, topic=None, strategy="breadth_first")
    OPENED.append(open_crawl(params, settings, "job"))
    return OPENED[-1]


def test_what_was_found_is_reported_of_the_job_and_of_this_run() -> None:
    begun = HarvestCounter()
    begun.add(kept=True, relevant=True, format="html")
    begun.add(kept=True, relevant=True, format="pdf", copy=True)
    assert [numbers(line) for line in found_lines(begun)] == [["2", "2", "100", "2", "1", "1", "1"]]
    again = HarvestCounter(begun.note())
    again.add(kept=False, relevant=True)
    again.add(kept=False)
    again.add(kept=True, relevant=True, format="pdf")
    assert [numbers(line) for line in found_lines(again)] == [["5", "3", "4", "80", "3", "2", "1", "1"]]


def test_failures_are_reported_by_reason_the_most_frequent_first() -> None:
    stats = {f"frontier/failed/http_{status}": status - 399 for status in range(400, 407)}
    [line] = failed_lines({**stats, "frontier/leased": 90})
    assert re.match(r"28 .*: 7 http 406, 6 http 405, 5 http 404, 4 http 403, 3 http 402, 3 \D+$", line)
    assert [numbers(line) for line in failed_lines({"frontier/failed/no_such_host": 2})] == [["2", "2"]]
    assert failed_lines({"frontier/leased": 90}) == []


def test_the_commands_can_be_copied(tmp_path: Path) -> None:
    folder = tmp_path / "my job"
    folder.mkdir()
    with closing(PageStore(folder / "job.sqlite")) as store:
        store.put(PAGE)

    def told(place: Path, *, queued: bool) -> list[str]:
        return [line.partition(": ")[2] for line in place_lines(place, queued=queued)]

    assert told(folder, queued=True) == [
        str(folder),
        f"scrapy pages '{folder}'",
        f"scrapy search WORDS --job '{folder}'",
        f"scrapy frontier '{folder}'",
        f"scrapy explain URL --job '{folder}'",
    ]
    empty = tmp_path / "empty"
    assert told(empty, queued=False) == [str(empty), f"scrapy explain URL --job {empty}"]


@pytest.mark.parametrize(
    ("reason", "waiting", "words"),
    [
        ("finished", 0, "[^;]+"),
        ("shutdown", 7, "[^;]+; 7 URLs .*"),
        ("closespider_timeout", 0, "CLOSESPIDER_TIMEOUT [^;]+"),
        ("enough", 7, r"3 [^;]+\(-a pages\); 7 URLs .*\(-a pages=6\).*"),
        ("somebody's own", 0, "somebody's own"),
    ],
)
def test_a_finish_reason_is_put_in_words(tmp_path: Path, reason: str, waiting: int, words: str) -> None:
    made = crawl(tmp_path, pages="3", targets="2")
    stats = {"frontier/urls/waiting": waiting}
    said = why(reason, made, stats, resumable=True)
    assert re.fullmatch(words, said)
    assert why(reason, made, stats, resumable=False) == said.partition(";")[0]


def test_targets_budgets_and_faults_are_reasons_too(tmp_path: Path) -> None:
    made = crawl(tmp_path, pages="3", targets="1")
    made.harvest.add(kept=True, kind="article")
    assert re.match(r"1 .*\(-a targets\)$", why("enough", made, {}, resumable=True))
    assert re.match(r"1 .*\(-a targets\)$", why("finished", made, {}, resumable=True))  # by an earlier run
    made = crawl(tmp_path, pages="3", targets="2")
    made.harvest.add(kept=True, kind="article")
    made.harvest.add(kept=True, kind="list")
    stats = {"frontier/urls/over_budget": 4, "frontier/urls/waiting": 4}
    assert re.match("[^;]*budget[^;]*; 4 URLs .*budget", why("finished", made, stats, resumable=True))
    made = crawl(tmp_path, pages="100")
    made.seed(made.seeds, made.clock())
    for host in ("a.cn", "b.cn", "c.cn"):
        made.hosts.back_off(host, made.clock() + 90, "failing: timeout")
    for _ in range(99):
        made.harvest.add(kept=False)
    assert numbers(why("finished", made, {}, resumable=True)) == ["99", "100"]
    assert not made.has_more(made.clock(), under_way=0)
    fault = str(StateError("job.sqlite", "is full", "make room"))
    assert why("storage_failed", made, {}, resumable=True, faults=[fault]) == f"failed; {fault}"


def test_seeds_that_gave_no_page_are_reported_with_their_reasons(tmp_path: Path) -> None:
    made = crawl(tmp_path)
    made.ordering.seed(made.seeds, 0.0)
    for reason in (NO_HOST, "http 404", "http 404"):
        leased = made.ordering.lease(0.0)
        assert leased is not None
        made.ordering.end(leased.link.url, State.ERROR, reason, 0.0)
    assert re.match(rf"seeds: .*3 .*\(2 http 404, 1 {NO_HOST}\); ", str(no_page(made)))
    alone = crawl(tmp_path, seeds="http://a.cn/")
    alone.ordering.seed(alone.seeds, 0.0)
    assert re.match(r"seed http://a\.cn/: .*\(1 waiting\); ", str(no_page(alone)))

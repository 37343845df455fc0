from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.job_database import JOB_DATABASE, JobDatabase
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.lab.runner import LiveCrawls, Run, fetched, job_verdicts
from topiccrawler.model import Visit
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.visits import VisitLog
from topiccrawler.topics.catalogue import load_topic

WEB = {f"http://a.example/{name}": name for name in ("", "b/", "c/")}


def log(job: Path, *visits: tuple[str, int]) -> Path:
    with closing(VisitLog(job / JOB_DATABASE)) as written:
        for url, status in visits:
            written.append(Visit(url, status, 0.0, 0.0, stored=False, time=1.0))
    return job


def test_the_pages_of_a_crawl_log_are_counted_once_and_other_answers_apart(
    recorded: Callable[..., RecordedPages], tmp_path: Path
) -> None:
    visits = log(
        tmp_path,
        ("http://a.example/", 200),
        ("http://a.example/robots.txt", 404),
        ("http://a.example/c/", 200),
        ("http://b.example/", 502),
        ("http://a.example/c/index.html", 200),
        ("http://a.example/x", 404),
        ("http://a.example/b/", 200),
    )
    found = fetched(visits, recorded(WEB), 10)
    assert found.order == [0, 2, 1]
    assert found.no_page == {"404": 2, "502": 1}
    assert fetched(visits, recorded(WEB), 2).order == [0, 2]


def test_breadth_and_tunnels_of_a_strategy_go_into_a_topic_file(
    recorded: Callable[..., RecordedPages], tmp_path: Path
) -> None:
    crawls = LiveCrawls([tmp_path / "web.warc"], recorded(WEB), tmp_path, 1)
    run = Run(Recipe("finance", prune=False), "ipagerank:breadth=broad:tunnels=0", (0,), 50, tmp_path)
    given, settings = crawls.arguments(run, tmp_path / "seeds.txt", tmp_path)
    assert given["topic"] == str(tmp_path / "topic.toml")
    assert settings.get("TOPIC_LINK_THRESHOLD") != 0
    topic = load_topic(str(tmp_path / "topic.toml"))
    assert (topic.name, topic.breadth, topic.tunnel_probability) == ("finance", "broad", 0.0)
    assert topic.page_threshold == load_topic("finance").page_threshold


def record(url: str, relevance: float, *, stored: bool = True, alias_of: str = "") -> PageRecord:
    return PageRecord(url=url, relevance=relevance, stored=stored, alias_of=alias_of)


def test_a_job_says_what_it_kept_and_an_alias_is_not_kept(tmp_path: Path) -> None:
    database = JobDatabase(tmp_path / JOB_DATABASE)
    visits, pages = VisitLog(database), PageStore(database)
    for name, relevance, status in (
        ("", 0.7, 200),
        ("copy", 0.7, 200),
        ("off", 0.1, 200),
        ("gone", 0.0, 404),
    ):
        visits.append(
            Visit(f"http://a.example/{name}", status, 1.0, relevance, stored=name != "off", time=1.0)
        )
    pages.put(record("http://a.example/", 0.7))
    pages.put(record("http://a.example/copy", 0.7, alias_of="http://a.example/"))
    database.close()
    assert job_verdicts(tmp_path) == {
        "http://a.example/": (0.7, True),
        "http://a.example/copy": (0.7, False),
        "http://a.example/off": (0.1, False),
    }

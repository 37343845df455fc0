"""Seeds out of earlier jobs: relevant pages and those that led to them, by this topic whatever the job's was."""

from contextlib import closing
from errno import ENOENT
from math import log2
from os import strerror
from pathlib import Path

import pytest
from message_facts import numbers

from topiccrawler.errors import ArgumentError
from topiccrawler.job_database import JOB_DATABASE, JobDatabase
from topiccrawler.model import Visit
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.seeding.candidates import Candidate, merged
from topiccrawler.seeding.earlier_jobs import candidates_of_job, has_jobs, job_folders
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.visits import VisitLog
from topiccrawler.text.segmenter import PLAIN
from topiccrawler.topics.catalogue import topic_from_keywords

TEA = VsmClassifier(topic_from_keywords("茶叶,龙井"))
HUB, TEXT = "http://hub.example/", "茶叶和龙井的采摘，龙井茶叶好。" * 5


def job(folder: Path, rows: list[tuple[str, str, str, int]]) -> Path:
    """Rows of URL, source, text (none = not kept) and status."""
    folder.mkdir()
    with closing(JobDatabase(folder / JOB_DATABASE)) as database:
        store, log = PageStore(database), VisitLog(database)
        for url, source, text, status in rows:
            log.append(Visit(url, status, 0.5, 0.0, bool(text), 1.0, source_url=source, anchor=f"to {url}"))
            if text:
                store.put(PageRecord(url=url, title=text[:4], text=text, source_url=source, topic="other"))
    return folder


def test_a_page_that_led_to_relevant_ones_comes_first_though_it_was_not_kept(tmp_path: Path) -> None:
    rows = [
        (HUB, "", "", 200),
        *((f"http://a.example/{number}", HUB, TEXT, 200) for number in range(12)),
        ("http://a.example/off", HUB, "足球比赛今天开始。" * 9, 200),
        ("http://b.example/", "http://a.example/1", TEXT, 200),
        ("http://gone.example/", "", "", 404),
        ("http://c.example/", "http://gone.example/", TEXT, 200),
    ]
    found = candidates_of_job(job(tmp_path / "j", rows), TEA, PLAIN)
    assert [one.url for one in found[:2]] == [HUB, "http://a.example/1"]
    assert (found[0].reached, found[0].fetched, found[0].title) == (12, 13, f"to {HUB}")
    assert found[0].score == pytest.approx(log2(13) * 12 / 17)
    assert numbers(found[0].why) == ["0.00", "12", "13"]
    assert found[1].score == pytest.approx(found[1].relevance + 1 / 5)
    assert found[1].title == "茶叶和龙"
    urls = {one.url for one in found}
    assert "http://b.example/" in urls
    assert urls.isdisjoint({"http://a.example/off", "http://gone.example/"})


def test_what_several_sources_say_of_a_url_is_added_up() -> None:
    one = Candidate("http://a.example/", "", 0.2, reached=1, fetched=2)
    two = Candidate("http://a.example/", "茶", 0.4, found=3, queries=6)
    assert merged([one, two]) == [Candidate("http://a.example/", "茶", 0.4, 1, 2, 3, 6)]
    assert merged([one, two])[0].score == pytest.approx(0.4 + 1 / 6 + 2 * 3 / 10)
    assert two.why == "relevance 0.40, found by 3 of 6 queries"


def test_a_folder_of_jobs_stands_for_the_jobs_in_it(tmp_path: Path) -> None:
    assert not has_jobs(tmp_path / "none")
    (tmp_path / "notes").mkdir()
    assert not has_jobs(tmp_path)
    first, second = (job(tmp_path / name, [(HUB, "", "", 200)]) for name in ("a", "b"))
    assert has_jobs(tmp_path)
    assert job_folders([tmp_path, first]) == [first, second]
    with pytest.raises(ArgumentError, match=r"notes: .*job\.sqlite"):
        job_folders([tmp_path / "notes"])
    with pytest.raises(ArgumentError, match=strerror(ENOENT)):
        job_folders([tmp_path / "none"])

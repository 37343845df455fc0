"""A job's page says nothing false while its log and its queue are read."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.dashboard import jobs
from topiccrawler.dashboard.job_view import figures
from topiccrawler.dashboard.jobs import Jobs
from topiccrawler.dashboard.panels import curves, find
from topiccrawler.dashboard.texts import CHINESE, ENGLISH, texts_in
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Link, Score, Visit

WRONG = ("queue_unknown", "queue_empty", "nothing_fetched", "nothing_wrong")


@pytest.fixture
def long_job(make_job: Callable[..., Path]) -> Path:
    """A job whose log takes long to read."""
    visits = tuple(
        Visit(f"http://a{number % 7}.example/{number}", 200, 1.0, 0.5, stored=True, time=float(number + 1))
        for number in range(40_000)
    )
    folder = make_job("long", visits=visits)
    with SqliteFrontier(folder / JOB_DATABASE) as frontier:
        frontier.push([(Link("http://b.example/", "b.example"), Score("http://b.example/", 1.0))], now=0.0)
    return folder


@pytest.mark.parametrize("language", [ENGLISH, CHINESE])
def test_what_is_not_read_yet_is_no_dash_and_no_nothing(
    open_dashboard: Callable[[Path], Any], long_job: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setattr(jobs.Job.advance, "__defaults__", (0.0,))  # as on a machine with much to do
    t = texts_in(language)
    page = open_dashboard(long_job.parent).get("/jobs/long", **{"Accept-Language": language}).text
    for key in WRONG:
        assert t(key) not in page
    assert page.count(t("still_reading")) == 3  # where, next, what is wrong
    figures = dict(re.findall(r'data-figure="(\w+)">([^<]*)<', page))
    assert {figures[name] for name in ("pages", "kept", "rate", "hosts", "failed", "queued")} == {"…"}


def test_figures_and_curve_are_those_of_the_whole_log(long_job: Path, tmp_path: Path) -> None:
    job = Jobs(long_job.parent).get("long")
    job.advance(0.0)
    assert 0 < job.share < 1
    assert find(job, {"state": "ended"}, tmp_path)["pages"] is None
    assert curves(job, tmp_path)["fetched"] == [0]
    job.advance(60.0)
    assert find(job, {"state": "ended"}, tmp_path)["pages"] == 40_000
    assert curves(job, tmp_path)["fetched"][-1] == 40_000


def test_a_running_jobs_figures_of_its_log_come_when_it_is_read(long_job: Path, tmp_path: Path) -> None:
    job = Jobs(long_job.parent).get("long")
    status = {"state": "running", "pages": 5, "kept": 4, "queued": 3, "pages_per_second": 1.0, "hosts": 2}
    for seconds, shown in ((0.0, "…"), (60.0, "0")):
        job.advance(seconds)
        told = figures(texts_in(ENGLISH), find(job, status, tmp_path))["figures"]
        assert (told["failed"], told["pages"], told["queued"]) == (shown, "5", "3")
    assert told["recent_rate"].startswith("100.0")

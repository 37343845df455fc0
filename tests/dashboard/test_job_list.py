"""The list of jobs: all of them at once, with how each has ended, in an order that looking does not change."""

import json
import os
import re
import shutil
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.crawling.job_files import JOB, STATS
from topiccrawler.dashboard.jobs import Jobs
from topiccrawler.engine.control.client import FILE as CONTROL
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Visit
from topiccrawler.results.last_run import last_run
from topiccrawler.store.visits import VisitLog

Open = Callable[[Path], Any]
MANY = 200
ENDED = {"topic/pages": 1500, "topic/kept": 1200, "start_time": "2026-11-27 23:27:52.092825+00:00"}


@pytest.fixture
def job(make_job: Callable[..., Path]) -> Path:
    """A job whose log is far longer than a look may take, and whose run has ended."""
    folder = make_job("one", visits=(Visit("http://a.example/", 200, 1.0, 0.5, stored=True, time=1.0),))
    with closing(VisitLog(folder / JOB_DATABASE)) as log:
        for number in range(20_000):
            log.append(Visit("http://a.example/", 200, 1.0, 0.5, stored=True, time=float(number)))
    ended(folder)
    return folder


def ended(folder: Path, **more: object) -> None:
    (folder / STATS).write_text(json.dumps({**ENDED, **more}), encoding="utf-8")


def states(page: str) -> dict[str, str]:
    """The state of each job in the list, in its order."""
    rows = re.findall(r'href="/jobs/([\w-]+)".*?class="state (\w+)"', page, re.DOTALL)
    return dict(rows)


def test_two_hundred_jobs_are_there_at_the_first_look(open_dashboard: Open, job: Path) -> None:
    for number in range(1, MANY):
        shutil.copytree(job, job.with_name(f"job-{number}"))
    page = open_dashboard(job.parent).get("/").text
    assert len(states(page)) == MANY
    assert (page.count("1\u202f500"), page.count("1\u202f200"), page.count("80.0\u202f%")) == (
        MANY,
        MANY,
        MANY,
    )
    assert "hx-trigger" not in page  # nothing is left to read


def test_a_run_that_began_later_is_not_what_the_stats_are_about(job: Path) -> None:
    assert last_run(job) is not None
    begun = (job / STATS).stat().st_mtime_ns + 1
    os.utime(job / JOB, ns=(begun, begun))
    assert last_run(job) is None
    for damaged in (
        "{",
        "[]",
        "{}",
        '{"topic/pages": "many", "topic/kept": 1, "start_time": "now"}',
        "[" * 100_000,
    ):
        (job / STATS).write_text(damaged)
        assert last_run(job) is None


def test_what_has_failed_has_not_just_ended(open_dashboard: Open, job: Path) -> None:
    failed, killed = (shutil.copytree(job, job.with_name(name)) for name in ("failed", "killed"))
    ended(failed, **{"topic/fault": "seed http://a.example/: gave no page (1 timeout)"})
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address = {"url": f"http://127.0.0.1:{gone.getsockname()[1]}", "token": "x", "pid": 1}
    (killed / CONTROL).write_text(json.dumps(address), encoding="utf-8")
    dashboard = open_dashboard(job.parent)
    assert states(dashboard.get("/").text) == {"one": "ended", "failed": "failed", "killed": "failed"}
    assert "gave no page (1 timeout)" in dashboard.get("/jobs/failed").text
    assert "it was killed" in dashboard.get("/jobs/killed").text
    assert 'role="alert"><' not in dashboard.get("/jobs/one").text


def test_looking_at_a_job_does_not_move_it(open_dashboard: Open, job: Path) -> None:
    others = [shutil.copytree(job, job.with_name(name)) for name in ("two", "three")]
    for number, folder in enumerate((job, *others)):
        os.utime(folder / JOB, (number + 1.0, number + 1.0))
    dashboard = open_dashboard(job.parent)
    assert [*states(dashboard.get("/").text)] == ["three", "two", "one"]
    (job / "job.sqlite-shm").touch()  # as a reader of a database does
    assert [*states(dashboard.get("/").text)] == ["three", "two", "one"]
    assert Jobs(job.parent).names() == ["three", "two", "one"]

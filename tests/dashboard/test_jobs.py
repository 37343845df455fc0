"""The list of jobs, a finished job's panels, and what breadth-first gave beside them."""

import csv
import io
import json
import os
import re
import socket
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.dashboard import jobs
from topiccrawler.dashboard.jobs import TOP, Jobs, breadth_first, rate_at
from topiccrawler.dashboard.texts import texts_in
from topiccrawler.engine.control.client import Address
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JOB_DATABASE, JobDatabase
from topiccrawler.model import Link, Score, Visit
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.refused import RefusedLinks

Open = Callable[[Path], Any]
SEED, FOUND = "http://seed.example/", "http://found.example/"


def compared(folder: Path, topic: str, rates: dict[str, float], time: int) -> None:
    """A comparison as `scrapy compare --out` leaves it."""
    folder.mkdir(parents=True)
    result = {"version": 1, "topic": topic, "strategies": {"breadth_first": {"harvest_rate": rates}}}
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")
    os.utime(folder / "result.json", (time, time))


def test_the_newest_comparison_on_the_topic_counts(tmp_path: Path) -> None:
    compared(tmp_path / "old", "finance", {"250": 0.5}, 1)
    compared(tmp_path / "all" / "finance", "finance", {"500": 0.1, "250": 0.2}, 2)
    compared(tmp_path / "other", "sport", {"250": 0.9}, 3)
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "result.json").write_text("[1]", encoding="utf-8")
    curve = breadth_first(tmp_path, "finance")
    assert curve == [(250, 0.2), (500, 0.1)]
    assert (rate_at(curve, 10), rate_at(curve, 900), rate_at([], 1)) == ((250, 0.2), (500, 0.1), None)


def make(make_job: Callable[..., Path], topic: str = "finance") -> Path:
    """A job of three visits with a queue: one URL that waits, three that were discarded."""
    visits = (
        Visit(SEED, 200, 1.0, 0.5, True, 10.0),
        Visit(FOUND, 200, 1.0, 0.1, False, 20.0, SEED, "到那里"),
        Visit(f"{FOUND}no", 404, 1.0, 0.0, False, 30.0, FOUND, "没有"),
    )
    job = make_job("job", visits=visits, topic=topic)
    ends = {
        "wait": "",
        "a": "trap: calendar: the year 2081",
        "b": "trap: calendar: the year 2082",
        "c": "off topic",
    }
    with SqliteFrontier(job / JOB_DATABASE, Hosts()) as frontier:
        for name, reason in ends.items():
            link = Link(f"{FOUND}{name}", "found.example", f"to {name}", source_url=FOUND)
            frontier.push([(link, Score(link.url, 0.25))], now=1.0)
            if reason and frontier.lease(1.0, target=(link, Score(link.url, 0.25))):
                frontier.end(link.url, State.DISCARDED, reason, 2.0)
    return job


def test_a_finished_job_answers_the_four_questions(
    open_dashboard: Open, make_job: Callable[..., Path]
) -> None:
    job = make(make_job, topic="财经")
    compared(job.parent / "compared", "finance", {"250": 0.1}, 1)
    dashboard = open_dashboard(job.parent)
    listed = dashboard.get("/").text
    assert 'href="/jobs/job"' in listed
    assert "50.0" in listed
    while "hx-trigger" in dashboard.get("/jobs/job/reading").text:
        pass  # a part of it is still being read
    text = dashboard.get("/jobs/job").text
    assert "Breadth-first gave 10.0" in text
    assert "5.0×" in text
    assert re.search(r"found\.example</bdi> <span class=\"new\"", text)
    assert not re.search(r"seed\.example</bdi> <span class=\"new\"", text)
    way = text[text.index('class="queue"') :]
    assert way.index(f'href="{SEED}"') < way.index(f'href="{FOUND}"') < way.index(f'href="{FOUND}wait"')
    assert "trap: calendar" in text
    assert "2081" not in text


@pytest.mark.parametrize(("language", "share"), [("en", "depth"), ("zh", "深度")])
def test_the_shares_of_a_score_are_named_in_the_language_of_the_page(
    open_dashboard: Open, make_job: Callable[..., Path], language: str, share: str
) -> None:
    dashboard = open_dashboard(make(make_job).parent)
    while "hx-trigger" in dashboard.get("/jobs/job/reading").text:
        pass
    text = dashboard.get("/jobs/job", **{"Accept-Language": language}).text
    assert f'<bdi>{share}</bdi> <b class="plus">+0.25</b>' in text


def test_a_day_that_is_that_of_the_fetch_says_so(open_dashboard: Open, make_job: Callable[..., Path]) -> None:
    page = PageRecord(url=SEED, title="基金", text="基金", topic="finance", relevance=0.5, fetched=1e9)
    dated = replace(page, url=FOUND, text="基金净值", published="2024-05-01")
    dashboard = open_dashboard(make_job("job", page, dated).parent)
    for path in ("/jobs/job/pages", "/search?q=%E5%9F%BA%E9%87%91"):
        days = re.findall(r'<span class="nowrap">(.*?)</span>', dashboard.get(path).text)
        assert sorted(days) == ["2024-05-01", "Fetched 2001-09-09"]


def test_the_curve_of_breadth_first_is_drawn_as_far_as_it_is_known(
    open_dashboard: Open, make_job: Callable[..., Path]
) -> None:
    visits = tuple(Visit(f"{SEED}{number}", 200, 1.0, 0.5, number > 1, 1.0) for number in range(4))
    job = make_job("job", visits=visits)
    compared(job.parent / "compared", "finance", {"2": 0.5}, 1)
    dashboard = open_dashboard(job.parent)
    dashboard.get("/jobs/job")
    assert json.loads(dashboard.get("/jobs/job/curve.json").text) == {
        "fetched": [0, 1, 2, 3, 4],
        "kept": [0, 0, 0, 1, 2],
        "breadth_first": [0.0, 0.5, 1.0, None, None],
    }


def test_a_rule_opens_all_its_urls(open_dashboard: Open, make_job: Callable[..., Path]) -> None:
    dashboard = open_dashboard(make(make_job).parent)
    text = dashboard.get("/jobs/job/urls?state=discarded&reason=trap%3A+calendar").text
    assert f'href="{FOUND}a"' in text
    assert f'href="{FOUND}b"' in text
    assert f'href="{FOUND}c"' not in text
    lines = dashboard.get("/jobs/job/urls.jsonl?state=discarded&reason=off+topic").text.splitlines()
    assert [json.loads(line)["url"] for line in lines] == [f"{FOUND}c"]


def test_the_file_of_sites_has_all_hosts_that_wait(
    open_dashboard: Open, make_job: Callable[..., Path]
) -> None:
    job = make(make_job)
    hosts = [f"h{number}.example" for number in range(TOP + 20)]
    with SqliteFrontier(job / JOB_DATABASE, Hosts()) as frontier:
        for host in hosts:
            link = Link(f"http://{host}/", host, source_url=FOUND)
            frontier.push([(link, Score(link.url, 0.1))], now=1.0)
    dashboard = open_dashboard(job.parent)
    file = dashboard.get("/jobs/job/sites.csv?order=waiting").body.decode("utf-8-sig")
    waiting = {row["host"]: row["waiting"] for row in csv.DictReader(io.StringIO(file))}
    assert waiting == {**dict.fromkeys((*hosts, "found.example"), "1"), "seed.example": "0"}
    page = dashboard.get("/jobs/job/sites?order=waiting").text
    assert all(host in page for host in hosts)


def test_the_file_of_sites_counts_their_challenges(
    open_dashboard: Open, make_job: Callable[..., Path]
) -> None:
    visits = [Visit(f"http://x.cn/{one}", 200, 0.5, 0.0, False, 1.0, challenge="login wall") for one in "ab"]
    job = make_job("job", visits=(*visits, Visit("http://y.cn/", 200, 0.5, 0.9, True, 2.0)))
    dashboard = open_dashboard(job.parent)
    file = dashboard.get("/jobs/job/sites.csv").body.decode("utf-8-sig")
    rows = {row["host"]: (row["fetched"], row["challenged"]) for row in csv.DictReader(io.StringIO(file))}
    assert rows == {"x.cn": ("0", "2"), "y.cn": ("1", "0")}


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_damaged_page_store_is_no_file_of_a_part_of_its_pages(
    open_dashboard: Open, make_job: Callable[..., Path], kind: str
) -> None:
    pages = [PageRecord(url=f"{FOUND}{number}", title="基金" * 100, relevance=0.9) for number in range(40)]
    job = make_job("job", *pages)
    dashboard = open_dashboard(job.parent)
    assert f"{FOUND}39" in dashboard.get(f"/jobs/job/pages.{kind}").text
    body = bytearray((job / JOB_DATABASE).read_bytes())
    for page in range(4096, len(body), 4096):
        if body[page] == 10:  # a leaf of an index: it has no entries now
            body[page + 3 : page + 5] = b"\0\0"
    (job / JOB_DATABASE).write_bytes(body)
    answer = dashboard.get(f"/jobs/job/pages.{kind}")
    assert answer.status == 404
    assert "repair" in answer.text


def test_links_that_were_not_queued_are_listed(open_dashboard: Open, make_job: Callable[..., Path]) -> None:
    job = make(make_job)
    refused = RefusedLinks(job / JOB_DATABASE)
    links = [
        Link(f"{FOUND}{number}", "found.example", f"Nr. {number}", source_url=SEED) for number in range(64)
    ]
    refused.add(links, [0.0005] * len(links), 5.0)
    urls = [link.url for link in refused.all()]
    refused.close()
    assert 0 < len(urls) < len(links)
    dashboard = open_dashboard(job.parent)
    while "hx-trigger" in dashboard.get("/jobs/job/outcomes").text:
        pass
    listed = "/jobs/job/urls?state=refused&amp;reason=below+link+threshold"
    assert listed in dashboard.get("/jobs/job/outcomes").text
    assert f'href="{urls[0]}"' in dashboard.get(listed.replace("&amp;", "&")).text
    rows = dashboard.get(listed.replace("&amp;", "&").replace("urls", "urls.csv")).text.splitlines()
    assert len(rows) == 1 + len(urls)
    assert "error, discarded" in dashboard.get("/jobs/job/urls?state=nothing").text


def test_a_job_without_a_queue_lists_what_its_log_knows(
    open_dashboard: Open, make_job: Callable[..., Path]
) -> None:
    job = make(make_job)
    with closing(JobDatabase(job / JOB_DATABASE)) as database:
        database.write("DELETE FROM urls")
    dashboard = open_dashboard(job.parent)
    assert texts_in("en")("queue_unknown") in dashboard.get("/jobs/job").text
    assert f'href="{FOUND}no"' in dashboard.get("/jobs/job/urls?state=error&reason=http+404").text


def test_orders_to_a_job_that_does_not_run_are_refused_in_one_line(
    open_dashboard: Open, make_job: Callable[..., Path]
) -> None:
    answer = open_dashboard(make(make_job).parent).post("/jobs/job/pause", {}, Accept="text/html")
    assert answer.status == 400
    assert "TOPIC_CONTROL=True" in answer.text


def test_a_crawl_that_is_too_busy_to_answer_is_not_taken_for_one_that_has_ended(
    make_job: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_job("busy")
    job = Jobs(folder.parent).get("busy")
    monkeypatch.setattr(jobs, "STATUS_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        Address(f"http://127.0.0.1:{silent.getsockname()[1]}").write(folder)
        assert job.status() == {"state": "starting"}
    assert job.status() == {"state": "failed"}  # killed: control.json stays


def test_a_damaged_job_does_not_hide_the_others(open_dashboard: Open, make_job: Callable[..., Path]) -> None:
    make_job("good", visits=(Visit(SEED, 200, 1.0, 0.5, True, 10.0),))
    damaged = make_job("damaged")
    (damaged / "job.json").write_text("{", encoding="utf-8")
    (damaged / JOB_DATABASE).write_bytes(b"no database")
    (damaged / "control.json").write_text("[]", encoding="utf-8")
    dashboard = open_dashboard(damaged.parent)
    listed = dashboard.get("/").text
    assert "/jobs/good" in listed
    assert "/jobs/damaged" in listed
    assert dashboard.get("/jobs/damaged").status == 200

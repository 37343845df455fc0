"""`scrapy search` on jobs that crawls have left."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from message_facts import numbers

from topiccrawler.api import Job
from topiccrawler.errors import ArgumentError
from topiccrawler.results.jobs import job_folder, jobs_in
from topiccrawler.store.pages import PageRecord

FUND = PageRecord(
    url="http://a.cn/1", title="基金\x1b[2J\n第二行", text="定投基金的收益", topic="finance", relevance=0.5, published="2024-05-01",
)  # fmt: skip
BANK = PageRecord(
    url="http://www.b.cn/", title="貸款", text="銀行", relevance=0.4, topic="finance", format="pdf", usage="train-ai=n; source=robots.txt",
)  # fmt: skip


@pytest.fixture
def data(make_job: Callable[..., Path]) -> Path:
    return make_job("funds", FUND, BANK).parent


def test_pages_are_displayed_with_marks_and_nothing_steers_the_terminal(
    command: Callable[..., Any], data: Path
) -> None:
    ran = command("search", "基金 定投", "--job", "funds", "-s", f"TOPIC_DATA_DIR={data}")
    lines = ran.out.splitlines()
    assert (ran.code, lines[0], lines[1]) == (0, "«基金»\\u001b[2J 第二行", "  http://a.cn/1")
    assert "relevance 0.50 · published 2024-05-01 · funds" in lines[2]
    assert lines[3] == "  «定投»«基金»的收益"


def test_the_jobs_of_a_folder_are_searched_and_filtered_and_json_has_the_marks(
    command: Callable[..., Any], data: Path
) -> None:
    ran = command("search", "贷款", "--data", str(data), "--site", "B.cn", "--file-type", "pdf", "--json")
    (found,) = map(json.loads, ran.out.splitlines())
    assert (found["url"], found["title"], found["job"]) == (BANK.url, "貸款", str(data / "funds"))
    assert found["rank"] >= 0
    assert found["date_of"] == "fetched"
    assert "fetched 1970-01-01" in command("search", "贷款", "--data", str(data)).out
    assert numbers(command("search", "贷款", "--data", str(data), "--file-type", "html").out) == ["1"]
    for use, count in (("tdm", 1), ("train-ai", 0)):
        ran = command("search", "贷款", "--data", str(data), "--usage", use, "--json")
        assert len(ran.out.splitlines()) == count


def test_pictures_are_listed_with_their_pages(
    command: Callable[..., Any], make_job: Callable[..., Path]
) -> None:
    picture = {
        "url": "http://a.cn/zmy.bmp",
        "anchor": "张曼玉\x1b[2J照片",
        "alt": "",
        "caption": "",
        "kind": "media",
    }
    job = make_job("film", replace(FUND, media=json.dumps([picture])))
    lines = command("search", "照片", "--media", "--job", str(job)).out.splitlines()
    assert lines[:2] == ["张曼玉\\u001b[2J«照片»", "  http://a.cn/zmy.bmp"]
    assert lines[2].endswith(": http://a.cn/1")
    found = json.loads(command("search", "张曼玉", "--media", "--job", str(job), "--json").out)
    assert (found["url"], found["page"], found["topic"]) == (picture["url"], FUND.url, "finance")
    assert numbers(command("search", "基金", "--media", "--job", str(job)).out) == ["1"]
    assert [hit.medium.url for hit in Job(job).search_media("照片")] == ["http://a.cn/zmy.bmp"]


def test_a_folder_that_is_named_is_searched_alone_and_the_default_with_jobs_beside_it(
    data: Path, make_job: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = make_job("beside", replace(FUND, url="http://a.cn/2"))
    (tmp_path / "jobs").mkdir()
    beside.rename(tmp_path / "jobs" / "beside")
    monkeypatch.chdir(tmp_path)
    folders = {named: [job.name for job in jobs_in(Path(named))] for named in ("data", str(data), "jobs")}
    assert folders == {"data": ["funds", "beside"], str(data): ["funds"], "jobs": ["beside"]}
    assert job_folder("beside", Path("data")) == Path("jobs/beside")
    with pytest.raises(ArgumentError, match="no such job; the latest there: funds;"):
        job_folder("beside", data)


def test_a_folder_that_is_missing_is_no_folder_without_hits(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    ran = command("search", "贷款", "--data", str(tmp_path / "none"))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"folder {tmp_path / 'none'}: there is none; name a folder of jobs: --data DIR\n"

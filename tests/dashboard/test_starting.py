"""What a form says, checked by the command's own checks before a process is started."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forked_scrapy import ForkedScrapy

from topiccrawler.crawling.recipe import parse_arguments
from topiccrawler.dashboard import starting
from topiccrawler.dashboard.job_form import FIELDS, FIRST, is_allowed, read_form
from topiccrawler.dashboard.jobs import Jobs
from topiccrawler.dashboard.starting import line_of
from topiccrawler.errors import ArgumentError

DEFAULTS = {"TOPIC": None, "TOPIC_STRATEGY": "adaptive"}
RIGHT = {"topic": "finance", "seeds": "http://a.example/\nhttp://b.example/", "job": "one"}


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("topic", "finanse", " finance"),
        ("pages", "many", "many"),
        ("targets", "0", "1"),
        ("since", "yesterday", "yesterday"),
        ("strategy", "best", "breadth_first"),
        ("seeds", "nowhere.txt", "nowhere.txt"),
        ("parameters", "strategy_none=1", "its parameters"),
        ("parameters", "none=1", "write strategy_NAME=VALUE"),
        ("settings", "DOWNLOAD_DELAY=fast", "'fast'"),
        ("settings", "ITEM_PIPELINES={}", "ITEM_PIPELINES"),
        ("settings", "TOPIC_BROWSER=/bin/sh", "TOPIC_BROWSER"),
        ("settings", "DOWNLOAD_DELAY", "DOWNLOAD_DELAY"),
        ("job", "../elsewhere", "../elsewhere"),
        ("job", "known", "exists"),
        ("job", "𠀀" * 80, "no plain folder name"),  # 320 bytes
    ],
)
def test_each_fault_stands_beside_its_field(
    make_job: Callable[..., Path], field: str, value: str, said: str
) -> None:
    jobs = Jobs(make_job("known").parent)
    order = read_form({**RIGHT, field: value}, jobs, DEFAULTS)
    assert list(order.faults) == [field]
    [fault] = order.faults[field]
    assert said in str(fault)


def test_the_messages_are_those_of_the_command(tmp_path: Path) -> None:
    faults = read_form({**RIGHT, "pages": "many"}, Jobs(tmp_path), DEFAULTS).faults
    with pytest.raises(ArgumentError) as refused:
        parse_arguments({"topic": "finance", "pages": "many"}, topic=None, strategy="adaptive")
    assert [str(fault) for fault in faults["pages"]] == [str(refused.value)]


MANY_FAULTS = {
    "topic": "finanse", "seeds": "ftp://a.example/", "pages": "many", "targets": "0", "until": "2", "since": "yesterday", "sites": "/nowhere.toml",
    "job": "../x", "parameters": "strategy_none=1\nnone=1", "settings": "DOWNLOAD_DELAY=fast\nITEM_PIPELINES={}",
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
def test_all_faults_are_told_at_once_beside_their_fields_and_in_the_language_of_the_page(
    open_dashboard: Callable[[Path], Any], tmp_path: Path, language: str
) -> None:
    answer = open_dashboard(tmp_path).post("/new", MANY_FAULTS, **{"Accept-Language": language})
    assert answer.status == 422
    told = dict(re.findall(r'id="fault-(\w+)" role="alert">(.*?)</span>', answer.text))
    assert sorted(told) == sorted(MANY_FAULTS)
    assert [told[name].count("<br>") for name in ("parameters", "settings", "pages")] == [1, 1, 0]
    assert "finance" in told["topic"]
    chinese = {name for name, text in told.items() if re.search("[一-鿿]", text)}
    assert chinese == (set(told) if language == "zh" else set())
    assert re.findall(r'name="(\w+)"[^>]* autofocus', answer.text) == ["topic"]
    assert '<details class="panel" id="more" open>' in answer.text
    assert list(tmp_path.iterdir()) == []


def test_three_fields_come_first_and_the_others_are_folded(
    open_dashboard: Callable[[Path], Any], tmp_path: Path
) -> None:
    page = open_dashboard(tmp_path).get("/new").text
    first, folded = page.split('<details class="panel" id="more">')
    assert re.findall(r'<(?:input|textarea|select) id="(\w+)"', first) == [*FIRST]
    assert sorted(re.findall(r'<(?:input|textarea|select) id="(\w+)"', folded)) == sorted(
        {*FIELDS} - {*FIRST}
    )


def test_a_form_becomes_a_command(tmp_path: Path) -> None:
    configured = {
        **RIGHT,
        "pages": " 50 ",
        "parameters": "strategy_smoothing=2\n",
        "settings": "DOWNLOAD_DELAY=2",
    }
    order = read_form(configured, Jobs(tmp_path), DEFAULTS)
    assert order.faults == {}
    words = line_of(order, tmp_path / "one")
    assert words[:2] == ["crawl", "topic"]
    options = set(words[3::2])
    assert options == {
        "topic=finance",
        "seeds=http://a.example/,http://b.example/",
        "pages=50",
        "strategy_smoothing=2",
        "DOWNLOAD_DELAY=2",
        f"TOPIC_DATA_DIR={tmp_path}",
        "TOPIC_JOB=one",
        f"JOBDIR={tmp_path / 'one'}",
        "TOPIC_CONTROL=True",
    }


def test_no_setting_that_may_be_given_names_code(tmp_path: Path) -> None:
    allowed = [
        "TOPIC_THESAURUS",
        "FRONTIER_HOST_PAGES",
        "CLOSESPIDER_TIMEOUT",
        "CONCURRENT_REQUESTS_PER_DOMAIN",
    ]
    refused = ["SCHEDULER", "EXTENSIONS", "SPIDER_MODULES", "TOPIC_CONTROL", "TOPIC_DATA_DIR", "FRONTIER_NONE", "LOG_FILE", "topic_seed"]  # fmt: skip
    assert [name for name in [*allowed, *refused] if is_allowed(name)] == allowed


def test_a_process_that_ends_at_once_is_reported_of_in_its_own_line(
    open_dashboard: Callable[[Path], Any],
    forked_scrapy: ForkedScrapy,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(starting, "start_scrapy", forked_scrapy.start)
    monkeypatch.setattr(starting, "_SECONDS", 300.0)  # however busy the machine is
    dashboard = open_dashboard(tmp_path)
    settings = "TOPIC_LINK_MODELS=/nowhere"
    answer = dashboard.post("/new", {"topic": "finance", "seeds": "http://a.example/", "job": "broken", "settings": settings})  # fmt: skip
    assert answer.status == 422
    assert "/nowhere" in answer.text
    assert 'class="state failed"' in dashboard.get("/jobs/broken").text

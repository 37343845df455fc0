from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.link_model.from_keywords import keyword_model
from topiccrawler.link_model.learning import LinkLearner
from topiccrawler.model import Link, Score
from topiccrawler.topics.catalogue import load_topic


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """One page failed, two wait, one of them on a host that rests for another hour."""
    folder = tmp_path / "job"
    folder.mkdir()
    with SqliteFrontier(folder / "frontier.sqlite") as frontier:
        rows = [("a.cn/1", "", 3.0), ("b.cn/1", "基金", 2.0), ("c.cn/1", "体育", 1.0)]
        frontier.push(
            [
                (
                    Link(f"http://{url}", url[:4], anchor, source_url="http://hub.cn/"),
                    Score(f"http://{url}", value),
                )
                for url, anchor, value in rows
            ],
            now=1.0,
        )
        assert frontier.lease(2.0) is not None
        frontier.acknowledge("http://a.cn/1", State.ERROR, "http 503", 3.0)
        frontier.notes.put(
            "waits",
            json.dumps([["c.cn", "host budget", None], ["b.cn", "retry-after", 4e9], ["d.cn", "delay", 5]]),
        )
        frontier.notes.put("harvest", '{"pages": 7, "kept": 4}')
        frontier.notes.put("job", '{"topic": "finance", "strategy": "breadth_first"}')
    return folder


def test_the_page_shows_counts_what_comes_next_why_hosts_wait_and_what_failed(
    scrapy: Callable[..., Any], job: Path
) -> None:
    ran = scrapy("frontier", str(job))
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[:3] == [
        "finance, breadth_first: 7 pages, 4 kept, 3 hosts",
        "2 waiting, 0 processing, 1 error, 0 discarded, 0 completed",
        "1 of those waiting are held back: their hosts are asked no more",
    ]
    assert lines[4] == "Next by score"
    assert lines[5].startswith("      2.000  http://b.cn/1  [retry-after, ")
    assert lines[6] == "             “基金” · on http://hub.cn/"
    assert lines[7] == "      1.000  http://c.cn/1  [host budget, for good]"
    assert "Why hosts wait: host budget: 1 hosts, retry-after: 1 hosts" in lines
    assert lines[-2:] == ["Failed, by reason", "        1  http 503"]


def test_json_says_the_same(scrapy: Callable[..., Any], job: Path) -> None:
    report = json.loads(scrapy("frontier", "--json", "--top", "1", "-s", f"JOBDIR={job}").out)
    assert (report["pages"], report["kept"], report["hosts"], report["held"]) == (7, 4, 3, 1)
    assert [row["url"] for row in report["top"]] == ["http://b.cn/1"]
    assert report["top"][0]["wait"] == "retry-after"
    assert report["failures"] == {"http 503": 1}
    assert report["waits"] == {"host budget": 1, "retry-after": 1}


def test_a_queue_goes_through_a_file_into_another_job(
    scrapy: Callable[..., Any], job: Path, tmp_path: Path
) -> None:
    lines = tmp_path / "rows.jsonl"
    assert scrapy("frontier", "dump", str(job), "--file", str(lines)).code == 0
    assert scrapy("frontier", "dump", str(job)).out == lines.read_text(encoding="utf-8")
    ran = scrapy("frontier", "load", str(tmp_path / "new"), "--file", str(lines))
    assert (ran.code, ran.out) == (0, "3 URLs added, 0 were known\n")
    assert scrapy("frontier", "dump", str(tmp_path / "new")).out == lines.read_text(encoding="utf-8")


def noted(folder: Path, **notes: object) -> Path:
    """The same job, with other notes."""
    with SqliteFrontier(folder / "frontier.sqlite") as frontier:
        for name, note in notes.items():
            frontier.notes.put(name, json.dumps(note))
    return folder


def reasons(scrapy: Callable[..., Any], job: Path) -> dict[str, dict[str, float]]:
    ran = scrapy("frontier", str(job), "--json", "-s", "LOG_LEVEL=ERROR")
    assert ran.code == 0, ran.err
    return {row["url"]: dict(row["reasons"]) for row in json.loads(ran.out)["top"]}


def test_a_job_begun_from_keywords_shows_what_its_keywords_say(scrapy: Callable[..., Any], job: Path) -> None:
    begun = {"topic": "finance", "strategy": "naive_bayes", "link_models": "none"}
    found = reasons(scrapy, noted(job, job=begun))
    assert list(found) == ["http://b.cn/1", "http://c.cn/1"]
    assert found["http://b.cn/1"]["anchor:基金"] > 1
    assert found["http://c.cn/1"] == {"prior": 0.0}
    more = reasons(scrapy, noted(job, job={**begun, "keywords": ["体育"]}))
    assert more["http://c.cn/1"]["anchor:体育"] > 1


def test_a_job_that_learns_shows_what_it_learned(scrapy: Callable[..., Any], job: Path) -> None:
    learner = LinkLearner(keyword_model(load_topic("finance")))
    for _ in range(9):
        learner.learn(Link("http://x.cn/1", "x.cn", "体育", source_url="http://hub.cn/"), 1.0)
        learner.learn(Link("http://x.cn/2", "x.cn", "天气", source_url="http://hub.cn/"), 0.0)
    begun = {"topic": "finance", "strategy": "naive_bayes", "link_models": "none"}
    state = {"strategy": "naive_bayes", "pages": 18, "state": {"learned": learner.save()}}
    found = reasons(scrapy, noted(job, job=begun, ordering=state))
    assert found["http://c.cn/1"]["learned anchor:体育"] > 0
    damaged = {**state, "state": {"learned": {"version": 99}}}
    assert reasons(scrapy, noted(job, ordering=damaged)) == {"http://b.cn/1": {}, "http://c.cn/1": {}}


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        ((), "scrapy frontier: no JOBDIR is given; name the folder the crawl was given with -s JOBDIR=…"),
        (("nowhere",), "nowhere/frontier.sqlite: there is no frontier; name the JOBDIR"),
        (("dump", "nowhere"), "nowhere/frontier.sqlite: there is no frontier"),
        (("load", "nowhere", "--file", "none.jsonl"), "--file none.jsonl: there is no such file"),
        (("a", "b"), "give one JOBDIR"),
        (("--surprise",), "--surprise"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(scrapy: Callable[..., Any], args: tuple[str, ...], fault: str) -> None:
    ran = scrapy("frontier", *args)
    assert ran.code != 0
    assert fault in ran.err + ran.out
    assert "Traceback" not in ran.err
    assert not Path("nowhere").exists()

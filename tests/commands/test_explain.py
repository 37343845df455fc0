"""`scrapy explain`, on links given in words and on links of past crawls."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
SPORT = "球队昨晚在主场取得胜利，球员表现出色，教练对比赛结果表示满意。" * 8
KEYWORDS = ("-s", "TOPIC_LINK_MODELS=none")
FAST = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "CONCURRENT_REQUESTS=1")


@pytest.fixture
def explain(scrapy: Callable[..., Any]) -> Callable[..., Any]:
    """Run the command with the keyword model of finance; JSON out."""

    def run(*args: str) -> dict[str, Any]:
        ran = scrapy("explain", *args, "--topic", "finance", *KEYWORDS, "--json", "-s", "LOG_LEVEL=ERROR")
        assert ran.code == 0, ran.err
        found: dict[str, Any] = json.loads(ran.out)
        return found

    return run


def test_every_word_has_its_share_and_the_shares_are_the_score(explain: Callable[..., Any]) -> None:
    found = explain("--anchor", "基金定投入门", "--before", "股票|", "--after", "|足球新闻")
    shares = {share["feature"]: share["log_odds"] for share in found["features"]}
    assert shares["anchor:基金"] > shares["context:股票"] > 0
    assert sum(shares.values()) == pytest.approx(found["score"])
    assert found["crawl"] is None


def test_the_gate_says_what_it_would_do_and_why(explain: Callable[..., Any]) -> None:
    threshold = ("-s", "TOPIC_LINK_THRESHOLD=0.9")
    good = explain("http://a.example/", "--anchor", "基金", *threshold)["gate"]
    poor = explain("http://a.example/", "--anchor", "足球", *threshold)["gate"]
    opened = explain("http://a.example/", "--anchor", "足球")["gate"]
    assert (good["passed"], good["reason"]) == (True, "at or above the threshold")
    assert (poor["passed"], poor["reason"], poor["threshold"]) == (False, "below link threshold", 0.9)
    assert (opened["passed"], opened["reason"]) == (True, "the gate stands open")


def page(title: str, text: str, *links: tuple[str, str]) -> str:
    """A page with a paragraph and links."""
    anchors = "".join(f'<li><a href="{href}">{anchor}</a></li>' for href, anchor in links)
    return f"<title>{title}</title><p>{text}</p><ul>{anchors}</ul>"


@pytest.fixture
def crawled(draw_web: Callable[..., Any], scrapy: Callable[..., Any], tmp_path: Path) -> Path:
    """The JOBDIR of a crawl that learned: hub -> news (off topic) -> fund (kept); gone is 404."""
    web = draw_web(
        {
            "http://hub.example/": page("导航", "网址", ("/news", "股票新闻")),
            "http://hub.example/news": page("体育", SPORT, ("/fund", "基金净值"), ("/gone", "旧闻")),
            "http://hub.example/fund": page("基金净值", FUNDS),
        }
    )
    ran = scrapy(
        "crawl", "topic", "-a", "topic=finance", "-a", "seeds=http://hub.example/",
        "-a", "strategy=naive_bayes", "-a", "strategy_learn=true", *KEYWORDS, *FAST, "-s", f"JOBDIR={tmp_path / 'job'}", proxy=web.proxy,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    return tmp_path / "job"


def test_a_url_of_a_past_crawl_has_its_path_its_scores_and_its_end(
    crawled: Path, scrapy: Callable[..., Any]
) -> None:
    ran = scrapy("explain", "http://hub.example/fund", "--job", str(crawled), *KEYWORDS, "--json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    crawl = found["crawl"]
    assert [(step["url"], step["anchor"], step["depth"]) for step in crawl["path"]] == [
        ("http://hub.example/", "", 0),
        ("http://hub.example/news", "股票新闻", 1),
        ("http://hub.example/fund", "基金净值", 2),
    ]
    assert crawl["path_is_whole"]
    assert (crawl["strategy"], crawl["state"], crawl["reason"]) == ("naive_bayes", "completed", "kept")
    assert [(fetch["status"], fetch["stored"]) for fetch in crawl["fetches"]] == [(200, True)]
    assert crawl["fetches"][0]["score"] == crawl["queued_score"] == crawl["stored"]["score"]
    assert found["model"]["learned_pages"] == 3
    assert any(share["feature"].startswith("learned ") for share in found["features"])
    assert sum(share["log_odds"] for share in found["features"]) == pytest.approx(found["score"])


def test_a_person_reads_it_as_text(crawled: Path, scrapy: Callable[..., Any]) -> None:
    ran = scrapy("explain", "http://hub.example/gone", *KEYWORDS, "-s", f"JOBDIR={crawled}")
    assert ran.code == 0, ran.err
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["Link", "http://hub.example/gone", "'旧闻'"] in lines
    assert ["State", "error:", "http", "404"] in lines
    assert ["Path", "from", "the", "seed"] in lines
    assert [line[-2] for line in lines[-2:]] == ["http://hub.example/news", "http://hub.example/gone"]
    never = scrapy("explain", "http://nowhere.example/", *KEYWORDS, "-s", f"JOBDIR={crawled}")
    assert never.code == 1
    assert f"URL http://nowhere.example/: was never met by the crawl in {crawled}; check" in never.err


def test_without_a_queue_the_store_tells_what_it_knows(crawled: Path, scrapy: Callable[..., Any]) -> None:
    for file in crawled.glob("frontier.sqlite*"):
        file.unlink()
    ran = scrapy("explain", "http://hub.example/fund", "--job", str(crawled), *KEYWORDS, "--json")
    assert ran.code == 0, ran.err
    crawl = json.loads(ran.out)["crawl"]
    assert [(step["url"], step["state"]) for step in crawl["path"]] == [
        ("http://hub.example/news", "unknown"),
        ("http://hub.example/fund", "stored"),
    ]
    assert not crawl["path_is_whole"]
    assert crawl["queued_score"] is None


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "scrapy explain: give one URL, or --anchor TEXT; usage:"),
        (
            ("http://a.example/", "http://b.example/"),
            2,
            "scrapy explain: give one URL, or --anchor TEXT; usage:",
        ),
        (("mailto:a@b.example", "--topic", "finance"), 1, "is no http(s) URL; write it as http://host/path"),
        (
            ("http://a.example/",),
            1,
            "scrapy explain: does not know the topic; add --topic finance, for example",
        ),
        (
            ("http://a.example/", "--job", "no/such/folder"),
            1,
            "folder no/such/folder: holds no crawl; name the JOBDIR",
        ),
    ],
)
def test_wrong_input_is_one_line(
    scrapy: Callable[..., Any], arguments: tuple[str, ...], code: int, message: str
) -> None:
    ran = scrapy("explain", *arguments, "-s", "LOG_LEVEL=ERROR")
    assert ran.code == code
    assert message in ran.out + ran.err
    assert "Traceback" not in ran.err

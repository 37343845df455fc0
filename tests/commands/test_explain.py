"""`scrapy explain`, on links given in words and on links of real crawls."""

import json
import re
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from message_facts import numbers

from topiccrawler.crawling.blocks import Blocks
from topiccrawler.crawling.link_gate import OPEN, REFUSED
from topiccrawler.frontier.budgets import HOST_PAGES
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.strategies.adaptive import FEATURES
from topiccrawler.urls.unwanted import Block

FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
SPORT = "球队昨晚在主场取得胜利，球员表现出色，教练对比赛结果表示满意。" * 8
KEYWORDS = ("-s", "TOPIC_LINK_MODELS=none")
FAST = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "CONCURRENT_REQUESTS=1")
OWN_TOPIC = 'name = "ownfunds"\nzh = "基金"\npage_threshold = 0.1\nnarrow = false\nproposed_words = 0\nkeywords = ["基金", "股票", "理财"]\n'
BY_WORDS = ("-a", "strategy=naive_bayes")
SITE = "http://hub.example/"


def page(title: str, text: str, *links: tuple[str, str]) -> str:
    """A page with a paragraph and links."""
    anchors = "".join(f'<li><a href="{href}">{anchor}</a></li>' for href, anchor in links)
    return f"<title>{title}</title><p>{text}</p><ul>{anchors}</ul>"


PAGES = {
    SITE: page("导航", "网址", ("/news", "股票新闻"), ("/ball", "足球比赛")),
    f"{SITE}news": page(
        "体育", SPORT, ("/fund", "基金净值"), ("/gone", "旧闻"), ("/%E5%9F%BA%E9%87%91", "基金")
    ),
    f"{SITE}fund": page("基金净值", FUNDS),
    f"{SITE}ball": page("足球", SPORT),
    f"{SITE}%E5%9F%BA%E9%87%91": page("基金", FUNDS),
}


@dataclass(frozen=True)
class Crawled:
    """A crawl's folder, and what its server was asked for."""

    job: Path
    fetched: list[str]


@pytest.fixture(scope="module")
def crawl(
    draw_web: Callable[..., Any], forked_scrapy: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Crawled]:
    """Crawl the site; `kept` names the setting that says where the job lies."""

    def run(*options: str, kept: str = "JOBDIR", topic: str = "finance") -> Crawled:
        web, folder = draw_web(PAGES), tmp_path_factory.mktemp("crawled")
        place = {"JOBDIR": f"JOBDIR={folder / 'job'}", "TOPIC_DATA_DIR": f"TOPIC_DATA_DIR={folder}"}[kept]
        ran = forked_scrapy(
            "crawl", "topic", "-a", f"topic={topic}", "-a", f"seeds={SITE}", *KEYWORDS, *FAST, *options,
            "-s", place, "-s", "TOPIC_JOB=job", proxy=web.proxy,
        )  # fmt: skip
        assert ran.code == 0, ran.err
        return Crawled(folder / "job", web.fetched())

    return run


@pytest.fixture(scope="module")
def begun(crawl: Callable[..., Crawled]) -> Path:
    """The JOBDIR of a crawl by naive Bayes."""
    return crawl(*BY_WORDS).job


@pytest.fixture
def explain(command: Callable[..., Any]) -> Callable[..., Any]:
    """Run the command; JSON out."""

    def run(*args: str) -> dict[str, Any]:
        ran = command("explain", *args, "--json", "-s", "LOG_LEVEL=ERROR")
        assert ran.code == 0, ran.err
        found: dict[str, Any] = json.loads(ran.out)
        return found

    return run


def shares_of(found: dict[str, Any]) -> dict[str, float]:
    return {share["name"]: share["share"] for share in found["shares"]}


def test_a_link_in_words_has_the_link_models_score_by_field_and_by_word(explain: Callable[..., Any]) -> None:
    options = ("--anchor", "基金定投入门", "--before", "股票|", "--after", "|足球新闻")
    found = explain(*options, "--topic", "finance", *KEYWORDS)
    words = {word["feature"]: word["log_odds"] for word in found["words"]}
    assert words["anchor:基金"] > words["context:股票"] > 0
    assert sum(words.values()) == pytest.approx(found["score"])
    assert sum(shares_of(found).values()) == pytest.approx(found["score"])
    assert list(shares_of(found)) == ["anchor", "context", "prior"]
    assert (found["crawl"], found["strategy"], found["now"]) == (None, None, None)


def test_the_gate_says_what_it_would_do_and_why(explain: Callable[..., Any]) -> None:
    def gate(anchor: str, *settings: str) -> dict[str, Any]:
        found = explain("http://a.example/", "--anchor", anchor, "--topic", "finance", *KEYWORDS, *settings)
        gate: dict[str, Any] = found["gate"]
        return gate

    threshold = ("-s", "TOPIC_LINK_THRESHOLD=0.9")
    good, poor, opened = gate("基金", *threshold), gate("足球", *threshold), gate("足球")
    assert (good["passed"], numbers(good["reason"])) == (True, ["0.9"])
    assert (poor["passed"], poor["reason"], poor["threshold"]) == (False, REFUSED, 0.9)
    assert (opened["passed"], opened["reason"]) == (True, OPEN)
    assert not good["taken"]


def test_each_rule_of_the_admission_says_what_it_would_do_now(
    begun: Path, explain: Callable[..., Any], command: Callable[..., Any], tmp_path: Path
) -> None:
    job = tmp_path / "job"
    shutil.copytree(begun, job)
    with closing(SqliteFrontier(job / "job.sqlite", Hosts())) as frontier:
        Blocks(frontier.notes).add(Block(pattern=f"{SITE}fund"))
        frontier.commit()
    settings = ("-s", "DEPTH_LIMIT=1", "-s", "TOPIC_PRIVATE_NETWORK=False", "-s", "FRONTIER_HOST_PAGES=1")
    found = explain(f"{SITE}fund", "--job", str(job), *settings)["admission"]
    [robots] = [rule for rule in found if rule["rule"] == "robots_txt"]
    assert re.fullmatch(r"robots\.txt \d+ \w+ ago: http 404", robots.pop("why"))
    robots["why"] = "no rules"
    assert [(rule["rule"], rule["verdict"], rule["why"]) for rule in found] == [
        ("depth", "refused", "deeper than 1"),
        ("url_length", "passed", ""),
        ("allowed_domains", "passed", ""),
        ("blocked", "refused", f"blocked: {SITE}fund"),
        ("private_network", "passed", ""),
        ("budget", "refused", HOST_PAGES),
        ("trap", "passed", ""),
        ("gate", "passed", OPEN),
        ("robots_txt", "passed", "no rules"),
        ("resolved_address", "unknown", ""),
    ]
    lines = command("explain", f"{SITE}fund", "--job", str(job), *settings).out.splitlines()
    first = lines.index("Admission refused  depth: deeper than 1")
    assert lines[first + 3 : first + 5] == [
        f"          refused  blocked: blocked: {SITE}fund",
        "          passed   private_network",
    ]


def test_a_url_of_a_past_crawl_has_its_score_its_path_and_its_end(
    begun: Path, explain: Callable[..., Any]
) -> None:
    found = explain(f"{SITE}fund", "--job", str(begun))
    crawl = found["crawl"]
    assert [(step["url"], step["anchor"]) for step in crawl["path"]] == [
        (SITE, ""),
        (f"{SITE}news", "股票新闻"),
        (f"{SITE}fund", "基金净值"),
    ]
    assert crawl["path_is_whole"]
    assert (found["strategy"], crawl["state"], crawl["reason"]) == ("naive_bayes", "completed", "kept")
    assert [(fetch["status"], fetch["stored"]) for fetch in crawl["fetches"]] == [(200, True)]
    assert crawl["fetches"][0]["score"] == found["score"]
    assert sum(shares_of(found).values()) == pytest.approx(found["score"], abs=1e-6)
    assert set(shares_of(found)) == {"prior", "anchor", "context", "url"}
    assert found["gate"] == {"threshold": 0.0, "passed": True, "taken": True, "reason": OPEN}


def test_a_person_reads_it_as_text(begun: Path, command: Callable[..., Any]) -> None:
    ran = command("explain", f"{SITE}gone", "-s", f"JOBDIR={begun}")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "Link      http://hub.example/gone  “旧闻”"
    begin = next(n for n, line in enumerate(lines) if line.startswith("Score "))
    assert lines[begin].endswith(" naive_bayes")
    assert [line.split(maxsplit=1)[1] for line in lines[begin + 1 : begin + 5]] == [
        "prior",
        "anchor",
        "context",
        "url",
    ]
    assert f"Gate      passed: {OPEN}" in lines
    assert any(line.startswith("State     error: http 404, met first 20") for line in lines)
    assert [line.split()[-2] for line in lines[-2:]] == [f"{SITE}news", f"{SITE}gone"]
    never = command("explain", "http://nowhere.example/", "-s", f"JOBDIR={begun}")
    assert never.code == 1
    assert re.search(rf"URL http://nowhere\.example/: .*{re.escape(str(begun))}", never.err)


@pytest.mark.slow
def test_a_job_of_an_own_topic_file_without_jobdir_is_explained_once_the_file_is_gone(
    crawl: Callable[..., Crawled], explain: Callable[..., Any], tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(OWN_TOPIC, encoding="utf-8")
    job = crawl(kept="TOPIC_DATA_DIR", topic=str(own)).job
    own.unlink()
    found = explain(f"{SITE}fund", "--job", str(job))
    assert (found["topic"], found["strategy"]) == ("ownfunds", "adaptive")
    assert sum(shares_of(found).values()) == pytest.approx(found["score"], abs=1e-6)
    assert len(found["shares"]) == len(FEATURES)
    assert found["gate"]["taken"]
    assert [(step["url"], step["state"]) for step in found["crawl"]["path"]] == [
        (SITE, "completed"),
        (f"{SITE}news", "discarded"),
        (f"{SITE}fund", "completed"),
    ]
    assert found["crawl"]["path_is_whole"]


def test_an_anchor_cannot_steer_the_terminal(command: Callable[..., Any]) -> None:
    hostile = "基金\x1b[31m\u202e\x9b2J\ud800　"
    options = ("explain", "--anchor", hostile, "--topic", "finance", *KEYWORDS)
    assert command(*options).out.splitlines()[0] == (
        "Link      (no URL)  “基金\\u001b[31m\\u202e\\u009b2J\\ud800　”"
    )
    assert json.loads(command(*options, "--json").out)["link"]["anchor"] == hostile

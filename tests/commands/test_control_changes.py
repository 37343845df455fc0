"""A running crawl is changed: thresholds, limits, parameters, and what is blocked. One crawl, held behind a robots.txt."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from held_page import PATIENCE, Door
from message_facts import numbers

from topiccrawler.crawling.job_files import read_recipe
from topiccrawler.engine.control.client import ask, orders
from topiccrawler.errors import ArgumentError

pytestmark = pytest.mark.slow

TEXT = "<title>基金</title><p>基金 股票 理财 投资</p>"
SEED = "http://a.example/"
BEHIND = [f"http://b.example/{number}" for number in range(6)]  # one is leased, the others wait
MOVED, LINKED = "http://c.example/moved", "http://c.example/linked"


@pytest.fixture(scope="module")
def changed(
    draw_web: Callable[..., Any],
    forked_scrapy: Any,
    command: Callable[..., Any],
    answer: Callable[..., Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """What the crawl said to each order, and what came of it."""
    door = Door()
    pages: dict[str, Any] = dict.fromkeys(BEHIND, TEXT + f"<a href='{LINKED}'>基金</a>")
    pages |= {SEED: TEXT + "".join(f"<a href='{url}'>基金</a>" for url in BEHIND), LINKED: TEXT, MOVED: TEXT}
    pages |= {BEHIND[5]: answer(301, Location=MOVED), "http://b.example/robots.txt": door}
    web, job = draw_web(pages), tmp_path_factory.mktemp("changes") / "job"
    settings = (f"JOBDIR={job}", "DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False", "CONCURRENT_REQUESTS=1")
    options = [part for setting in settings for part in ("-s", setting)]
    process = forked_scrapy.begin(
        "crawl", "topic", "-a", "topic=finance", "-a", f"seeds={SEED}", *options, proxy=web.proxy
    )
    door.wait_for_knock()
    ask(job, "pause", body={})
    door.open()

    def order(*words: str) -> str:
        ran = command("control", str(job), *words)
        assert ran.err.count("\n") == ran.code
        return str(ran.out or ran.err).strip()

    def listed(*words: str) -> Any:
        return json.loads(order(*words, "--json"))

    before = listed("top")["top"]
    _, *waiting = before  # the first is under way: the file has its lease when a page has ended
    dropped = next(row["url"] for row in waiting if row["url"] != BEHIND[5])
    seen: dict[str, Any] = {
        "job": job,
        "dropped": dropped,
        "top": waiting,
        "shown": order("top"),
        "sites": order("sites"),
        "preview": order("block", dropped, "--preview"),
        "block": order("block", dropped),
        "block site": order("block", "--site", "c.example"),
        "after": listed("top")["top"],
        "why": listed("why", dropped)["crawl"],
        "gate preview": order("set", "link_threshold=1", "--preview"),
        "gate": order("set", "link_threshold=0.001"),
        "page": order("set", "page_threshold=1"),
        "pages": order("set", "pages=100"),
        "until": order("set", "until=0.05"),
        "parameter": order("set", "strategy_smoothing=0.25"),
    }
    (job / "answers.csv").write_text(f"url,answer\n{SEED},y\n", encoding="utf-8")
    seen["taught"] = command("topics", "teach", str(job), "--answers", str(job / "answers.csv")).out
    seen["taught recipe"] = read_recipe(job)
    seen["refused"] = {
        words: order("set", words)
        for words in (
            "pages=0",
            "pages=1",
            "until=2",
            "page_threshold=2",
            "strategy_keep=0.5",
            "strategy_x=1",
            "LOG_LEVEL=DEBUG",
        )
    }
    seen["limits"] = ask(job, "status")["limits"]
    seen["again"] = ask(job, "judged", body={"again": [SEED, "http://nowhere.example/"]})["queued"]
    with pytest.raises(ArgumentError) as refused:
        ask(job, "judged", body={"again": SEED})
    seen["not again"] = str(refused.value)
    with pytest.raises(ArgumentError, match="matches everything"):
        ask(job, "block", body={"pattern": "*"})
    ask(job, "resume", body={})
    seen["ran"] = process.wait(PATIENCE)
    seen["asked"] = web.fetched()
    return seen


def test_what_is_blocked_is_dropped_and_stays_out(changed: dict[str, Any]) -> None:
    assert numbers(changed["preview"]) == ["1", "5"]
    assert numbers(changed["block"]) == ["1", "5"]
    assert numbers(changed["block site"]) == ["0", "4"]
    assert [row["url"] for row in changed["after"]] == [
        row["url"] for row in changed["top"] if row["url"] != changed["dropped"]
    ]
    assert (changed["why"]["state"], changed["why"]["reason"]) == (
        "discarded",
        f"blocked: {changed['dropped']}",
    )
    assert sorted(changed["asked"]) == sorted(
        {SEED, *BEHIND} - {changed["dropped"]}
    )  # c.example: linked, and redirected to


def test_what_comes_next_has_its_shares(changed: dict[str, Any]) -> None:
    row = changed["top"][0]
    assert row["source_url"] == SEED
    assert row["shares"]
    assert [step["url"] for step in row["path"]] == [SEED, row["url"]]
    assert row["url"] in changed["shown"]


def test_a_page_threshold_counts_from_then_on(changed: dict[str, Any]) -> None:
    assert re.match(r"page_threshold \D+1\.0, \D+0\.", changed["page"])
    assert "'topic/kept': 1," in changed["ran"].err
    assert "'topic/pages': 5" in changed["ran"].err


def test_a_link_threshold_says_what_it_would_refuse_and_is_the_jobs(changed: dict[str, Any]) -> None:
    assert re.search(r"link_threshold \D+1\.0, \D+0\.", changed["gate preview"])
    assert numbers(changed["gate preview"])[-2:] == ["4", "4"]
    assert re.match(r"link_threshold \D+0\.001, \D+0\.", changed["gate"])
    recipe = read_recipe(changed["job"])
    assert recipe is not None
    assert recipe.link_threshold == 0.001


def test_limits_and_parameters(changed: dict[str, Any]) -> None:
    assert numbers(changed["pages"]) == ["100"]
    assert numbers(changed["until"]) == ["0.05"]
    assert changed["limits"] == {"pages": 100, "targets": None, "until": 0.05, "opinions": 500}
    assert numbers(changed["parameter"]) == ["0.25", "0.5"]


def test_a_crawl_that_runs_is_taught_and_what_was_set_stays(changed: dict[str, Any]) -> None:
    assert changed["taught"].startswith("1 answers, 1 yes: ")
    recipe = changed["taught recipe"]
    assert recipe.topic == "finance"
    assert recipe.topic_fields["keywords"]
    assert recipe.link_threshold == 0.001
    assert read_recipe(changed["job"]) == recipe
    assert [order["answers"] for order in orders(changed["job"]) if order["verb"] == "teach"] == [1]


def test_what_cannot_be_changed_is_one_line_that_says_what_can(changed: dict[str, Any]) -> None:
    refused = changed["refused"]
    assert "set pages=1000" in refused["pages=0"]
    assert "1 pages are fetched already" in refused["pages=1"]
    for words in ("page_threshold=2", "until=2"):
        assert "0 to 1" in refused[words]
    assert "strategy_smoothing" in refused["strategy_keep=0.5"]
    assert "strategy parameter 'x'" in refused["strategy_x=1"]
    names = ["page_threshold", "link_threshold", "pages", "targets", "until", "strategy_smoothing"]
    assert refused["LOG_LEVEL=DEBUG"].split(", ")[-6:] == names


def test_each_change_is_in_the_log_and_in_the_job(changed: dict[str, Any]) -> None:
    reported = list(orders(changed["job"]))
    assert [order["verb"] for order in reported] == [
        "pause",
        "block",
        "block",
        *["set"] * 5,
        "teach",
        "resume",
    ]
    assert (reported[1]["pattern"], reported[1]["dropped"], reported[1]["queued"]) == (
        changed["dropped"],
        1,
        5,
    )
    assert (reported[5]["name"], reported[5]["before"], reported[5]["after"]) == ("pages", None, 100)
    # the seed is below the page threshold of 1, and the answer about it is yes
    judged = re.findall(r"judged again: (\d+) refused, (\d+) restored", changed["ran"].err)
    assert judged == [("1", "0"), ("0", "1"), ("0", "0")]
    assert changed["again"] == 0
    assert "has no list of URLs" in changed["not again"]
    assert 'Control: set {"name": "pages"' in changed["ran"].err

"""A running crawl goes on for another topic: `scrapy control JOB set topic=NAME`."""

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from held_page import PATIENCE, Door

from topiccrawler.crawling.job_files import read_recipe
from topiccrawler.engine.control.client import ask
from topiccrawler.errors import ArgumentError

pytestmark = pytest.mark.slow

FUNDS = "<title>基金</title><p>基金 股票 理财 投资 证券 银行</p>"
HEALTH = "<title>健康养生</title><p>健康 医院 疾病 治疗 医生 养生 患者 保健</p>"
SEED = "http://a.example/"
ABOUT_FUNDS = [f"http://b.example/fund{number}" for number in range(3)]
ABOUT_HEALTH = [f"http://b.example/health{number}" for number in range(3)]


@pytest.fixture(scope="module")
def changed(
    draw_web: Callable[..., Any],
    forked_scrapy: Any,
    command: Callable[..., Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """A crawl about finance that is held, given another topic, and let go; then resumed."""
    door = Door()
    links = "".join(f"<a href='{url}'>基金净值</a> " for url in ABOUT_FUNDS)
    links += "".join(f"<a href='{url}'>健康养生</a> " for url in ABOUT_HEALTH)
    pages: dict[str, Any] = dict.fromkeys(ABOUT_FUNDS, FUNDS) | dict.fromkeys(ABOUT_HEALTH, HEALTH)
    web = draw_web({SEED: FUNDS + links, "http://b.example/robots.txt": door, **pages})
    job = tmp_path_factory.mktemp("topic") / "job"
    settings = (
        f"JOBDIR={job}",
        "DOWNLOAD_DELAY=0",
        "AUTOTHROTTLE_ENABLED=False",
        "CONCURRENT_REQUESTS=1",
        "TOPIC_LINK_THRESHOLD=0",
    )
    options = [part for setting in settings for part in ("-s", setting)]
    process = forked_scrapy.begin(
        "crawl", "topic", "-a", "topic=finance", "-a", f"seeds={SEED}", *options, proxy=web.proxy
    )
    door.wait_for_knock()
    ask(job, "pause", body={})
    door.open()

    def top() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(command("control", str(job), "top", "--json").out)["top"]
        return found

    seen: dict[str, Any] = {"job": job, "before": [row["url"] for row in top()]}
    for wrong in ("finance", "helth"):
        with pytest.raises(ArgumentError) as refused:
            ask(job, "set", body={"name": "topic", "value": wrong})
        seen[wrong] = str(refused.value)
    seen["preview"] = command("control", str(job), "set", "topic=health", "--preview").out
    seen["told"] = command("control", str(job), "set", "topic=健康").out
    seen["after"] = top()
    seen["status"] = ask(job, "status")
    ask(job, "resume", body={})
    seen["ran"] = process.wait(PATIENCE)
    again = ("crawl", "topic", "-a", f"seeds={SEED}", *options)
    seen["old"] = forked_scrapy(*again, "-a", "topic=finance", proxy=web.proxy)
    seen["new"] = forked_scrapy(*again, "-a", "topic=health", proxy=web.proxy)
    return seen


def test_the_queue_is_scored_for_the_new_topic(changed: dict[str, Any]) -> None:
    assert set(changed["before"][:2]) <= set(ABOUT_FUNDS)
    assert {row["url"] for row in changed["after"][:3]} == set(ABOUT_HEALTH)
    assert changed["after"][0]["shares"]
    assert re.match(r"topic .*health.* finance\b", changed["told"])
    assert re.match(r"topic .*health.* finance\b", changed["preview"])
    assert (changed["status"]["topic"], changed["status"]["topic_name"]) == ("health", "health")


def test_pages_are_kept_for_the_new_topic_and_those_of_before_are_judged_by_it(
    changed: dict[str, Any],
) -> None:
    assert changed["ran"].code == 0, changed["ran"].err
    with closing(sqlite3.connect(changed["job"] / "job.sqlite")) as store:
        found = store.execute("SELECT url, topic, judged > 0 FROM pages WHERE stored").fetchall()
    # the texts of the seed's links name health three times
    assert sorted(found) == [(SEED, "health", 1), *((url, "health", 0) for url in ABOUT_HEALTH)]


def test_the_job_is_one_for_the_new_topic_from_then_on(changed: dict[str, Any]) -> None:
    recipe = read_recipe(changed["job"])
    assert recipe is not None
    assert recipe.topic == "health"
    assert "'health', not 'finance'" in changed["old"].err
    assert changed["new"].code == 0, changed["new"].err


def test_a_wrong_topic_changes_nothing(changed: dict[str, Any]) -> None:
    assert "set topic=finance" in changed["finance"]
    assert "health?" in changed["helth"]

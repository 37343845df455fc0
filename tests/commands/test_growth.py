"""A crawl whose topic grows: its words are shown, explain a page, outlive a stop, and are taken back while it runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from door import PATIENCE, Door

from topiccrawler.crawling.growth import FIRST_PAGES
from topiccrawler.crawling.growths import read_growth
from topiccrawler.crawling.threshold import NOTE as THRESHOLD
from topiccrawler.engine.control.client import ask
from topiccrawler.errors import ArgumentError
from topiccrawler.frontier.sqlite import SqliteFrontier

HUB = "http://hub.example/"
SITES = 7
TEA = "<title>茶叶</title><p>茶叶和龙井，" + "茶叶，龙井，" * 8
OTHER = "<title>球队</title><p>足球，球队。"


def web() -> dict[str, Any]:
    pages = {
        f"http://site{number % SITES}.example/{number}": TEA if number % 2 else OTHER
        for number in range(FIRST_PAGES + 20)
    }
    links = "".join(f"<a href={url}>茶叶</a>" for url in pages)
    return {HUB: f"<title>茶叶</title>{links}", **pages}


@pytest.fixture(scope="module")
def grown(
    draw_web: Callable[[dict[str, Any]], Any],
    warm_scrapy: Any,
    command: Callable[..., Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """A crawl to the first round, its words; then resumed, held, and told to take them back."""
    drawn = draw_web(web())
    job = tmp_path_factory.mktemp("growth") / "job"
    call = (
        *("crawl", "topic", "-a", "keywords=茶叶", "-a", f"seeds={HUB}", "-s", f"JOBDIR={job}"),
        *("-s", "DOWNLOAD_DELAY=0", "-s", "ROBOTSTXT_OBEY=False", "-s", "TOPIC_PROPOSED_WORDS=0"),
        *("-s", "AUTOTHROTTLE_ENABLED=False", "-s", "TOPIC_DUPLICATES=keep", "-s", "TOPIC_GROWTH=True"),
        *("-s", "TOPIC_THRESHOLD=auto"),
    )
    ran = warm_scrapy(*call, "-a", f"pages={FIRST_PAGES + 5}", proxy=drawn.proxy)
    seen: dict[str, Any] = {"job": job, "ran": ran, "kept": read_growth(job / "growth.json")}
    seen["shown"] = command("topics", "show", str(job)).out
    seen["json"] = json.loads(command("topics", "show", str(job), "--json").out)
    seen["explained"] = command("explain", "http://site1.example/1", "--job", str(job)).out
    with SqliteFrontier(
        job / "frontier.sqlite"
    ) as frontier:  # as if it had moved: a crawl of 500 pages is long
        kept = json.loads(frontier.notes.get(THRESHOLD) or "")
        frontier.notes.put(THRESHOLD, json.dumps(kept | {"value": 1.01}))
        frontier.commit()
    door = Door()
    drawn.pages.update({url: door for url in web() if url not in set(drawn.asked)})
    process = warm_scrapy.begin(*call, proxy=drawn.proxy)
    door.wait_for_knock()
    seen["status"] = ask(job, "status")
    with pytest.raises(ArgumentError) as refused:
        ask(job, "set", body={"name": "growth", "value": "more"})
    seen["refused"] = str(refused.value)
    seen["told"] = command("control", str(job), "set", "growth=undo").out
    door.open()
    seen["again"] = process.wait(PATIENCE)
    seen["after"] = json.loads(command("topics", "show", str(job), "--json").out)
    return seen


def test_words_of_sure_pages_are_learned_and_shown(grown: dict[str, Any]) -> None:
    assert grown["ran"].code == 0, grown["ran"].err
    assert set(grown["kept"].words) == {"龙井"}
    assert f"After {FIRST_PAGES} pages the topic has 1 words that it grew; new: 龙井" in grown["ran"].err
    assert "'growth/words': 1" in grown["ran"].err
    assert "grows: 1 rounds" in grown["shown"]
    assert f"龙井 0.3 (on {grown['kept'].words['龙井'].pages} sure pages of 7 sites" in grown["shown"]
    assert grown["json"]["keywords"] == {"龙井": 0.3, "茶叶": 1.0}
    assert grown["json"]["grown"]["words"]["龙井"]["sites"] == SITES


def test_a_kept_page_is_explained_with_grown_words(grown: dict[str, Any]) -> None:
    assert "茶叶\n" in grown["explained"]
    assert "龙井 (grown)" in grown["explained"]
    assert "threshold now 0.150" in grown["explained"]  # too few pages to move it
    assert "'topic/page_threshold': 0.15" in grown["ran"].err


def test_a_crawl_that_goes_on_has_its_words_until_they_are_taken_back(grown: dict[str, Any]) -> None:
    assert grown["status"]["grown_words"] == 1
    assert "set growth=more: is not known; use on, off, undo" in grown["refused"]
    assert grown["told"].strip() == "growth is undo, was on"
    assert grown["again"].code == 0, grown["again"].err
    assert "'growth/words': 0" in grown["again"].err
    assert grown["after"]["grown"]["words"] == {}
    assert grown["after"]["grown"]["grows"] is False
    assert grown["after"]["keywords"] == {"茶叶": 1.0}
    orders = (Path(grown["job"]) / "control.jsonl").read_text(encoding="utf-8")
    assert json.loads(orders.splitlines()[-1])["after"] == "undo"


def test_a_threshold_of_its_own_decides_what_is_kept(grown: dict[str, Any]) -> None:
    assert grown["status"]["page_threshold"] == 1.01
    first, second = (
        int(re.search(r"'topic/kept': (\d+)", grown[name].err)[1])  # type: ignore[index]
        for name in ("ran", "again")
    )
    assert first == second > FIRST_PAGES // 2 - 5  # pages that came later were relevant, and less than 1.01

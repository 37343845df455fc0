import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from message_facts import numbers

from topiccrawler.crawling.job_files import write_recipe
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.base import State
from topiccrawler.frontier.budgets import HOST_PAGES
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Score
from topiccrawler.strategies.naive_bayes import ANOTHER_MODEL


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """One page failed, two wait, one of them on a host that rests for another hour."""
    folder = tmp_path / "job"
    folder.mkdir()
    with SqliteFrontier(folder / "job.sqlite") as frontier:
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
        frontier.end("http://a.cn/1", State.ERROR, "http 503", 3.0)
        frontier.notes.put(
            "waits",
            json.dumps([["c.cn", "host budget", None], ["b.cn", "retry-after", 4e9], ["d.cn", "delay", 5]]),
        )
        frontier.notes.put("harvest", '{"pages": 7, "kept": 4}')
    write_recipe(Recipe("finance", "breadth_first"), folder)
    return folder


@pytest.mark.slow
def test_a_topic_of_words_is_displayed_by_them(forked_scrapy: Callable[..., Any], job: Path) -> None:
    recipe = recipe_of_words(Recipe("", "breadth_first"), ["考研", "高考"])
    write_recipe(recipe, job)
    assert forked_scrapy("frontier", str(job)).out.startswith("考研、高考, breadth_first: 7 pages")
    found = json.loads(forked_scrapy("frontier", str(job), "--json").out)
    assert (found["topic"], found["topic_name"]) == (recipe.topic, "考研、高考")
    words = forked_scrapy("explain", "http://b.cn/1", "--job", str(job), "--anchor", "考研").out
    assert re.search(" topic 考研、高考$", words, re.MULTILINE)
    assert recipe.topic not in words


def test_the_page_shows_counts_what_comes_next_why_hosts_wait_and_what_failed(
    forked_scrapy: Callable[..., Any], job: Path
) -> None:
    ran = forked_scrapy("frontier", str(job))
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert [numbers(line) for line in lines[:3]] == [["7", "4", "3"], ["2", "0", "1", "0", "0"], ["1"]]
    assert lines[5].startswith("      2.000  http://b.cn/1  [retry-after, ")
    assert lines[6] == "             “基金” · depth +2.00 · on http://hub.cn/"
    assert lines[7].startswith(f"      1.000  http://c.cn/1  [{HOST_PAGES}, ")
    assert any(f": {HOST_PAGES}: 1 hosts, retry-after: 1 hosts" in line for line in lines)
    assert lines[-1] == "        1  http 503"


def test_tables_that_could_not_be_written_leave_no_file(
    command: Callable[..., Any], job: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tables.sqlite"
    monkeypatch.setattr("topiccrawler.results.link_graph.package_text", lambda _: "PRAGMA max_page_count = 2; CREATE TABLE a (b); CREATE TABLE c (d);")  # fmt: skip
    ran = command("frontier", "tables", str(job), "--file", str(file))
    assert ran.code == 1
    assert re.fullmatch(f"--file {re.escape(str(file))}: cannot be written: .* full; .*\n", ran.err)
    assert not file.exists()


def shares(command: Callable[..., Any], job: Path, recipe: Recipe) -> dict[str, dict[str, float]]:
    """What is said of the scores of that job, had it been begun by another recipe."""
    write_recipe(recipe, job)
    ran = command("frontier", str(job), "--json", "-s", "LOG_LEVEL=ERROR")
    assert ran.code == 0, ran.err
    return {row["url"]: dict(row["shares"]) for row in json.loads(ran.out)["top"]}


def test_what_comes_next_has_the_shares_of_its_score(command: Callable[..., Any], job: Path) -> None:
    assert shares(command, job, Recipe("finance", "breadth_first")) == {
        "http://b.cn/1": {"depth": 2.0},
        "http://c.cn/1": {"depth": 1.0},
    }
    found = shares(command, job, Recipe("finance", "naive_bayes", link_models="none"))
    assert found["http://b.cn/1"]["anchor"] > 1
    assert sum(found["http://b.cn/1"].values()) == pytest.approx(2.0)
    sport = found["http://c.cn/1"]
    assert sport["anchor"] < 0  # 体育 speaks against finance
    assert sport[ANOTHER_MODEL] == pytest.approx(1.0 - sport["anchor"])
    more = Recipe("finance", "naive_bayes", keywords=("体育",), link_models="none")
    assert shares(command, job, more)["http://c.cn/1"]["anchor"] > 1


def test_without_a_recipe_or_its_models_the_scores_stand_alone(
    command: Callable[..., Any], job: Path
) -> None:
    gone = Recipe("finance", "naive_bayes", link_models="no/such/folder")
    assert shares(command, job, gone) == {"http://b.cn/1": {}, "http://c.cn/1": {}}

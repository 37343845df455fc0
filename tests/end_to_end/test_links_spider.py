"""`scrapy crawl links` as a user types it: a general crawl that leaves a file `scrapy train` can read."""

import json
import re
from collections.abc import Callable
from errno import ENOSPC
from os import strerror
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import Crawl, Crawled, json_lines
from drawn_web import answer

TOPIC = """name = "finance"
keywords = ["基金", "股票"]
positive = ["money.example"]
negative = ["sport.example"]
"""


def page(*links: tuple[str, str]) -> str:
    """A page of links."""
    return "<title>页</title><p>" + "。".join(f'<a href="{href}">{anchor}</a>' for href, anchor in links)


def portal() -> dict[str, Any]:
    """Two URL prefixes of the topic file, a hub behind them, and a portal with a menu on each of its pages."""
    menu = [(f"http://sport.example/{at}", f"赛事{at}") for at in range(9)]
    return {
        "http://money.example/": page(("http://hub.example/", "导航"), ("/fund", "基金净值")),
        "http://money.example/fund": page(("/", "首页")),
        "http://sport.example/": page(("http://money.example/", "财经")),
        "http://hub.example/": page(("http://money.example/", "理财"), *menu, ("/b", "下一页")),
        "http://hub.example/b": page(*menu, ("http://else.example/", "别处")),
    }


@pytest.fixture
def collect(crawl: Crawl, tmp_path: Path) -> Callable[..., Crawled]:
    """Run the spider on a drawn web; the topic file lies in tmp_path."""
    (tmp_path / "finance.toml").write_text(TOPIC, encoding="utf-8")
    usual = {"spider": "links", "topic": tmp_path / "finance.toml", "seeds": None, "strategy": None}
    return lambda web, **options: crawl(web, CONCURRENT_REQUESTS=1, **usual, **options)


def rows(job: Path) -> list[dict[str, Any]]:
    return json_lines((job / "links.jsonl").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a_general_crawl_from_the_topics_prefixes_labels_links_by_their_targets(
    collect: Crawl, forked_scrapy: Any, tmp_path: Path
) -> None:
    ran = collect(portal())
    assert ran.web.fetched()[:4] == [
        "http://money.example/", "http://sport.example/", "http://hub.example/", "http://money.example/fund",
    ]  # fmt: skip
    found = rows(ran.job)
    labels = {row["anchor"]: row["label"] for row in found}
    assert labels == {
        "基金净值": 1, "首页": 1, "财经": 1, "理财": 1, **{f"赛事{at}": 0 for at in range(9)},
    }  # fmt: skip
    assert {row["context"] for row in found} == {"window"}
    assert next(row for row in found if row["anchor"] == "理财")["after"].startswith("|。|赛事0")
    assert re.search(r"\b4 \D+9 \D+9 \D+0 ", ran.err)
    options = ("--links", str(ran.job / "links.jsonl"), "--out", str(tmp_path), "--json")
    trained = forked_scrapy("train", str(tmp_path / "finance.toml"), *options)
    assert trained.code == 0, trained.err
    assert json.loads(trained.out)["training"]["samples"]["links"] == [9, 4]


@pytest.mark.slow
def test_a_crawl_goes_on_where_it_was_stopped_and_writes_no_link_twice(collect: Crawl) -> None:
    first = collect(portal(), pages=2, links_per_page=4)
    before = rows(first.job)
    collect(first.web, links_per_page=4)
    fetched, found = first.web.fetched(), rows(first.job)
    assert sorted(set(fetched)) == sorted(fetched)
    assert found[: len(before)] == before
    assert len({(row["url"], row["anchor"]) for row in found}) == len(found)
    for source in ("http://hub.example/", "http://hub.example/b"):
        assert sum(row["source_url"] == source for row in found) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"strategy": "naive_bayes"}, "strategy=naive_bayes: "),
        ({"links_per_page": "0"}, "argument -a links_per_page=0: "),
        ({"kontext": "dom"}, "-a kontext=dom"),
        ({"context": "tree"}, "argument -a context=tree: "),
    ],
)
def test_wrong_arguments_are_one_line(
    refusal: Callable[..., str], tmp_path: Path, arguments: dict[str, str], message: str
) -> None:
    said = refusal("links", {"TOPIC_DATA_DIR": str(tmp_path)}, topic="finance", **arguments)
    assert message in said
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_links_that_cannot_be_written_any_more_ends_the_crawl(
    collect: Crawl, tmp_path: Path
) -> None:
    path = tmp_path / "job" / "links.jsonl"

    def full() -> str:
        path.unlink()
        path.symlink_to("/dev/full")
        return page(("/fund", "基金净值"), ("http://hub.example/", "股票导航"))

    ran = collect({**portal(), "http://hub.example/": full}, code=1)
    assert ran.err.count("] ERROR: ") == 1
    assert re.search(f"ERROR: {re.escape(str(path))}: .*{strerror(ENOSPC)}; .*-a out=FILE", ran.err)
    assert "Traceback" not in ran.err
    assert "http://hub.example/b" not in ran.web.asked
    assert "'finish_reason': 'storage_failed'" in ran.err


@pytest.mark.slow
def test_links_of_a_page_that_asks_so_are_labelled_and_not_followed(collect: Crawl) -> None:
    web = portal()
    web["http://hub.example/"] = answer(
        200, web["http://hub.example/"], X_Robots_Tag="topiccrawler: nofollow"
    )
    ran = collect(web)
    assert "http://hub.example/" in ran.web.asked
    assert "http://hub.example/b" not in ran.web.asked
    found = rows(ran.job)
    of_hub = {row["anchor"] for row in found if row["source_url"] == "http://hub.example/"}
    assert of_hub == {"理财", *(f"赛事{at}" for at in range(9))}

"""Seeds by a search service: what is asked, how results are ranked, and a service that does not do as it should."""

import asyncio
import json
import re
from typing import Any

import pytest
from searxng import fetch, searxng

from topiccrawler.errors import SearchError
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.seeding.candidates import Candidate
from topiccrawler.seeding.search_service import Found, Searxng, candidates_of_search, queries_of
from topiccrawler.topics.catalogue import topic_from_keywords

TEA = topic_from_keywords("茶叶,龙井,的:0.1")
CLASSIFIER = VsmClassifier(TEA)


def found_by(address: str) -> tuple[list[Candidate], list[str]]:
    """The candidates for tea, and the warnings."""
    warnings: list[str] = []
    searching = candidates_of_search(TEA, Searxng(f"{address}/"), CLASSIFIER, fetch, warnings.append)
    return asyncio.run(searching), warnings


def search(address: str, query: str) -> list[Found]:
    return asyncio.run(Searxng(f"{address}/").search(fetch, query))


def row(url: object, title: object = "", content: object = "") -> dict[str, object]:
    return {"url": url, "title": title, "content": content, "engine": "some"}


def test_heavy_words_and_their_pairs_are_asked_for_those_given_first() -> None:
    assert queries_of(TEA) == ["茶叶", "龙井", "茶叶 龙井"]
    proposed = TEA.model_copy(update={"keywords": {**TEA.keywords, "绿茶": 0.9}, "given": ["茶叶"]})
    assert queries_of(proposed) == ["茶叶"]
    many = topic_from_keywords(",".join(f"word{letter}" for letter in "abcdefgh"))
    assert len(queries_of(many)) == 15


def test_results_are_ranked_by_the_topic_and_by_how_many_queries_found_them() -> None:
    tea, also = (
        row("http://tea.example/?utm_source=x", " 龙井\n茶叶 ", "茶叶网"),
        row("http://also.example/", "茶叶的历史和文化", "今天的天气很好"),
    )
    off = row("http://off.example/", "足球", "比赛")
    results = {
        "茶叶": [also, off, tea],
        "龙井": [tea, row("javascript:alert(1)", "茶叶"), "no row"],
        "茶叶 龙井": [tea],
    }
    with searxng(results) as server:
        found, warnings = found_by(server.address)
    assert [one.url for one in found] == ["http://tea.example/", "http://also.example/"]
    assert warnings == []
    assert (found[0].found, found[0].queries, found[0].title) == (3, 3, "龙井 茶叶")
    assert server.agents == {"tester/1"}
    asked = [line.partition("pageno=")[2] for line in server.asked]
    assert asked == ["1", "2"] * 3
    assert server.asked[0] == "GET /search?q=%E8%8C%B6%E5%8F%B6&format=json&pageno=1"


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (500, r"\b500;.*SearXNG"),
        (b"<html>", "JSON.*;.*json"),
        (b"[" * 100_000, "JSON"),
        (json.dumps({"answers": []}).encode(), "JSON"),
    ],
)
def test_a_service_that_answers_otherwise_is_reported_in_one_line(answer: Any, fault: str) -> None:
    with searxng({"茶叶": answer}) as server, pytest.raises(SearchError) as caught:
        found_by(server.address)
    assert re.match(f"search service {server.address}: .*{fault}", str(caught.value))


def test_an_instance_without_the_json_format_and_one_that_is_not_there() -> None:
    with searxng() as server:
        server.json_allowed = False
        with pytest.raises(SearchError, match=r"403.*search\.formats"):
            search(server.address, "q")
    with pytest.raises(SearchError, match=rf"{server.address}: .*refused"):
        search(server.address, "q")
    for wrong in ("ftp://x", "http://[::1", "http://[x]/", "http://a:99999", "http://"):
        with pytest.raises(SearchError, match=f"'{re.escape(wrong)}': is no http"):
            Searxng(wrong)


def test_what_was_found_before_the_service_gave_up_counts() -> None:
    with searxng({"茶叶": [row("http://tea.example/", "茶叶")], "龙井": 429}) as server:
        found, warnings = found_by(server.address)
    assert [(one.url, one.found, one.queries) for one in found] == [("http://tea.example/", 1, 1)]
    (warning,) = warnings
    assert re.search(r"answers 429; .* \(after 1 of 3 queries\)$", warning)

"""What is known of waiting URLs, and what their groups have yielded."""

from __future__ import annotations

import numpy as np
import pytest

from topiccrawler.model import Link
from topiccrawler.strategies.adaptive import url_features as module
from topiccrawler.strategies.adaptive.group_rates import Yields
from topiccrawler.strategies.adaptive.url_features import GROUPS, Evidence

PAGE = "http://a.example/list.html"


def link(url: str) -> Link:
    return Link(url, url.split("/")[2])


def meet(
    evidence: Evidence, links: list[Link], odds: list[float], page: str = PAGE, relevance: float = 0.5
) -> list[str]:
    rows = evidence.rows_of([link.url for link in links])
    waits = evidence.waiting[rows]
    waiting, rows = [link for link, waits_still in zip(links, waits, strict=True) if waits_still], rows[waits]
    found = evidence.meet(
        page,
        waiting,
        rows,
        odds=np.array(odds),
        standings=np.array(odds) / 10 + relevance,
        headings=np.array([0.1 * place for place in range(len(waiting))]),
        relevance=relevance,
        grandparent=-1.0,
    )
    return [evidence.urls[row] for row in found]


def column(evidence: Evidence, name: str, url: str) -> float:
    return float(evidence.columns[name][evidence.rows[url]])


def test_several_links_to_one_url_are_one_row_of_sums_and_maxima() -> None:
    evidence = Evidence()
    one, two = "http://b.example/1", "http://b.example/2"
    assert meet(evidence, [link(one), link(two), link(one)], [4.0, -2.0, 1.0]) == [one, two]
    assert [column(evidence, "links", url) for url in (one, two)] == [2, 1]
    assert [column(evidence, "sum_odds", url) for url in (one, two)] == [5, -2]
    assert [column(evidence, "best_heading", url) for url in (one, two)] == [0.2, 0.1]
    meet(evidence, [link(two)], [8.0], "http://c.example/", relevance=-1.0)
    assert column(evidence, "sum_odds", two) == 6
    assert column(evidence, "best_relevance", two) == 0.5


def test_a_urls_groups_are_those_of_its_most_promising_link() -> None:
    evidence = Evidence()
    url = "http://b.example/1"
    meet(evidence, [link(url), link(url)], [1.0, 3.0])
    meet(evidence, [link(url)], [-9.0], "http://c.example/")
    assert (
        evidence.groups["source_host"][evidence.rows[url]]
        == evidence.yields["source_host"].names["a.example"]
    )
    meet(evidence, [link(url)], [30.0], "http://c.example/")
    assert (
        evidence.groups["source_host"][evidence.rows[url]]
        == evidence.yields["source_host"].names["c.example"]
    )


def test_a_fetched_url_is_no_longer_met() -> None:
    evidence = Evidence()
    meet(evidence, [link("http://b.example/1"), link("http://b.example/2")], [0.0, 0.0])
    evidence.waiting[evidence.rows["http://b.example/1"]] = False
    assert meet(evidence, [link("http://b.example/1"), link("http://b.example/2")], [0.0]) == [
        "http://b.example/2"
    ]
    assert column(evidence, "links", "http://b.example/1") == 1


def test_a_groups_earlier_pages_fade_with_each_further_one() -> None:
    yields = Yields(keep=0.5)
    group = yields.number("site")
    for outcome in (1.0, 1.0, 0.0):
        yields.add(group, outcome)
    assert (yields.pages[group], yields.relevant[group]) == (1.75, 0.75)
    assert yields.rate(np.array([group]), 0.5, 0.25)[0] == pytest.approx((0.75 + 0.125) / 2)
    assert yields.rate(np.array([yields.number("new")]), 0.5, 0.25)[0] == 0.5


def test_rows_whose_groups_yielded_something_are_told_once() -> None:
    evidence = Evidence()
    meet(evidence, [link("http://b.example/1"), link("http://c.example/1")], [0.0, 0.0])
    evidence.yields["site"].add(evidence.yields["site"].number("c.example"), 1.0)
    assert [evidence.urls[row] for row in evidence.touched_rows()] == ["http://c.example/1"]
    assert evidence.touched_rows().tolist() == []


def test_too_many_rows_lose_what_is_fetched_then_the_poorest_and_groups_nothing_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 4)
    evidence = Evidence()
    urls = [f"http://h{n}.example/" for n in range(5)]
    for n, url in enumerate(urls):
        meet(evidence, [link(url)], [0.0], f"http://s{n}.example/")
    evidence.columns["score"][:5] = [9.0, 1.0, 3.0, 2.0, 0.0]
    evidence.waiting[0] = False
    evidence.yields["site"].add(evidence.yields["site"].number("h0.example"), 1.0)
    evidence.forget()
    assert evidence.urls == ["http://h2.example/", "http://h3.example/"]
    assert evidence.waiting_rows().tolist() == [0, 1]
    names = {name: list(evidence.yields[name].names) for name in GROUPS}
    assert names == {
        "site": ["h0.example", "h2.example", "h3.example"],
        "source_host": ["s2.example", "s3.example"],
    }
    assert evidence.yields["site"].pages[:3].tolist() == [1.0, 0.0, 0.0]
    assert [names["site"][n] for n in evidence.groups["site"][:2]] == ["h2.example", "h3.example"]
    assert meet(evidence, [link("http://new.example/")], [0.0]) == ["http://new.example/"]


def test_what_is_saved_comes_back() -> None:
    evidence = Evidence(keep=0.9)
    meet(evidence, [link("http://b.example/1"), link("http://百度.example/2")], [2.0, 1.0])
    evidence.yields["site"].add(0, 1.0)
    evidence.waiting[0] = False
    meet(
        evidence,
        [link("http://c.example/3\nb"), link("http://c.example/\ud800")],
        [0.0, 0.0],
    )
    again = Evidence.load(evidence.save(), keep=0.9)
    assert [list(kept.names) for kept in again.yields.values()] == [
        list(kept.names) for kept in evidence.yields.values()
    ]
    assert again.urls == evidence.urls
    assert again.save() == evidence.save()
    again.yields["site"].add(0, 0.0)
    assert again.yields["site"].pages[0] == pytest.approx(1.9)

"""What is known of waiting URLs, and what their groups have yielded."""

from __future__ import annotations

import numpy as np
import pytest

from topiccrawler.model import Link
from topiccrawler.strategies.link_features import GROUPS, GroupRates, UrlFeatures, is_listing, titled

PAGE = "http://a.example/list.html"


def link(url: str) -> Link:
    return Link(url, url.split("/")[2])


def meet(
    known: UrlFeatures, links: list[Link], odds: list[float], page: str = PAGE, relevance: float = 0.5
) -> list[str]:
    rows = known.rows_of([link.url for link in links])
    waits = known.waiting[rows]
    waiting, rows = [link for link, waits_still in zip(links, waits, strict=True) if waits_still], rows[waits]
    found = known.meet(
        page,
        waiting,
        rows,
        anchors=known.segmenter.words_of([link.anchor for link in waiting]),
        odds=np.array(odds),
        texts=np.array(odds) / 10,
        standings=np.array(odds) / 10 + relevance,
        relevance=relevance,
        grandparent=-1.0,
    )
    return [known.rows.names[row] for row in found]


def column(known: UrlFeatures, name: str, url: str) -> float:
    return float(known.columns[name][known.rows[url]])


def test_several_links_to_one_url_are_one_row_of_sums_and_maxima() -> None:
    known = UrlFeatures()
    one, two = "http://b.example/1", "http://b.example/2"
    assert meet(known, [link(one), link(two), link(one)], [4.0, -2.0, 1.0]) == [one, two]
    assert [column(known, "links", url) for url in (one, two)] == [2, 1]
    assert [column(known, "sum_odds", url) for url in (one, two)] == [5, -2]
    meet(known, [link(two)], [8.0], "http://c.example/", relevance=-1.0)
    assert column(known, "sum_odds", two) == 6
    assert column(known, "best_relevance", two) == 0.5


def test_a_urls_groups_are_those_of_its_most_promising_link() -> None:
    known = UrlFeatures()
    url = "http://b.example/1"
    meet(known, [link(url), link(url)], [1.0, 3.0])
    meet(known, [link(url)], [-9.0], "http://c.example/")
    assert known.groups["source_host"][known.rows[url]] == known.group_rates["source_host"].names["a.example"]
    meet(known, [link(url)], [30.0], "http://c.example/")
    assert known.groups["source_host"][known.rows[url]] == known.group_rates["source_host"].names["c.example"]


def test_a_fetched_url_is_no_longer_met() -> None:
    known = UrlFeatures()
    meet(known, [link("http://b.example/1"), link("http://b.example/2")], [0.0, 0.0])
    known.waiting[known.rows["http://b.example/1"]] = False
    assert meet(known, [link("http://b.example/1"), link("http://b.example/2")], [0.0]) == [
        "http://b.example/2"
    ]
    assert column(known, "links", "http://b.example/1") == 1


def test_a_groups_earlier_pages_fade_with_each_further_one() -> None:
    group_rates = GroupRates(keep=0.5)
    group = group_rates.numbers(["site"])[0]
    for outcome in (1.0, 1.0, 0.0):
        group_rates.add(group, outcome)
    assert (group_rates.pages[group], group_rates.relevant[group]) == (1.75, 0.75)
    assert group_rates.rate(np.array([group]), 0.5, 0.25)[0] == pytest.approx((0.75 + 0.125) / 2)
    assert group_rates.rate(np.array([group_rates.numbers(["new"])[0]]), 0.5, 0.25)[0] == 0.5


def test_pages_in_a_row_that_were_irrelevant_are_counted_and_saved() -> None:
    rates = GroupRates(keep=0.5)
    site = rates.numbers(["a.example"])[0]
    for _ in range(600):  # groups come, and room is made
        rates.numbers([f"{_}.example"])[0]
    for relevant, expected in ((0.0, 1.0), (0.0, 2.0), (1.0, 0.0), (0.0, 1.0)):
        rates.add(site, relevant)
        assert rates.unproductive[site] == expected
    assert GroupRates.load(rates.save(), keep=0.5).unproductive[site] == 1.0


def test_rows_whose_groups_gave_a_page_are_given_once() -> None:
    known = UrlFeatures()
    meet(known, [link("http://b.example/1"), link("http://c.example/1")], [0.0, 0.0])
    known.group_rates["site"].add(known.group_rates["site"].numbers(["c.example"])[0], 1.0)
    assert [known.rows.names[row] for row in known.touched_rows()] == ["http://c.example/1"]
    assert known.touched_rows().tolist() == []


def test_too_many_rows_lose_what_is_fetched_then_the_poorest_and_groups_nothing_needs() -> None:
    known = UrlFeatures(memory_urls=5)
    for n in range(5):
        meet(known, [link(f"http://h{n}.example/")], [0.0], f"http://s{n}.example/")
    known.columns["score"][:5] = [9.0, 1.0, 3.0, 2.0, 4.0]
    known.waiting[0] = False
    known.waiting[4] = False
    known.group_rates["site"].add(known.group_rates["site"].numbers(["h0.example"])[0], 1.0)
    assert meet(known, [link("http://new.example/")], [0.0]) == ["http://new.example/"]
    assert known.rows.names == ["http://new.example/", *(f"http://h{n}.example/" for n in (1, 2, 3)), ""]
    assert known.waiting_rows().tolist() == [0, 1, 2, 3]
    assert [column(known, "links", url) for url in known.rows] == [1, 1, 1, 1]
    names = {name: sorted(known.group_rates[name].names) for name in GROUPS}
    assert names == {
        "site": ["h0.example", "h1.example", "h2.example", "h3.example", "h4.example", "new.example"],
        "source_host": ["a.example", "s1.example", "s2.example", "s3.example"],
    }
    site = known.group_rates["site"]
    assert [site.pages[site.numbers([name])[0]] for name in ("h0.example", "h1.example", "new.example")] == [
        1,
        0,
        0,
    ]
    assert site.names.names[known.groups["site"][2]] == "h2.example"


def test_of_groups_that_gave_pages_the_least_are_forgotten() -> None:
    group_rates = GroupRates()
    for number, pages in enumerate((3, 1, 0, 2)):
        group = group_rates.numbers([f"{number}.example"])[0]
        for _ in range(pages):
            group_rates.add(group, 1.0)
    group_rates.forget(np.array([0]), most=2)
    assert sorted(group_rates.names) == ["0.example", "3.example"]
    assert group_rates.pages[group_rates.numbers(["new.example"])[0]] == 0


def test_what_is_saved_comes_back() -> None:
    known = UrlFeatures(keep=0.9)
    meet(known, [link("http://b.example/1"), link("http://百度.example/2")], [2.0, 1.0])
    known.group_rates["site"].add(0, 1.0)
    known.waiting[0] = False
    meet(
        known,
        [link("http://c.example/3\nb"), link("http://c.example/\ud800")],
        [0.0, 0.0],
    )
    again = UrlFeatures.load(known.save(), keep=0.9)
    assert [list(kept.names) for kept in again.group_rates.values()] == [
        list(kept.names) for kept in known.group_rates.values()
    ]
    assert again.rows.names == known.rows.names
    assert again.save() == known.save()
    again.group_rates["site"].add(0, 0.0)
    assert again.group_rates["site"].pages[0] == pytest.approx(1.9)


def test_what_links_say_of_a_site_is_the_mean_over_its_urls_of_each_the_first_link() -> None:
    known = UrlFeatures()
    meet(known, [link("http://b.example/1"), link("http://b.example/2")], [10.0, 20.0])
    meet(known, [link("http://b.example/1"), link("http://c.example/")], [-30.0, -10.0], "http://d.example/")
    site = known.group_rates["site"]
    said = {
        name: float(site.text(np.array([site.numbers([name])[0]]))[0]) for name in ("b.example", "c.example")
    }
    assert said == {"b.example": pytest.approx((1 + 2) / (2 + 2)), "c.example": pytest.approx(-1 / (1 + 2))}


@pytest.mark.parametrize(
    ("path", "anchor", "expected"),
    [
        ("tags/%E6%97%85%E8%A1%8C/", "旅行", True),
        ("blog/categories/life/page/3/", "", True),
        ("archives/2019/04/", "", True),
        ("list_23.html", "", True),
        ("?paged=2", "", True),
        ("x", "下一页 »", True),
        ("x", "２", True),
        ("x", "Older posts →", True),
        ("x", "Next", False),
        ("archives/123.html", "", False),
        ("?p=12", "", False),
        ("2019/04/egypt/", "埃及跟团游", False),
    ],
)
def test_lists_of_pages_are_known_by_url_or_anchor(path: str, anchor: str, expected: bool) -> None:
    url = f"http://a.example/{path}"
    assert is_listing(link(url)._replace(anchor=anchor)) is expected


def test_an_anchor_of_twelve_chinese_characters_has_the_length_of_a_title() -> None:
    assert [
        titled(anchor) for anchor in ("", "旅行", 12 * "游", "six English words are a title", 99 * "x")
    ] == [
        0.0,
        pytest.approx(1 / 6),
        1.0,
        pytest.approx(29 / 36),
        1.0,
    ]

"""What is known of waiting URLs, and what their groups have yielded."""

import numpy as np
import pytest

from topiccrawler.model import Link
from topiccrawler.strategies.group_rates import GroupRates
from topiccrawler.strategies.link_features import GROUPS, UrlFeatures, is_listing, titled

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
    ] == [0.0, pytest.approx(1 / 6), 1.0, pytest.approx(29 / 36), 1.0]

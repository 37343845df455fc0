"""Which URLs are chosen for a look at their site."""

import numpy as np
import pytest

from topiccrawler.model import Link
from topiccrawler.strategies.link_features import UrlFeatures, preference
from topiccrawler.strategies.site_looks import LOOK, SiteLooks


def known(*urls: str, source: str = "http://s.example/") -> UrlFeatures:
    """Links of one page that say nothing."""
    found = UrlFeatures(keep=0.9)
    add(found, *urls, source=source)
    return found


def add(found: UrlFeatures, *urls: str, source: str) -> None:
    links = [Link(url, url.split("/")[2]) for url in urls]
    nothing = np.zeros(len(links))
    found.meet(
        source,
        links,
        found.rows_of(urls),
        anchors=[[] for _ in urls],
        odds=nothing,
        texts=nothing,
        standings=nothing,
        relevance=0.0,
        grandparent=0.0,
    )


def chosen(looks: SiteLooks, urls: UrlFeatures) -> list[str]:
    """The URLs that a refresh adds."""
    urls.columns["score"][:] = 0.0
    looks.choose(urls, urls.waiting_rows())
    return [urls.rows.names[row] for row in np.flatnonzero(urls.columns["score"] == LOOK)]


def read(looks: SiteLooks, urls: UrlFeatures, url: str) -> None:
    row = urls.rows[url]
    rates = urls.group_rates["site"]
    site = int(urls.groups["site"][row])
    rates.add(site, 0.0)
    urls.waiting[row] = False
    looks.read(urls, row)


def fail(looks: SiteLooks, urls: UrlFeatures, url: str) -> None:
    row = urls.rows[url]
    urls.waiting[row] = False
    looks.ended(urls, [row])


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.example/", 1.0),
        ("http://a.example/archives/", 1.5),
        ("http://a.example/categories/index.html", 1.5),
        ("http://a.example/Tags", 1.5),
        ("http://a.example/tags/linux/", 0.0),
        ("http://a.example/2024/tags/", 0.0),
        ("http://a.example/?tags", 0.0),
    ],
)
def test_home_pages_and_indexes_are_preferred(url: str, expected: float) -> None:
    assert preference(url) == expected


def test_a_site_is_looked_at_until_four_of_its_pages_are_known() -> None:
    urls = known(*(f"http://a.example/{name}" for name in ("", "tags/", "1", "archives/", "2", "3")))
    looks = SiteLooks()
    order = []
    for _ in range(6):
        found = chosen(looks, urls)
        order += found
        for url in found:
            read(looks, urls, url)
    assert order == [f"http://a.example/{name}" for name in ("tags/", "archives/", "", "1")]
    assert urls.group_rates["site"].pages[urls.groups["site"][0]] == pytest.approx(3.439)


def test_a_site_that_does_not_answer_is_not_looked_at_again_and_such_sites_come_last() -> None:
    urls = known(
        "http://dead.example/", "http://dead.example/2", "http://gone.example/", "http://gone.example/2"
    )
    looks = SiteLooks()
    assert chosen(looks, urls) == ["http://dead.example/", "http://gone.example/"]
    fail(looks, urls, "http://dead.example/")
    fail(looks, urls, "http://gone.example/")
    assert chosen(looks, urls) == []
    add(urls, "http://a.example/", "http://a.example/tags/", source="http://s.example/")
    for url in chosen(looks, urls):
        read(looks, urls, url)
    add(urls, "http://new.example/1", "http://a.example/3", source="http://s.example/")
    for n in range(2):
        looks._due = 0
        for _ in range(60):
            looks.count(is_target=True)
        assert chosen(looks, urls) == [("http://a.example/", "http://new.example/1")[n]]


def test_pages_of_a_site_that_leads_to_new_sites_are_looked_at_however_many_were_read() -> None:
    urls = known(*(f"http://hub.example/{n}" for n in (1, 2, 3, 0)))
    looks = SiteLooks()
    for n in (1, 2, 3, 0):
        read(looks, urls, f"http://hub.example/{n}")
    add(urls, "http://hub.example/4", source="http://hub.example/3")
    assert chosen(looks, urls) == []
    found = [f"http://{n}.example/deep" for n in range(9)]
    add(urls, *found, source="http://hub.example/3")
    assert "http://hub.example/4" not in chosen(looks, urls)  # they may never answer
    for url in found:
        read(looks, urls, url)
    assert chosen(looks, urls) == ["http://hub.example/4"]


def test_lists_of_known_sites_are_looked_at_too_one_a_site_and_first_where_few_pages_were_read() -> None:
    urls = known(*(f"http://{site}.example/{path}" for site in "ab" for path in ("1", "page/2/", "page/3/")))
    lists = [row for row in urls.waiting_rows() if "page" in urls.rows.names[row]]
    urls.columns["listing"][lists] = 1.0
    rates = urls.group_rates["site"]
    for site, pages in (("a", 40), ("b", 8)):
        for _ in range(pages):
            rates.add(int(urls.groups["site"][urls.rows[f"http://{site}.example/1"]]), 0.0)
    looks = SiteLooks()
    assert chosen(looks, urls) == ["http://a.example/page/2/", "http://b.example/page/2/"]
    assert chosen(looks, urls) == []  # until they are read
    productive = SiteLooks()
    for _ in range(100):
        productive.count(is_target=True)
    assert chosen(productive, urls) == ["http://b.example/page/2/"]

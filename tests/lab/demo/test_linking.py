"""Everything can be reached by links, and some of it only through a tunnel."""

from collections import deque
from functools import cache

import pytest

from topiccrawler.lab.demo.language import SUBJECTS
from topiccrawler.lab.demo.linking import Block, blocks
from topiccrawler.lab.demo.plan import CRAWL, JUMPED, LICAI, TRAIN, TUNNELS, PlannedPage, Web


@cache
def _targets(web: Web, page: PlannedPage) -> list[PlannedPage]:
    """Pages that a page leads to, through its frames, refresh, and the directory's jumps too."""
    home = f"http://{page.site.host}/"
    urls = [home + "main.html", home + "menu.html"] if page.kind == "front" else []
    for block in blocks(web, page):
        urls += [link.url.replace(JUMPED, LICAI) for link in block.links]
    urls = ["http://" + url.partition("go.php?to=")[2] + "/" if "go.php?to=" in url else url for url in urls]
    return [found for found in map(web.find, urls) if found]


def _reached(web: Web, seeds: list[str], closed: frozenset[str] = frozenset()) -> set[str]:
    first = [page for page in map(web.find, seeds) if page]
    reached, queue = {page.url for page in first}, deque(first)
    while queue:
        page = queue.popleft()
        if page.url in closed or page.kind == "month":
            continue
        for target in _targets(web, page):
            if target.url not in reached:
                reached.add(target.url)
                queue.append(target)
    return reached


@pytest.mark.slow
def test_every_page_of_a_part_is_reached_from_its_directory(web: Web) -> None:
    for part, seeds in ((CRAWL, web.seeds), (TRAIN, web.train_seeds)):
        planned = {page.url for page in web.of_part(part) if page.kind != "month"}
        reached = _reached(web, seeds)
        assert planned - reached == set()
        assert {web.pages[url].site.part for url in reached if url in web.pages} == {part}


@pytest.mark.slow
def test_hidden_clusters_are_reached_through_their_tunnel_only(web: Web) -> None:
    hidden = {url for url, page in web.pages.items() if page.site.hidden and page.kind != "about"}
    assert len(hidden) >= 60
    assert sum(web.pages[url].topic == "finance" for url in hidden) == len(hidden)
    assert not hidden & _reached(web, web.seeds, closed=frozenset(TUNNELS))


def test_the_mouth_of_a_tunnel_is_off_topic_and_its_links_say_nothing(web: Web) -> None:
    finance = SUBJECTS["finance"]
    for mouth, hosts in TUNNELS.items():
        page = web.find(mouth)
        assert page is not None
        assert page.topic != "finance"
        texts = [
            link.text
            for block in blocks(web, page)
            for link in block.links
            if link.url.split("/")[2] in hosts
        ]
        assert len(texts) == len(hosts)
        assert not any(word in text for text in texts for word in (*finance.nouns, finance.zh))


def test_navigation_and_footer_stand_on_every_page_of_a_site(web: Web) -> None:
    def ends(page: PlannedPage) -> tuple[Block, Block]:
        found = blocks(web, page)
        return found[0], found[-1]

    pages = [page for page in web.pages.values() if page.site.host == "www.beichuang.example"]
    assert len(pages) > 300
    assert {ends(page) for page in pages} == {ends(pages[0])}
    assert ends(pages[0])[0].role == "nav"
    assert [link.text for link in ends(pages[0])[0].links[:3]] == ["首页", "财经", "房产"]


def test_some_link_texts_say_nothing_and_some_links_dead(web: Web) -> None:
    links = [
        link
        for page in web.of_part(CRAWL)
        if page.kind == "article" and page.topic == "finance"
        for block in blocks(web, page)
        if block.role == "related"
        for link in block.links
    ]
    telling_nothing = sum(
        len(link.text) <= 6 and not any(w in link.text for w in SUBJECTS["finance"].nouns) for link in links
    )
    dead = sum(web.find(link.url) is None for link in links)
    assert 0.08 < telling_nothing / len(links) < 0.2
    assert 0.005 < dead / len(links) < 0.05
    assert any("utm_source=" in link.url for link in links)


def test_redirects_are_linked_from_the_directory(web: Web) -> None:
    urls = [
        link.url
        for page in web.of_part(CRAWL)
        if page.site.kind == "directory"
        for block in blocks(web, page)
        for link in block.links
    ]
    assert f"http://{JUMPED}/" in urls
    assert sum("go.php?to=" in url for url in urls) >= 5

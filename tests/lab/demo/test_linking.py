"""Everything can be reached by links, and some of it only through a tunnel."""

from collections import deque
from functools import cache

import pytest

from topiccrawler.lab.demo.linking import blocks
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

"""A third of the demo's web as a WARC file: what costs seconds to read with every strategy, and has each kind of page."""

from collections.abc import Iterator
from pathlib import Path

from topiccrawler.lab.demo import crawls
from topiccrawler.lab.demo.plan import CRAWL, PlannedPage, Web

ONE_IN = 3


def pages_of(web: Web) -> Iterator[PlannedPage]:
    """Of what is crawled: all pages that are no articles, and every third article."""
    articles = 0
    for page in web.of_part(CRAWL):
        articles += page.kind == "article"
        if page.kind != "article" or articles % ONE_IN == 1:
            yield page


def record(web: Web, folder: Path) -> tuple[Path, Path]:
    """Write the pages and their labels: the same bytes each time."""
    return crawls.record(web, folder, pages_of(web))

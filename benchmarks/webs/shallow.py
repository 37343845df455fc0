"""The part of a recorded web within three links of a page.

python benchmarks/webs/shallow.py WEB/pages.warc.gz SEED OUT/shallow.warc
"""

from __future__ import annotations

import argparse
from pathlib import Path

from fastwarc.warc import ArchiveIterator

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.parsed_pages import parsed_web
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.replay.warc import RecordedWeb

DEPTH = 3  # links


def main() -> None:
    """Write those pages, and say how many there are at each depth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("web", type=Path)
    parser.add_argument("seed")
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    pages = RecordedPages(RecordedWeb([given.web]))
    near = near_of(pages, given.seed)
    with given.web.open("rb") as whole, given.out.open("wb") as part:
        for record in ArchiveIterator(whole, parse_http=False):
            number = pages.number_of_any(record.headers.get("WARC-Target-URI", ""))
            if number is None or number in near:
                record.write(part)


def near_of(pages: RecordedPages, seed: str) -> set[int | None]:
    """The numbers of the pages within DEPTH links of the seed."""
    with parsed_web(pages, [Recipe("finance")], ["window"]) as web:
        links = web.graph
    near: set[int | None] = {pages.number_of_any(seed)}
    layer = near
    for depth in range(1, DEPTH + 1):
        rows = (
            links.indices[links.indptr[page] : links.indptr[page + 1]] for page in layer if page is not None
        )
        layer = {int(target) for row in rows for target in row} - near
        near = near | layer
        print("within", depth, len(near), "pages")
    return near


if __name__ == "__main__":
    main()

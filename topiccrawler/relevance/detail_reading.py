"""Reads pages and says of each whether it is a detail page.

The conflict: one strategy in twenty asks whether a page is one text or a list of links, and the answer costs as much as
judging the page; the others should not pay. So a crawl takes this reader only for a strategy that `needs_detail`.
Cost: a tenth of reading a page.
But: a page without a word outside its links is none, whatever the machine says: it has hardly seen such.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from topiccrawler.pages.classifier import PageClassifier
from topiccrawler.pages.parse import parse
from topiccrawler.pages.read import Reader, Reading
from topiccrawler.relevance.detail import FILE, DetailClassifier, features, load_detail

NO_TEXT = features(parse(""))[0]


class DetailReader(Reader):
    """A Reader that fills in `Page.is_detail`."""

    def __init__(self, page_classifier: PageClassifier, svm: DetailClassifier, **how: Any) -> None:
        super().__init__(page_classifier, **how)
        self.svm = svm

    def read(self, url: str, body: bytes, declared: str | None = None, **more: Any) -> Reading:
        """As Reader.read."""
        reading = super().read(url, body, declared, **more)
        of_page = features(reading.document)
        is_detail = of_page[0] > NO_TEXT and self.svm.score(of_page) >= 0.0
        return replace(reading, page=replace(reading.page, is_detail=is_detail))


def detail_svm(folder: Path | None = None) -> DetailClassifier:
    """The machine in that folder of models where there is one, else the one that travels with the package."""
    own = folder is not None and folder.joinpath(FILE).is_file()
    return load_detail(folder if own else None)

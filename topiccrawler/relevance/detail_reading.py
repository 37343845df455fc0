"""Reads pages and classifies each as detail page or not.

One strategy in twenty asks for it, and it costs as much as classifying the page by topic. So a crawl takes this reader
only for a strategy that `needs_detail`.
Cost: a tenth of reading a page.
But: a page without a word outside its links is no detail page, whatever the SVM says: it has hardly seen such pages.
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
    """The SVM in that folder of models if there is one, else the shipped one."""
    own = folder is not None and folder.joinpath(FILE).is_file()
    return load_detail(folder if own else None)

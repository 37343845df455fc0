"""The words of a page by field: the input of page classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from topiccrawler.pages.segments import Segment


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of one page by field; `body` is the main text, else all text. `segments`: the same page in parts, for page classifiers
    that ask for them (pages.classifier)."""

    title: Sequence[str] = ()
    headings: Sequence[str] = ()
    emphasis: Sequence[str] = ()
    meta: Sequence[str] = ()
    body: Sequence[str] = ()
    segments: Sequence[Segment] = ()

"""The words of a page by field: the input of page classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of one page by field; `body` is the main text, else all text."""

    title: Sequence[str] = ()
    headings: Sequence[str] = ()
    emphasis: Sequence[str] = ()
    meta: Sequence[str] = ()
    body: Sequence[str] = ()

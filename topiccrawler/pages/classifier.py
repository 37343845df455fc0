"""What every page classifier answers, so that reading, pipelines and commands need not know which one it is."""

from __future__ import annotations

from typing import Protocol

from topiccrawler.pages.words import PageWords


class PageClassifier(Protocol):
    """Relevance of a page to one topic."""

    @property
    def threshold(self) -> float:
        """Relevance from which a page is about the topic."""
        ...

    def relevance(self, words: PageWords) -> float:
        """0..1"""
        ...

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """The words that made it, each with its part; largest first."""
        ...

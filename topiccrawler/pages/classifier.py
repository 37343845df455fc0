"""What every page classifier answers; reading, pipelines and commands use this protocol."""

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
        """The words behind the relevance, each with its share; largest first."""
        ...

"""What every page classifier answers; reading, pipelines and commands use this protocol."""

from __future__ import annotations

from typing import ClassVar, Protocol

from topiccrawler.pages.words import PageWords


class PageClassifier(Protocol):
    """Relevance of a page to one topic."""

    threshold: ClassVar[float]  # relevance from which a page is about the topic: one half
    reads_segments: ClassVar[bool]  # `relevance` reads PageWords.segments

    @property
    def similarity_threshold(self) -> float:
        """The similarity that `similarity` has where a page is as likely about the topic as not."""
        ...

    def similarity(self, words: PageWords) -> float:
        """0..1, on the classifier's own scale: how near the page is to the topic and its surroundings. Strategies go by it."""
        ...

    def relevance(self, words: PageWords) -> float:
        """0..1: the probability that the page is about the topic; kept from one half on."""
        ...

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """The words behind the relevance, each with its share; largest first."""
        ...

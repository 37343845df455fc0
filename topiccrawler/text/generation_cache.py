"""A two-generation cache: results for recent texts, in bounded memory.

The menus of a site and the titles in its lists return on page after page, but a crawl meets new texts for days. So
there are two generations: when the younger is full it becomes the older, and what is asked for again moves back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

Found = TypeVar("Found")


class TwoGenerationCache(Generic[Found]):
    """Text -> result of `work`; each generation holds `characters` of texts, and the call that filled it."""

    def __init__(self, work: Callable[[list[str]], Iterable[Found]], characters: int) -> None:
        self._work, self._room = work, characters
        self._young: dict[str, Found] = {}
        self._old: dict[str, Found] = {}
        self._characters = 0  # of the texts in the younger

    def of(self, texts: Iterable[str]) -> dict[str, Found]:
        """A dictionary that holds all the texts (and others); the new ones go to `work` in one call."""
        if self._characters > self._room:
            self._young, self._old, self._characters = {}, self._young, 0
        young, older = self._young, self._old  # another thread may begin a new generation meanwhile
        missing = set(texts).difference(young)
        if missing:
            self._characters += sum(map(len, missing))
            young.update([(text, older[text]) for text in missing if text in older])
            if new := [*missing.difference(older)]:
                young.update(zip(new, self._work(new), strict=True))
        return young

    def clear(self) -> None:
        """Forget all: `work` gives other results from now on."""
        self._young, self._old, self._characters = {}, {}, 0

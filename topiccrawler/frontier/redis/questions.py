"""Questions that nobody stands and waits for: while one is on its way things change here, of which its answer says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from topiccrawler.frontier.redis.calls import Call


@dataclass(eq=False, slots=True)
class Question:
    """On its way. `session`: of who asked; an answer to another one is of no use."""

    call: Call
    session: str
    wanted: Mapping[str, bytes] = field(default_factory=dict)  # URL -> digest, when it is about URLs
    keys: set[bytes] = field(default_factory=set)  # digests of the URLs that changed since
    hosts: set[str] = field(default_factory=set)  # of those URLs
    taken: set[str] = field(default_factory=set)  # hosts that became this worker's since


class Questions:
    """All that are on their way."""

    def __init__(self) -> None:
        self._open: set[Question] = set()

    def open(self, question: Question) -> Question:
        """It is asked now."""
        self._open.add(question)
        return question

    def close(self, question: Question) -> bool:
        """Its answer is heard. False when it was already."""
        was_open = question in self._open
        self._open.discard(question)
        return was_open

    def unheard(self, seconds: float) -> list[Question]:
        """About URLs, and answered so long ago: who asked does not care any more."""
        return [
            one for one in self._open if one.wanted and one.call.done.is_set() and one.call.age >= seconds
        ]

    def changed(self, host: str, key: bytes) -> None:
        """A URL was pushed, leased, ended or scored here."""
        for question in self._open:
            question.keys.add(key)
            question.hosts.add(host)

    def took(self, host: str) -> None:
        """A host became this worker's."""
        for question in self._open:
            question.taken.add(host)

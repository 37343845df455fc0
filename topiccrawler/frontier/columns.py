"""The part of every URL on disk that is kept in memory: columns of numbers by order of arrival, no text.

A push needs a URL's state and score two hundred times a page without reading the disk, and there may be ten million
URLs. So a URL takes 31 bytes here: digest, host, score, state, seen-anchor mask.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.rows import CODES, STATES, Rows
from topiccrawler.frontier.tables import RESTORE
from topiccrawler.frontier.url_index import Digest, UrlIndex

WAITING, PROCESSING = CODES[State.WAITING], CODES[State.PROCESSING]


class Columns:
    """By a URL's number: its score, state (as on disk), host's number, and seen-anchor mask (frontier.seen_anchors)."""

    def __init__(self, digest: Callable[[str], Digest]) -> None:
        self.urls = UrlIndex(digest)
        self.scores = array("d")
        self.states = bytearray()
        self.hosts = array("I")
        self.seen_anchors = array("I")

    def add(self, score: float, host: int, seen_anchors: int) -> None:
        """A URL that `urls` has given a number waits."""
        self.scores.append(score)
        self.states.append(WAITING)
        self.hosts.append(host)
        self.seen_anchors.append(seen_anchors)

    def load(self, rows: Rows) -> None:
        """From the narrow tables, read once. StateError when they do not agree."""
        fingerprints, checks = array("q"), array("I")
        try:
            for piece in rows.load_states():
                fingerprint, check, hosts, scores, states, seen_anchors = zip(*piece, strict=True)
                fingerprints.extend(fingerprint)
                checks.extend(check)
                self.hosts.extend(hosts)
                self.scores.extend(scores)
                self.states.extend(states)
                self.seen_anchors.extend(seen_anchors)
            for number, score in rows.load_raises():
                self.scores[number] = score
        except (TypeError, ValueError, OverflowError) as error:
            raise _damaged(rows, f"a number is none: {error}") from error
        if self.states and max(self.states) >= len(STATES):
            raise _damaged(rows, f"there is no state {max(self.states)}")
        if self.hosts and max(self.hosts) >= len(rows.hosts):
            raise _damaged(rows, f"host {max(self.hosts)} is missing")
        self.urls.load(fingerprints, checks)

    def waiting(self, hosts: int) -> list[array[int]]:
        """The numbers of the URLs that wait, by host, oldest first."""
        found = [array("I") for _ in range(hosts)]
        arrive = [numbers.append for numbers in found]
        for number, (host, state) in enumerate(zip(self.hosts, self.states, strict=True)):
            if state == WAITING:
                arrive[host](number)
        return found


def _damaged(rows: Rows, fault: str) -> StateError:
    return StateError(str(rows.path), fault, RESTORE)

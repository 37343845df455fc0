"""Defines what a crawl knows of a URL while it is fetched, and of the way the fetch ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from topiccrawler.crawling.link_gate import PASSED, Decision
from topiccrawler.crawling.revisiting import Due
from topiccrawler.frontier.base import Leased, State
from topiccrawler.model import Page, Via


@dataclass(slots=True)
class Fetch:
    """A leased URL that is being fetched, and what is known of its response."""

    leased: Leased
    decision: Decision = PASSED  # the admission rules' decision on the URL
    # leased as well; their leases end with this one
    redirect_targets: list[str] = field(default_factory=list)
    status: int = 0  # HTTP status of the response; 0 = no response
    etag: str = ""  # header ETag of the response
    modified: str = ""  # header Last-Modified of the response
    page: Page | None = None  # None until the response has been read
    error: str = ""
    challenge: str = ""  # why the response is no page
    # set for a page of the job that is checked again; the frontier has no lease for it
    due: Due | None = None

    @property
    def via(self) -> Via:
        """The link, its score and the tunnel steps by which the page was reached."""
        leased = self.leased
        return Via(leased.link, leased.score, leased.carry, self.decision.tunnel)

    @property
    def urls(self) -> list[str]:
        """The URLs whose leases end with the fetch: its own, and the targets of its redirects."""
        return [self.leased.link.url, *self.redirect_targets]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a fetch: the final state of the URL, the reason, and what is counted."""

    state: State
    reason: str
    is_relevant: bool = False  # the page reached the page threshold, whether it was stored or is a copy
    format: str = ""  # this and `kind`: of a page that was kept
    kind: str = ""
    is_copy: bool = False


class Rechecks(Protocol):
    """Pages of the job that are checked again in this run."""

    @property
    def due(self) -> Sequence[Due]:
        """All of them."""

    @property
    def left(self) -> int:
        """The number of pages that are still to be checked."""

    def ended(self, fetch: Fetch, due: Due, now: float) -> None:
        """Record the result of a check; the caller commits the files."""

    def lines(self) -> list[str]:
        """Lines that summarise the checks, to be printed at the end of the crawl."""

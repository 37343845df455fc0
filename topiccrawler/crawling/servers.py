"""Servers that keep what several processes share: the queue of a crawl, or the pages of many. Found by name, imported when a setting names one.

One of another package is found by an entry point, whose value is a module with the functions of QueueServer or PageServer: in the group
`topiccrawler.queue_servers` its name is the setting that has the address, in `topiccrawler.page_servers` the scheme of STORE_URL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

from topiccrawler.crawling.sharing import Learned, SharedQueue
from topiccrawler.entry_points import named
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.base import Frontier, Listing, Notes, Row
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.stored_state import Overview
from topiccrawler.store.index import Found, QueryTerm
from topiccrawler.store.pages import Pages, Selection, SharedPages
from topiccrawler.text.segmenter import Segmenter

QUEUE_SERVERS = {"REDIS_URL": "topiccrawler.cluster.redis.server"}
PAGE_SERVERS = dict.fromkeys(("postgresql", "postgres"), "topiccrawler.cluster.postgresql.server")
QUEUE_GROUP, PAGE_GROUP = "topiccrawler.queue_servers", "topiccrawler.page_servers"


@dataclass(frozen=True, slots=True)
class Times:
    """In seconds."""

    lease: float  # a lease ends by itself
    worker: float  # a process without a sign of life for so long is declared dead
    outage: float  # a server that is away is waited for


class SharedView(Protocol):
    """A crawl on a server, looked at without joining it."""

    name: str
    made_of: Mapping[str, Any]  # its recipe
    notes: Notes

    def look(self) -> Listing:
        """What its queue holds."""

    def rows(self) -> Iterator[Row]:
        """All records, in order of arrival."""

    def overview(self, top: int) -> Overview:
        """Counts, and what comes next."""

    def notes_of(self, slot: int) -> Mapping[str, str]:
        """The notes of one process."""

    def learned(self) -> Learned | None:
        """What the process that learns for all published last."""

    def close(self) -> None:
        """Let go."""


class QueueServer(Protocol):
    """A module; keeps queues."""

    EXAMPLE: str  # of an address

    def public(self, address: str) -> str:
        """The address without what is secret of it."""

    def check(self, address: str, job: str) -> None:
        """ArgumentError for what is no address, and for a name that a crawl there cannot have."""

    def open_queue(
        self,
        address: str,
        job: str,
        hosts: Hosts,
        recipe: Mapping[str, str],
        made_of: Mapping[str, object],
        times: Times,
    ) -> tuple[Frontier, SharedQueue]:
        """Join the crawl of this name. StateError when the server cannot be used, or the crawl was begun with another `recipe`."""

    def open_view(self, address: str, job: str) -> SharedView:
        """Look at it. StateError when there is none."""


class ServedPages(Pages, Protocol):
    """The pages of one job on a server."""

    name: str
    address: str  # without what is secret of it

    def recipe(self) -> tuple[str, str] | None:
        """The topic of the job and its recipe as JSON; None = it has not begun."""

    def find(
        self,
        terms: tuple[QueryTerm, ...],
        selection: Selection,
        limit: int,
        segmenter: Segmenter,
        progress: Callable[[int, int], None] | None,
    ) -> list[Found]:
        """The best pages that match; pages that are not indexed yet are, by this segmenter. `progress`: notified of pages that are indexed first, and of how many there are."""


class PageServer(Protocol):
    """A module; keeps pages."""

    def remember(self, address: str, *, for_all: bool = False) -> None:
        """For jobs whose recipes name it without what is secret of it; `for_all`: wherever they say that their pages lie."""

    def open_pages(self, address: str, job: str) -> ServedPages:
        """The pages of a job, to be read. StateError when there is no such job."""

    def open_shared(
        self, address: str, job: str, topic: str, *, indexed: bool, outage_seconds: float
    ) -> SharedPages:
        """The pages of a job that a crawl keeps. ArgumentError for no address."""


@dataclass(frozen=True, slots=True)
class QueueAddress:
    """The server that a setting names."""

    setting: str
    address: str
    server: QueueServer

    @property
    def redacted(self) -> str:
        """For messages, without password."""
        return f"{self.setting}={self.server.public(self.address)}"


def queue_address(setting: Callable[[str], object]) -> QueueAddress | None:
    """The first server whose setting is there; None = the queue is in memory or in a folder. `setting`: returns a setting's value."""
    for name, module in _known(QUEUE_GROUP, QUEUE_SERVERS).items():
        if address := setting(name):
            return QueueAddress(name, str(address), _queue_server(module, f"setting {name}"))
    return None


def no_queue_server(what: str) -> ArgumentError:
    """`what` names a crawl on a server, and no setting says which."""
    known = _known(QUEUE_GROUP, QUEUE_SERVERS)
    examples = [f"-s {name}={_queue_server(module, name).EXAMPLE}" for name, module in known.items()]
    return ArgumentError(
        what, "names a crawl that several processes share, but no server", f"give {' or '.join(examples)}"
    )


def page_server(address: str) -> PageServer:
    """The one whose scheme an address has; ArgumentError for an address of none."""
    scheme, mark, _ = address.partition("://")
    known = _known(PAGE_GROUP, PAGE_SERVERS)
    if not mark or scheme not in known:
        public = f"{scheme}://…" if mark else address.rpartition("@")[2]
        raise ArgumentError(
            f"STORE_URL={public}",
            "is no address of a database that is known",
            f"write it as {' or '.join(f'{name}://USER@HOST/DATABASE' for name in known if name != 'postgres')}",
        )
    members = ("remember", "open_pages", "open_shared")
    return cast("PageServer", _module(known[scheme], f"STORE_URL {scheme}://", members))


def _known(group: str, own: Mapping[str, str]) -> dict[str, str]:
    return {name: point.value for name, point in named(group).items()} | dict(own)


def _queue_server(module: str, what: str) -> QueueServer:
    return cast(
        "QueueServer", _module(module, what, ("EXAMPLE", "public", "check", "open_queue", "open_view"))
    )


def _module(name: str, what: str, members: tuple[str, ...]) -> object:
    remedy = "install what it needs (docs/scaling.md)"
    try:
        found = import_module(name)
    except Exception as error:
        raise StateError(what, f"cannot be used: {error}", remedy) from error
    if lacking := [member for member in members if not hasattr(found, member)]:
        raise StateError(what, f"cannot be used: {name} has no {', '.join(lacking)}", remedy)
    return found

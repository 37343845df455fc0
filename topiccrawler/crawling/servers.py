"""Finds the servers that store what several processes share: the queue of one crawl, or the pages of many crawls.

A server is found by name: the setting that has its address, or the scheme of STORE_URL. Its module, which has the functions of `QueueServer`
or `PageServer`, is imported only when a setting names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

from topiccrawler.crawling.sharing import Learned, SharedQueue
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.stored_queue import QueueView
from topiccrawler.store.pages import Pages, SharedPages

QUEUE_SERVERS = {"REDIS_URL": "topiccrawler.cluster.redis.server"}
PAGE_SERVERS = dict.fromkeys(("postgresql", "postgres"), "topiccrawler.cluster.postgresql.server")


OUTAGE_SECONDS = 600.0  # longest time that a crawl waits for a server that is away; then it ends


class SharedView(QueueView, Protocol):
    """The queue of a crawl on a server, for reading without joining it."""

    name: str
    made_of: Mapping[str, Any]  # the recipe of the crawl

    def learned(self) -> Learned | None:
        """The state that the learner published last; None = none yet."""


class QueueServer(Protocol):
    """A module that connects to a server of queues."""

    EXAMPLE: str  # an example of an address

    def public(self, address: str) -> str:
        """The address without its secret parts."""

    def check(self, address: str, job: str) -> None:
        """Raise ArgumentError for a wrong address, or a name that a crawl on the server cannot have."""

    def open_queue(
        self,
        address: str,
        job: str,
        hosts: Hosts,
        recipe: Mapping[str, str],
        made_of: Mapping[str, object],
    ) -> tuple[Frontier, SharedQueue]:
        """Join the crawl with this name. StateError if the server cannot be used, or the crawl was begun with another `recipe`."""

    def open_view(self, address: str, job: str) -> SharedView:
        """Open the crawl with this name for reading. StateError if there is none."""


class ServedPages(Pages, Protocol):
    """The pages of one job on a server."""

    name: str
    address: str  # without its secret parts

    def recipe(self) -> tuple[str, str] | None:
        """The topic of the job and its recipe as JSON; None = the job has not begun."""


class PageServer(Protocol):
    """A module that connects to a server of pages."""

    def remember(self, address: str, *, for_all: bool = False) -> None:
        """Remember the address with its secret parts, for jobs whose recipes name the same server without them.

        `for_all`: use it for all jobs, whatever address their recipes name.
        """

    def open_pages(self, address: str, job: str) -> ServedPages:
        """Open the pages of a job for reading. StateError if there is no such job."""

    def open_shared(self, address: str, job: str, topic: str) -> SharedPages:
        """Open the pages of a job for a crawl that stores pages there. ArgumentError for a wrong address."""


@dataclass(frozen=True, slots=True)
class QueueAddress:
    """The server of queues that a setting names, with its address."""

    setting: str
    address: str
    server: QueueServer

    @property
    def redacted(self) -> str:
        """The setting and the address without its secret parts, for messages."""
        return f"{self.setting}={self.server.public(self.address)}"


def queue_address(setting: Callable[[str], object]) -> QueueAddress | None:
    """The first server whose setting has a value; None = the queue is in the job's folder. `setting`: returns a setting's value. The address
    is remembered with its secret parts, for `queue_view`."""
    for name, module in QUEUE_SERVERS.items():
        if address := setting(name):
            found = QueueAddress(name, str(address), _queue_server(module, f"setting {name}"))
            _addresses[found.redacted] = found
            return found
    return None


_addresses: dict[str, QueueAddress] = {}  # by their texts without secret parts


def queue_view(redacted: str, job: str) -> SharedView:
    """Open the queue of a job for reading on the server that its recipe names: QueueAddress.redacted. StateError if it cannot be read."""
    known = _addresses.get(redacted) or queue_address(dict([redacted.split("=", 1)]).get)
    if known is None:
        raise StateError(f"job {job}", f"its queue is on an unknown server, {redacted}", "use a copy")
    return known.server.open_view(known.address, job)


def no_queue_server(what: str) -> ArgumentError:
    """The error for an argument `what` that names a crawl on a server, when no setting names the server."""
    examples = [f"-s {name}={_queue_server(module, name).EXAMPLE}" for name, module in QUEUE_SERVERS.items()]
    return ArgumentError(
        what, "names a crawl that several processes share, but no server", f"give {' or '.join(examples)}"
    )


def page_server(address: str) -> PageServer:
    """The server with the scheme of an address; ArgumentError if there is none."""
    scheme, mark, _ = address.partition("://")
    if not mark or scheme not in PAGE_SERVERS:
        public = f"{scheme}://…" if mark else address.rpartition("@")[2]
        raise ArgumentError(
            f"STORE_URL={public}",
            "is no address of a database that is known",
            f"write it as {' or '.join(f'{name}://USER@HOST/DATABASE' for name in PAGE_SERVERS if name != 'postgres')}",
        )
    return cast("PageServer", _module(PAGE_SERVERS[scheme], f"STORE_URL {scheme}://"))


def _queue_server(module: str, what: str) -> QueueServer:
    return cast("QueueServer", _module(module, what))


def _module(name: str, what: str) -> object:
    try:
        return import_module(name)
    except ImportError as error:
        raise StateError(
            what, f"cannot be used: {error}", "install what it needs (docs/scaling.md)"
        ) from error

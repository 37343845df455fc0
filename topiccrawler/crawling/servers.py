"""Defines what commands and crawls ask of the servers that several processes share: the queue of one crawl, the pages of many crawls.

The servers are in cluster/, above this folder. The module of the page server is imported only when a setting or a job names one.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol, cast

from topiccrawler.errors import ArgumentError
from topiccrawler.frontier.stored_queue import QueueView
from topiccrawler.store.pages import Pages, SharedPages

REDIS = "REDIS_URL="
PAGE_SCHEMES = ("postgresql", "postgres")
OUTAGE_SECONDS = 600.0  # longest time that a crawl waits for a server that is away; then it ends


class SharedView(QueueView, Protocol):
    """The queue of a crawl on a server, for reading without joining it."""

    name: str
    made_of: Mapping[str, Any]  # the recipe of the crawl

    def learned(self) -> tuple[int, str] | None:
        """Number and text of the state that the learner published last; None = none yet."""


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


def queue_view(address: str, job: str) -> SharedView:
    """Open the queue of a job for reading. `address`: that of its recipe, without its secret parts. StateError if it cannot be read."""
    view = import_module("topiccrawler.cluster.redis.server").RedisView
    return cast("SharedView", view(address.removeprefix(REDIS), job))


def no_queue_server(what: str) -> ArgumentError:
    """The error for an argument `what` that names a crawl on a server, when no setting names the server."""
    fault = "names a crawl that several processes share, but no server"
    return ArgumentError(what, fault, "give -s REDIS_URL=redis://HOST:6379/0")


def page_server(address: str) -> PageServer:
    """The server with the scheme of an address; ArgumentError if there is none."""
    scheme, mark, _ = address.partition("://")
    if not mark or scheme not in PAGE_SCHEMES:
        public = f"{scheme}://…" if mark else address.rpartition("@")[2]
        remedy = f"write it as {PAGE_SCHEMES[0]}://USER@HOST/DATABASE"
        raise ArgumentError(f"STORE_URL={public}", "is no address of a database that is known", remedy)
    return cast("PageServer", import_module("topiccrawler.cluster.postgresql.server"))

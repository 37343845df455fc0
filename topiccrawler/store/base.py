"""The pages of a job, wherever they are kept: a file of its own (store.pages), or a PostgreSQL server for many processes (store.postgresql)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from topiccrawler.pages.fingerprint import Fingerprint
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.selection import ALL, Selection


class Pages(Protocol):
    """Pages by URL; each has a row, a number that it keeps. StateError when the store cannot be used."""

    def put(self, record: PageRecord) -> int:
        """Store a page, or replace what is stored under its URL; its row."""

    def get(self, url: str) -> PageRecord | None:
        """The page stored under a canonical URL."""

    def at(self, row: int) -> PageRecord | None:
        """The page in a row."""

    def best(self, selection: Selection = ALL, limit: int | None = None) -> list[int]:
        """The rows of such pages about the topic, the most relevant first."""

    def nearest(self, relevance: float, limit: int) -> list[int]:
        """The rows of pages about the topic that are no copies, those of the nearest relevance first."""

    def after(self, row: int, limit: int) -> list[tuple[int, PageRecord]]:
        """The first pages about the topic behind a row, each with its row, in order of arrival."""

    def copies(self, url: str, limit: int) -> list[str]:
        """URLs of the pages that are kept as aliases of this one, in order of arrival."""

    def delete(self, url: str) -> None:
        """Remove the page of that URL, if there is one."""

    def records(self) -> Iterator[PageRecord]:
        """All pages, lazily, in order of arrival."""

    def commit(self) -> None:
        """Make everything so far durable."""

    def close(self) -> None:
        """Commit and let go. A second call does nothing."""


class Copies(Protocol):
    """Pages by the fingerprints of their texts."""

    def __len__(self) -> int:
        """Pages remembered."""

    def first_of(self, url: str, print_: Fingerprint, *, across_sites: bool = True) -> str | None:
        """The page this one is a copy of; None when it is the first, which is then remembered."""

    def commit(self) -> None:
        """Make everything so far durable."""

    def close(self) -> None:
        """Commit and let go. A second call does nothing."""

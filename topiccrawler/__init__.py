"""A focused crawler as a Scrapy project. From Python: `from topiccrawler import Job, crawl, read` (docs/python.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topiccrawler.api import Job, crawl
    from topiccrawler.read_page import ReadPage, read

__all__ = ["Job", "ReadPage", "crawl", "read"]
_HOMES = {
    "Job": "topiccrawler.api",
    "crawl": "topiccrawler.api",
    "ReadPage": "topiccrawler.read_page",
    "read": "topiccrawler.read_page",
}


def __getattr__(name: str) -> object:
    """Import these names on demand: the `scrapy` command imports this package too, and needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)

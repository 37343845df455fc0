"""A focused crawler as a Scrapy project. From Python: `from topiccrawler import Job, crawl` (docs/python.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topiccrawler.api import Job, crawl

__all__ = ["Job", "crawl"]
_HOMES = {"Job": "topiccrawler.api", "crawl": "topiccrawler.api"}


def __getattr__(name: str) -> object:
    """Import `Job` and `crawl` on demand: the `scrapy` command imports this package too, and needs neither."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)

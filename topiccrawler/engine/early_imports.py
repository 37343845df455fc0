"""Imports two modules of Scrapy that take .1 s and .05 s, unless they are imported early and as here.

`contextfactory` makes three deprecated classes, each with `inspect.stack()`, which reads the source files of all frames and looks through
all modules loaded so far. All that Scrapy uses of it is one frame.

`cookies` imports tldextract for one question: whether the domain of a cookie is a public suffix. tldextract brings an HTTP client, and at
the first cookie of a machine it asks a server for the list of suffixes, while the crawl stands still. The list is known here already.
"""

import inspect
import sys
from types import FrameType, ModuleType
from typing import NamedTuple

from topiccrawler.urls.canonical import is_public_suffix


def _frames() -> list[tuple[FrameType]]:
    """As `inspect.stack()`, for the function that calls it and its caller, without what has to be read from files."""
    return [(sys._getframe(1),), (sys._getframe(2),)]  # noqa: SLF001


class _Parts(NamedTuple):
    domain: str  # empty for a public suffix


class _Extract:
    """The part of tldextract.TLDExtract that Scrapy's cookies need."""

    def __init__(self, *, include_psl_private_domains: bool) -> None:
        if not include_psl_private_domains:
            raise NotImplementedError

    def __call__(self, domain: str) -> _Parts:
        return _Parts("" if is_public_suffix(domain) else domain)


_stack = inspect.stack
inspect.stack = _frames  # type: ignore[assignment]
try:
    import scrapy.core.downloader.contextfactory
finally:
    inspect.stack = _stack

if "tldextract" not in sys.modules:
    _instead = ModuleType("tldextract")
    _instead.TLDExtract = _Extract  # type: ignore[attr-defined]
    sys.modules["tldextract"] = _instead
    try:
        import scrapy.downloadermiddlewares.cookies  # noqa: F401
    finally:
        del sys.modules["tldextract"]

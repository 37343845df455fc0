"""Imports the modules of Scrapy that take .1 s, unless they are imported early and as here.

They make three deprecated classes, each with `inspect.stack()`, which reads the source files of all frames and looks through all modules
loaded so far. All that Scrapy uses of it is one frame.
"""

import inspect
import sys
from types import FrameType


def _frames() -> list[tuple[FrameType]]:
    """As `inspect.stack()`, for the function that calls it and its caller, without what has to be read from files."""
    return [(sys._getframe(1),), (sys._getframe(2),)]  # noqa: SLF001


_stack = inspect.stack
inspect.stack = _frames  # type: ignore[assignment]
try:
    import scrapy.core.downloader.contextfactory  # noqa: F401
finally:
    inspect.stack = _stack

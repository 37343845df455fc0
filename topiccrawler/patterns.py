"""Regular expressions that are compiled at their first use.

Python compiles an expression with many characters or branches in milliseconds, and a hundred of them are for rare pages, or for those that
are kept. A crawl that compiles them all while it imports its modules begins .05 s later.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast


def lazy_pattern(expression: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, but the expression is compiled when an attribute of the result is first read, where a faulty one raises re.error.

    For constants that most crawls do not need. It is no re.Pattern for functions of `re`, which take patterns as arguments.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(expression, flags))


class _LazyPattern(Generic[AnyStr]):
    def __init__(self, expression: AnyStr, flags: int) -> None:
        self._expression: AnyStr = expression
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._expression, self._flags), name)
        setattr(self, name, value)  # found without this method from now on
        return value

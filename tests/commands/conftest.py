"""Commands that need no reactor, run in the process of the tests: a tenth of what a process of their own costs."""

import contextlib
import io
import logging
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import pytest
from forked_scrapy import Ran
from scrapy import cmdline

from topiccrawler.cluster.postgresql import session as address

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def command() -> Callable[..., Ran]:
    """Run `scrapy …` in this process, with the settings of the checkout; an exception that a user would see ends the test.

    For commands that need no reactor: there is only one in a process, and it runs only once. `encoding`: of the terminal.
    """

    def run(*args: str, encoding: str = "utf-8") -> Ran:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True) for _ in range(2))
        with undone():
            sys.argv = ["scrapy", *args]
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = exit_code(sys.argv)
        return Ran(code, *(stream.buffer.getvalue().decode(encoding) for stream in (out, err)))

    return run


def exit_code(words: list[str]) -> int:
    """Let Scrapy execute a command line, and end as the interpreter would."""
    try:
        cmdline.execute(list(words))
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
            return 1
        return end.code or 0
    return 0


@contextlib.contextmanager
def undone() -> Iterator[None]:
    """In the checkout; what a command leaves behind in the process is taken back."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    with (
        contextlib.chdir(ROOT),
        mock.patch.dict(os.environ),
        mock.patch.dict(address._remembered),
        mock.patch.object(sys, "argv", sys.argv),
        mock.patch.object(sys, "path", sys.path.copy()),
        mock.patch.object(cmdline, "AsyncCrawlerProcess", no_crawl),
    ):
        root.handlers = []  # without pytest's own, warnings go to standard error
        try:
            yield
        finally:
            root.handlers = handlers
            root.setLevel(level)


def no_crawl(*_: object) -> None:
    """Stand for the class that begins crawls, which would change this process for good."""
    raise AssertionError("this command needs a reactor: run it by `forked_scrapy`")

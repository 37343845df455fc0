"""How what a user got wrong ends: one line and exit code 1 on the command line, an exception in a script.

Scrapy gives a person either a traceback or, for a fault in a spider, exit status 0. So commands print a CrawlerError here, and
a spider's becomes SystemExit where Scrapy's command line runs it. (Not in topiccrawler.commands: Scrapy takes every command
class it finds there for a command.)
"""

from __future__ import annotations

import argparse
import inspect
import json
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

import scrapy
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from twisted.logger import globalLogBeginner

from topiccrawler.engine.project_defaults import give_values
from topiccrawler.errors import CrawlerError
from topiccrawler.store.postgresql.address import give

logger = logging.getLogger(__name__)

COMMAND_LINE = str(Path(scrapy.__file__).with_name("cmdline.py"))


class TellingCommand(ScrapyCommand):
    """A command that says in one line why it ended: `check` refuses a wrong call, `work` does what was asked."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Look at the call before anything is done; `refuse` what cannot be meant."""

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do it. A CrawlerError is printed in one line, and so is a file that the system refuses."""
        raise NotImplementedError

    def interrupted(self, opts: argparse.Namespace) -> str:
        """What Ctrl-C left behind."""
        return "nothing was written"

    @property
    def command(self) -> str:
        """The name it is called by: that of its module."""
        return type(self).__module__.rpartition(".")[2]

    def refuse(self, fault: str) -> NoReturn:
        """End with exit code 2 and the usage."""
        usage = f"usage: scrapy {self.command} {self.syntax()}"
        raise UsageError(f"scrapy {self.command}: {fault}; {usage}", print_help=False)

    def refuse_options(self, args: list[str]) -> None:
        """Scrapy hands on options it does not know as arguments."""
        for wrong in (arg for arg in args if arg.startswith("-")):
            self.refuse(f"unknown option {wrong}")

    def setting(self, name: str) -> str | None:
        """The setting's value; None when it is empty or not set."""
        return (self.settings.get(name) if self.settings is not None else None) or None

    def say(self, text: str) -> None:
        """Print what a terminal can show; a reader who has seen enough (`| head`) may go."""
        from topiccrawler.text.printable import printable

        try:
            sys.stdout.write(f"{printable(text)}\n")
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to flush at exit

    def tell(self, opts: argparse.Namespace, found: object, text: str) -> None:
        """Print what was found: `text` for people, with --json JSON for programs."""
        self.say(json.dumps(found, ensure_ascii=False) if opts.json else text)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        self.check(args, opts)
        assert self.settings is not None  # noqa: S101 Scrapy sets it before
        give_values(self.settings)
        if store_url := self.setting("STORE_URL"):
            typed = (self.settings.getpriority("STORE_URL") or 0) >= SETTINGS_PRIORITIES["cmdline"]
            give(store_url, for_all=typed)  # jobs name their database without its password
        fault = ""
        try:
            self.work(args, opts)
        except CrawlerError as failure:
            fault = str(failure)
        except OSError as failure:
            if failure.filename is None:
                raise
            fault = f"{self.command}: {failure.filename}: {failure.strerror}; name another place"
        except KeyboardInterrupt:
            fault = f"{self.command}: interrupted; {self.interrupted(opts)}"
        if fault:
            sys.stderr.write(f"{fault}\n")
            self.exitcode = 1


@contextmanager
def reported_by_scrapy(settings: BaseSettings) -> Iterator[None]:
    """A CrawlerError while a crawl's parts are made: a script that called for the crawl may catch it; Scrapy's command line, which
    has a traceback or exit code 0 for it, ends with its one line and exit code 1."""
    try:
        yield
    except CrawlerError as error:
        if not is_scrapys_process():
            raise
        if settings.get("LOG_FILE"):  # scrapyd shows its users the log only
            logger.error("%s", error)  # noqa: TRY400 a user's slip deserves a line, not a traceback
        sys.stderr.write(f"{error}\n")
        say_no_more()
        raise SystemExit(1) from None


def say_no_more() -> None:
    """A Deferred or a task that the exit passes through would print it with a traceback."""
    logging.disable(logging.CRITICAL)
    with warnings.catch_warnings(action="ignore"):  # that somebody began before
        globalLogBeginner.beginLoggingTo([], discardBuffer=True, redirectStandardIO=False)


def is_scrapys_process() -> bool:
    """Whether `scrapy.cmdline.execute` has called this: no caller is there to catch an exception."""
    return _command_line() is not None


def end_with_failure() -> None:
    """Let Scrapy's command line, if it runs this, end with exit code 1: its commands know only of crawls that could not begin."""
    frame = _command_line()
    command = frame.f_locals.get("cmd") if frame is not None else None
    if isinstance(command, ScrapyCommand):
        command.exitcode = 1


def _command_line() -> FrameType | None:
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code.co_name == "execute" and frame.f_code.co_filename == COMMAND_LINE:
            return frame
        frame = frame.f_back
    return None

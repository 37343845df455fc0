"""How what a user got wrong ends: one line and exit code 1, in a command and in a crawl.

Scrapy gives a person either a traceback or, for a fault in a spider, exit status 0. So commands print a CrawlerError here, and
a spider's becomes SystemExit before the crawl begins. (Not in topiccrawler.commands: Scrapy takes every command class it
finds there for a command.)
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from topiccrawler.errors import CrawlerError

logger = logging.getLogger(__name__)


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

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        self.check(args, opts)
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
def ending_the_crawl(settings: BaseSettings, prefix: str = "") -> Iterator[None]:
    """A CrawlerError while spider or add-on is made ends the process with that line."""
    try:
        yield
    except CrawlerError as error:
        if settings.get("LOG_FILE"):  # scrapyd shows its users the log only
            logger.error("%s%s", prefix, error)  # noqa: TRY400 a user's slip deserves a line, not a traceback
        raise SystemExit(f"{prefix}{error}") from None

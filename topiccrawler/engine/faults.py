"""What goes wrong, and how it is reported: faults of the other side, of a user's call, and of the crawl's own files; and our settings' defaults.

The other side: why a download failed, in a few words that count, log and queue share. The libraries below raise some twenty kinds of
exceptions for what a stranger's server did; a person asks whether the host is gone, slow or broken. What is not the other side's fault
has no such word and keeps its name and its traceback.

A user's slip is one line and exit code 1 on the command line, an exception in a script. Scrapy gives a person either a traceback or, for
a fault in a spider, exit status 0. So commands print a CrawlerError here, and a spider's becomes SystemExit where Scrapy's command line
runs it. (Not in topiccrawler.commands: Scrapy takes every command class it finds there for a command.)

A crawl whose own files fail ends: one line, nothing more is written, exit code 1. A store that is damaged or a disk that is full will fail
for each page to come, and a page must not be marked as fetched that could not be kept. So the first CrawlerError after the start, wherever
it comes up, closes the spider. What is on disk is the state of the last commit, as after a kill: a job resumed when the fault is mended
fetches again what was under way, and nothing else.

The values of topiccrawler.settings are the defaults of a spider with a topic, in a project of any name. Scrapy makes a spider, and
with it our crawl, before add-ons set anything; so the defaults come when Scrapy asks the spider's class for its settings
(engine.focused_spider). They have the priority "addon": a project's settings, custom_settings and `-s` win. Spiders without a topic have
none of them.

A command's `--help` in the user's language, Scrapy's own part of it too.
"""

from __future__ import annotations

import argparse
import inspect
import json
import logging
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from traceback import walk_stack, walk_tb
from types import FrameType
from typing import Any, NoReturn

import scrapy
from scrapy import exceptions, signals
from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, UsageError
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import load_object
from twisted.internet import error as connections
from twisted.logger import globalLogBeginner
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed

from topiccrawler import settings as ours
from topiccrawler.errors import ArgumentError, CrawlerError, file_faults
from topiccrawler.files import package_table, replace_file, user_path
from topiccrawler.messages import translated, translated_error

_USAGE = "Usage"


class TranslatedHelp(ScrapyHelpFormatter):
    """Looks each text up when the help is printed."""

    def start_section(self, heading: str | None) -> None:
        super().start_section(heading and translated(heading))

    def add_argument(self, action: argparse.Action) -> None:
        action.help = action.help and translated(action.help)
        super().add_argument(action)

    def format_part_strings(self, part_strings: list[str]) -> list[str]:
        parts = super().format_part_strings(part_strings)
        if parts and parts[0].startswith(f"{_USAGE}\n"):
            parts[0] = translated(_USAGE) + parts[0].removeprefix(_USAGE)
        return parts


NO_HOST, REFUSED, UNREACHABLE, TIMEOUT = "no such host", "connection refused", "unreachable", "timeout"
LOST, INCOMPLETE, TLS, BAD_ANSWER = "connection lost", "incomplete answer", "tls failed", "bad answer"
TOO_LARGE, REDIRECTS, NO_PROXY, SCHEME = "too large", "too many redirects", "proxy refused", "unsupported url"

# what is likely to be so for each URL of a host
OF_HOST = frozenset({NO_HOST, REFUSED, UNREACHABLE, TIMEOUT, LOST, TLS, NO_PROXY})

_TOO_LATE = (connections.TimeoutError, connections.TCPTimedOutError, TimeoutError)
_KINDS = {  # the first that fits
    NO_HOST: (exceptions.CannotResolveHostError, connections.DNSLookupError),
    REFUSED: (exceptions.DownloadConnectionRefusedError, connections.ConnectionRefusedError),
    TIMEOUT: (exceptions.DownloadTimeoutError, *_TOO_LATE),
    TOO_LARGE: (exceptions.DownloadCancelledError,),  # only DOWNLOAD_MAXSIZE cancels a download
    INCOMPLETE: (exceptions.ResponseDataLossError,),
    SCHEME: (exceptions.UnsupportedURLSchemeError, exceptions.NotSupported),
    LOST: (connections.ConnectionDone, connections.ConnectionLost, ConnectionError),
    UNREACHABLE: (connections.ConnectError,),
}
_IGNORED = {"max redirections reached": REDIRECTS, "exceeded DOWNLOAD_MAXSIZE": TOO_LARGE}
_READS_ANSWERS = (
    "scrapy.core.downloader.handlers",
    "scrapy.downloadermiddlewares.httpcompression",
    "scrapy.downloadermiddlewares.redirect",
)


def reason_of(error: BaseException | None) -> str | None:
    """The words for what the other side did; None for other faults, and for what Scrapy was asked to ignore."""
    if isinstance(error, IgnoreRequest):
        return next((reason for text, reason in _IGNORED.items() if text in str(error)), None)
    for reason, kinds in _KINDS.items():
        if isinstance(error, kinds):
            return reason
    if type(error).__name__ == "TunnelError":  # its class comes with all of TLS, which commands do without
        return NO_PROXY
    if isinstance(error, exceptions.DownloadFailedError):
        return _reason_of_failed_response(error.__cause__)
    return BAD_ANSWER if error is not None and _was_raised_reading(error) else None


def _reason_of_failed_response(cause: BaseException | None) -> str:
    reasons = cause.reasons if isinstance(cause, ResponseFailed) else []
    for failure in reasons:
        if type(failure.value).__module__.startswith("OpenSSL"):
            return TLS
        if not isinstance(failure.value, (connections.ConnectionDone, connections.ConnectionLost)):
            return BAD_ANSWER
    return LOST


def _was_raised_reading(error: BaseException) -> bool:
    """Somebody's bytes were being read then: a gzip that is none, a Location that is no URL."""
    modules = (frame.f_globals.get("__name__") for frame, _ in walk_tb(error.__traceback__))
    return any(str(module).startswith(_READS_ANSWERS) for module in modules)


# of our own project only
IDENTITY = frozenset({"BOT_NAME", "SPIDER_MODULES", "NEWSPIDER_MODULE", "COMMANDS_MODULE"})


def give_values(settings: BaseSettings) -> None:
    """Set what is a plain value; for commands, which have no components."""
    for name, value in vars(ours).items():
        if name.isupper() and name not in IDENTITY and not isinstance(value, dict):
            settings.set(name, value, "addon")


def give_defaults(settings: BaseSettings) -> None:
    """Set all; a component that the project has placed or switched off itself stays as it is."""
    give_values(settings)
    for name, value in vars(ours).items():
        if name.isupper() and isinstance(value, dict):
            for path, position in value.items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), position)


logger = logging.getLogger(__name__)

COMMAND_LINE = str(Path(scrapy.__file__).with_name("cmdline.py"))


SELECTION = "selection"  # the options by which pages are selected


_BOUNDS = ("least", "most")
_TYPES = {"int": int, "float": float}


@cache
def _description(name: str) -> dict[str, Any]:
    return package_table(f"commands/{name}.toml")


class ReportingCommand(ScrapyCommand):
    """A command that says in one line why it ended: `check` refuses a wrong call, `work` does what was asked.

    How it is called and its help are commands/NAME.toml: `usage`, `summary`, `details`; `options` with the keywords of `add_argument`, those
    of `groups` under a title; `json`, the help of --json, where that says more ("": no such option); `selects`: with selection.toml's options.
    Of an option that is a number, `least` and `most` are its bounds. `arguments`: how many there are at least and at most, and what is
    said where there are others.
    """

    requires_crawler_process = False
    takes_dashes = False  # arguments that begin with one

    @property
    def description(self) -> Mapping[str, Any]:
        """What the command's file says."""
        return _description(self.command)

    def syntax(self) -> str:
        return str(self.description["usage"])

    def short_desc(self) -> str:
        return translated(self.description["summary"])

    def long_desc(self) -> str:
        return translated(self.description["details"])

    @property
    def options(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The command's own, by the titles of their groups ("": the first), as `add_argument` takes them but for `type`."""
        own = {
            **(_description(SELECTION)["options"] if self.description.get("selects") else {}),
            **self.description.get("options", {}),
        }
        if help_of_json := self.description.get("json", "print JSON"):
            own["json"] = {"action": "store_true", "help": help_of_json}
        return {"": own, **self.description.get("groups", {})}

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.formatter_class = TranslatedHelp
        for title, options in self.options.items():
            place = parser.add_argument_group(title) if title else parser
            for name, how in options.items():
                given = {word: value for word, value in how.items() if word not in _BOUNDS}
                kind = {"type": _TYPES[how["type"]]} if "type" in how else {}
                place.add_argument(f"--{name}", **{**given, **kind})

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
        """End with exit code 2; Scrapy prints the usage before it."""
        raise UsageError(translated(f"scrapy {self.command}: {fault}"), print_help=False)

    def _check_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Those that there are not, which Scrapy hands on as arguments, and numbers out of bounds; and how many arguments there are."""
        for wrong in (arg for arg in args if arg.startswith("-") and not self.takes_dashes):
            self.refuse(f"unknown option {wrong}")
        for name, how in (option for group in self.options.values() for option in group.items()):
            least, most = map(how.get, _BOUNDS)
            number = getattr(opts, how.get("dest", name.replace("-", "_"))) if least is not None else None
            if number is not None and not least <= number <= (number if most is None else most):
                self.refuse(
                    f"--{name} {number}: give a number from {least} {'on' if most is None else f'to {most}'}"
                )
        least, most, fault = self.description.get("arguments", (0, sys.maxsize, ""))
        if not least <= len(args) <= most:
            self.refuse(fault.format(count=len(args), first=next(iter(args), "")))

    def setting(self, name: str) -> str | None:
        """The setting's value; None when it is empty or not set."""
        return (self.settings.get(name) if self.settings is not None else None) or None

    @property
    def project(self) -> Settings:
        """The settings, which Scrapy sets before `run`."""
        assert self.settings is not None  # noqa: S101
        return self.settings

    @property
    def data(self) -> Path:
        """The folder of jobs, TOPIC_DATA_DIR."""
        return user_path(self.setting("TOPIC_DATA_DIR") or "data")

    def new_file(self, place: Path, opts: argparse.Namespace) -> Path:
        """`place`; ArgumentError when it exists and --force is not given."""
        if place.exists() and not opts.force:
            raise ArgumentError(str(place), "exists", "name another file by --out, or insist with --force")
        return place

    def write(self, place: Path, text: str) -> None:
        """Write a text to the file that --out names."""
        with file_faults(ArgumentError, place, "cannot be written", "name another file by --out"):
            replace_file(place, text)

    def say(self, text: str) -> None:
        """Print what a terminal can show; a reader who has seen enough (`| head`) may go."""
        from topiccrawler.text.characters import printable

        try:
            sys.stdout.write(f"{printable(text)}\n")
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to flush at exit

    def report(self, opts: argparse.Namespace, found: object, text: str) -> None:
        """Print what was found: `text` for people, with --json JSON for programs."""
        self.say(json.dumps(found, ensure_ascii=False) if opts.json else text)

    def text(self, template: str, values: Mapping[str, Any]) -> str:
        """commands/templates/TEMPLATE.txt, filled in."""
        from topiccrawler.results.templating import as_text

        return as_text(f"commands/templates/{template}.txt", values)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        self._check_options(args, opts)
        self.check(args, opts)
        give_values(self.project)
        if store_url := self.setting("STORE_URL"):
            typed = (self.project.getpriority("STORE_URL") or 0) >= SETTINGS_PRIORITIES["cmdline"]
            from topiccrawler.crawling.servers import page_server

            page_server(store_url).remember(store_url, for_all=typed)  # jobs name it without its password
        fault = ""
        try:
            from topiccrawler.crawling.settings_check import check_names  # other spiders do without it

            check_names(self.project)
            self.work(args, opts)
        except CrawlerError as failure:
            fault = translated_error(failure)
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
        sys.stderr.write(f"{translated_error(error)}\n")
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
    frames = (frame for frame, _ in walk_stack(inspect.currentframe()))
    place = "execute", COMMAND_LINE
    return next((one for one in frames if (one.f_code.co_name, one.f_code.co_filename) == place), None)


STORAGE_FAILED, FRONTIER_ERROR = "storage_failed", "frontier_error"  # finish_reason


class FatalFaults:
    """Of one crawl. `reported`: what was said of it, a line each; `scrapy crawl` then ends with exit code 1, in any project.

    `broken`: one of the job's own files failed, so nothing more may be written to any of them.
    """

    def __init__(self) -> None:
        self.reported: list[str] = []
        self.broken = False
        self._crawler: Crawler | None = None

    def connect(self, crawler: Crawler) -> None:
        """Receive what callbacks, spider middlewares and pipelines raise."""
        self._crawler = crawler
        crawler.signals.connect(self._on_error, signals.item_error)
        crawler.signals.connect(self._on_error, signals.spider_error)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """A CrawlerError inside ends the crawl, and goes no further."""
        try:
            yield
        except CrawlerError as error:
            self.break_off(error)

    def break_off(self, error: Exception) -> None:
        """A file failed: pages under way end, but are kept no more. What is no CrawlerError is a fault of the program."""
        if self.broken:
            return
        self.broken = True
        self.end(error, STORAGE_FAILED if isinstance(error, CrawlerError) else FRONTIER_ERROR)

    def end(self, error: Exception, reason: str) -> None:
        """Log the error and close the spider with this finish_reason."""
        self.note(str(error))
        if isinstance(error, CrawlerError):
            logger.error("%s", error)
        else:
            logger.error("The queue failed; on disk is the state of the last commit", exc_info=error)
        engine = self._crawler.engine if self._crawler is not None else None
        if engine is not None and engine.spider is not None:
            deferred_from_coro(engine.close_spider_async(reason=reason))

    def note(self, text: str) -> None:
        """The crawl has failed, for this reason, which is in the log."""
        self.reported.append(text)
        end_with_failure()

    def _on_error(self, failure: Failure) -> None:
        if isinstance(failure.value, CrawlerError):
            self.break_off(failure.value)

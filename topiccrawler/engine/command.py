"""The base class of our commands: options from a file, checks before work, one line for a fault, help in the user's language.

It is not in topiccrawler.commands, because Scrapy treats every command class that it finds there as a command.
"""

from __future__ import annotations

import argparse
import codecs
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, Settings

from topiccrawler import settings as ours
from topiccrawler.engine.defaults import set_plain_defaults
from topiccrawler.errors import ArgumentError, CrawlerError, StateError, file_faults
from topiccrawler.files import replace_file, user_path
from topiccrawler.messages import translated
from topiccrawler.resources import package_table

_USAGE = "Usage"
ESCAPE = "topiccrawler_escape"  # name of an error handler of codecs


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Escape as in JSON what a terminal's encoding lacks, so that a JSON text keeps its meaning."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error(ESCAPE, _escaped)


class TranslatedHelp(ScrapyHelpFormatter):
    """Help formatter that translates each text when the help is printed."""

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


def program() -> str:
    """The program that was called: scrapy or topiccrawler."""
    return "topiccrawler" if Path(sys.argv[0]).name == "topiccrawler" else "scrapy"


SELECTION = "selection"  # name of the file with the options that select pages
_BOUNDS = ("least", "most")
_TYPES = {"int": int, "float": float}


@cache
def _description(name: str) -> dict[str, Any]:
    return package_table(f"commands/{name}.toml")


def _drop_output() -> None:
    """Write standard output to nowhere from now on, so that nothing is left to flush at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class ReportingCommand(ScrapyCommand):
    """A command that reports a fault in one line. A subclass overrides `check`, which refuses a wrong call, and `work`, which does the
    task.

    The file commands/NAME.toml describes the call and the help: `usage`, `summary`, `details`; `options`, with the keywords of
    `add_argument`; `groups`, more options under a title; `json`, the help of --json when it differs from the usual one ("" = no such
    option); `selects`, whether the options of selection.toml are added; `arguments`, the least and the greatest number of arguments, and
    the message for any other number. A numeric option may have bounds, `least` and `most`.
    """

    requires_crawler_process = False
    takes_dashes = False  # whether arguments may begin with a dash

    @property
    def description(self) -> Mapping[str, Any]:
        """The content of the command's file commands/NAME.toml."""
        return _description(self.command)

    def syntax(self) -> str:
        return str(self.description["usage"])

    def short_desc(self) -> str:
        return translated(self.description["summary"])

    def long_desc(self) -> str:
        return translated(self.description["details"])

    @property
    def options(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The command's options by title of their group ("" = no group) and by name, with the keywords of `add_argument`; `type` is the
        name of a type."""
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
        parser.usage = (parser.usage or "").replace(f"scrapy {self.command}", f"{program()} {self.command}")
        for title, options in self.options.items():
            place = parser.add_argument_group(title) if title else parser
            for name, how in options.items():
                given = {word: value for word, value in how.items() if word not in _BOUNDS}
                kind = {"type": _TYPES[how["type"]]} if "type" in how else {}
                place.add_argument(f"--{name}", **{**given, **kind})

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the call before any work is done, and `refuse` an invalid one."""

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do the command's task. A CrawlerError, or an OSError that names a file, is printed in one line."""
        raise NotImplementedError

    def interrupted(self, opts: argparse.Namespace) -> str:
        """The message about what is left behind after Ctrl-C."""
        return "nothing was written"

    @property
    def command(self) -> str:
        """The command's name on the command line, which is the name of its module."""
        return type(self).__module__.rpartition(".")[2]

    def refuse(self, fault: str) -> NoReturn:
        """End the command with this fault and exit code 2; Scrapy prints the usage first."""
        raise UsageError(f"{program()} {self.command}: {fault}", print_help=False)

    def _check_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Refuse unknown options, which Scrapy passes as arguments, numbers out of bounds, and a wrong number of arguments."""
        for wrong in (arg for arg in args if len(arg) > 1 and arg[0] == "-" and not self.takes_dashes):
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
        """The value of a setting; None when it is empty or not set."""
        return (self.settings.get(name) if self.settings is not None else None) or None

    @property
    def project(self) -> Settings:
        """The project's settings; Scrapy sets them before `run`."""
        assert self.settings is not None  # noqa: S101
        return self.settings

    @property
    def data(self) -> Path:
        """The folder of jobs, TOPIC_DATA_DIR."""
        return user_path(self.setting("TOPIC_DATA_DIR") or "data")

    def folder_of_jobs(self, opts: argparse.Namespace) -> Path:
        """The folder of --data, else `data`, which may be missing. ArgumentError for a missing one of --data, and for a file."""
        data = user_path(opts.data) if opts.data else self.data
        if not data.is_dir() and (opts.data or data.exists()):
            fault = "is a file" if data.exists() else "there is none"
            raise ArgumentError(f"folder {data}", fault, "name a folder of jobs: --data DIR")
        return data.absolute() if opts.data == ours.TOPIC_DATA_DIR else data  # that folder alone

    def new_file(self, place: Path, opts: argparse.Namespace) -> Path:
        """Return `place`, or raise ArgumentError when it exists and --force is not set."""
        if place.exists() and not opts.force:
            raise ArgumentError(str(place), "exists", "name another file by --out, or insist with --force")
        return place

    def write(self, place: Path, text: str) -> None:
        """Write a text to a file, atomically; ArgumentError when that fails."""
        with file_faults(ArgumentError, place, "cannot be written", "name another file by --out"):
            replace_file(place, text)

    def say(self, text: str) -> None:
        """Print a text without characters that a terminal cannot show. A closed pipe (`| head`) is no error."""
        from topiccrawler.text.printable import printable

        try:
            sys.stdout.write(f"{printable(text)}\n")
            sys.stdout.flush()
        except BrokenPipeError:
            _drop_output()

    @contextmanager
    def output(self) -> Iterator[None]:
        """A block that writes bytes to standard output. A closed pipe (`| head`) ends it and is no error; StateError for a full disk."""
        try:
            yield
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            _drop_output()
        except OSError as failure:
            if failure.filename is not None:
                raise
            _drop_output()
            fault = f"cannot be written: {failure.strerror}"
            raise StateError("standard output", fault, "make room or name a file") from None

    def report(self, opts: argparse.Namespace, found: object, text: str) -> None:
        """Print the result: with --json `found` as JSON, else `text`."""
        self.say(json.dumps(found, ensure_ascii=False) if opts.json else text)

    def report_fault(self, failure: CrawlerError) -> None:
        """Print an error in one line; the exit code becomes 1. A command that goes on after it calls this by itself."""
        sys.stderr.write(f"{failure}\n")
        self.exitcode = 1

    def text(self, template: str, values: Mapping[str, Any]) -> str:
        """The text of the template commands/templates/TEMPLATE.txt with these values."""
        from topiccrawler.results.templating import as_text

        return as_text(f"commands/templates/{template}.txt", values)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors=ESCAPE)  # a GBK terminal has no 🀄, an ASCII one no 基
        self._check_options(args, opts)
        self.check(args, opts)
        set_plain_defaults(self.project)
        if store_url := self.setting("STORE_URL"):
            typed = (self.project.getpriority("STORE_URL") or 0) >= SETTINGS_PRIORITIES["cmdline"]
            from topiccrawler.crawling.servers import page_server

            page_server(store_url).remember(store_url, for_all=typed)  # jobs store it without its password
        if redis_url := self.setting("REDIS_URL"):
            from topiccrawler.cluster.redis.records import remember

            remember(str(redis_url))
        fault = ""
        try:
            from topiccrawler.crawling.settings_check import check_names  # here: not every command needs it

            check_names(self.project)
            if (chosen := self.setting("TOPIC_SEGMENTER")) not in {None, "auto"}:
                from topiccrawler.text.segmenter import choose_engine

                choose_engine(str(chosen))
            self.work(args, opts)
        except CrawlerError as failure:
            self.report_fault(failure)
        except OSError as failure:
            if failure.filename is None:
                raise
            fault = f"{self.command}: {failure.filename}: {failure.strerror}; name another place"
        except KeyboardInterrupt:
            fault = f"{self.command}: interrupted; {self.interrupted(opts)}"
        if fault:
            sys.stderr.write(f"{fault}\n")
            self.exitcode = 1

"""`scrapy crawl SPIDER`: as Scrapy's own, but what cannot be meant is one line.

Scrapy's command greets before it looks at what it was given, answers a wrong name with a traceback and a wrong option with its usage.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import logging
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from scrapy.commands import crawl
from scrapy.exceptions import UsageError
from scrapy.spiderloader import get_spider_loader

from topiccrawler.engine.command import TranslatedHelp
from topiccrawler.messages import translated


class Command(crawl.Command):
    """Scrapy's own `crawl`, with a check of the call before anything is logged."""

    def short_desc(self) -> str:
        return translated("Run a spider of the current project, by name")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.formatter_class = TranslatedHelp

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        # before numpy is imported: its library for matrices starts a thread for each processor, which spin while they wait
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        gc.disable()  # modules and models are loaded, none of which becomes garbage; `go_on` enables it again
        # first, while few modules are loaded and the call stack is short
        import topiccrawler.engine.early_imports  # noqa: F401
        from topiccrawler.engine.focused_spider import FocusedSpider, hold_back, quieten_listings

        try:
            super().process_options(args, opts)
            if self.settings is not None and (log := self.settings.get("LOG_FILE")):
                Path(log).open("ab").close()
        except UsageError as error:
            _refuse(str(error))
        except OSError as error:
            _refuse(f"{error.filename}: cannot be written: {error.strerror}; name another file")
        if self.settings is None or not args:
            return
        level = self.settings.get("LOG_LEVEL")
        if not isinstance(level, int) and level not in logging.getLevelNamesMapping():
            _refuse(f"LOG_LEVEL {level!r} is unknown; use DEBUG, INFO, WARNING, ERROR or CRITICAL")
        name, *more = args
        if more:
            remedy = "arguments are given with -a NAME=VALUE, settings with -s NAME=VALUE"
            _refuse(f"{more[0]!r} is not expected; {remedy}")
        spiders = get_spider_loader(self.settings)
        if name not in (known := spiders.list()):
            near = difflib.get_close_matches(name, known, 1)
            remedy = f"did you mean {near[0]}?" if near else f"known spiders: {', '.join(sorted(known))}"
            _refuse(f"spider {name!r}: is unknown; {remedy}")
        if issubclass(spiders.load(name), FocusedSpider):
            if self.settings["ASYNCIO_EVENT_LOOP"] is None and find_spec("uvloop"):
                # here and not in the project's settings: a script that has started another loop could not run our spiders
                self.settings.set("ASYNCIO_EVENT_LOOP", "uvloop.Loop", "default")
            hold_back()
            quieten_listings()
        else:
            gc.enable()


def _refuse(fault: str) -> NoReturn:
    sys.stderr.write(f"scrapy crawl: {fault}\n")
    sys.exit(2)

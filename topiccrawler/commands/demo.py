"""`scrapy demo`: trains on one part of a synthetic web, crawls the other part, and sets the harvest beside breadth-first's.

It is the real training, the real `scrapy crawl` and real HTTP, within a minute and without the network; only the synthetic web
knows the truth.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from topiccrawler.engine.command import ReportingCommand


class Command(ReportingCommand):
    """The command `scrapy demo`: runs the demonstration, or with --serve only serves the synthetic web."""

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.lab.demo.tour import demonstrate, serve

        if opts.serve is not None:
            serve(opts.seed, opts.serve)
        else:
            demonstrate(self._out(opts), opts.seed, opts.pages)

    def interrupted(self, opts: argparse.Namespace) -> str:
        if opts.serve is not None:
            return "nothing was written"
        return f"what was written so far lies in {self._out(opts)}"

    def _out(self, opts: argparse.Namespace) -> Path:
        return Path(opts.out or self.data / "demo").resolve()

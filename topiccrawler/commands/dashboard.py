"""`scrapy dashboard`: all jobs under a data folder in a browser, running or finished; a form that starts one."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import webbrowser

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError


class Command(ReportingCommand):
    """The command `scrapy dashboard`: starts the web server and opens the browser."""

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.dashboard.app import make_app, serve

        data = self.folder_of_jobs(opts)
        settings = {name: self.setting(name) for name in ("TOPIC", "TOPIC_STRATEGY")}
        app = make_app(data, settings, lambda link: self.say(f"For another browser: {link}"))

        def ready(link: str) -> None:
            self.say(f"Dashboard of {data}: {link}")
            if not opts.no_open:
                with contextlib.suppress(webbrowser.Error):
                    webbrowser.open(link)

        try:
            asyncio.run(serve(app, opts.host, opts.port, ready))
        except KeyboardInterrupt:
            self.say("The dashboard has ended; crawls go on")
        except OSError as error:
            remedy = "give another --port or --host"
            fault = f"cannot be listened on ({error.strerror or error})"
            raise ArgumentError(f"{opts.host} port {opts.port}", fault, remedy) from None

"""Owns a demo server in a process of its own: started on entry, asked while it runs, ended on exit.

The conflict: the server must not share the crawler's event loop or its interpreter lock, and must never outlive its owner:
it ends when its stdin closes, which the system does even for an owner that was killed.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from topiccrawler.demo.server import CONTROL, Request
from topiccrawler.errors import CrawlerError

END_SECONDS = 10.0
_PROXY_NAMES = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy"})


class RunningServer:
    """`with RunningServer(seed=1) as server:` gives a served web; `server.address` is what http_proxy takes."""

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed
        self.address = ""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "topiccrawler.demo.server", "--seed", str(self.seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for the owner, who then ends the server
            env={**os.environ, "PYTHONPATH": _python_path()},
        )
        if self._process.stdout is not None:
            self.address = self._process.stdout.readline().strip()
        if not self.address:
            self.__exit__(None, None, None)
            raise CrawlerError("the demo's web", "ended before it listened", "see its own message above")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with process:
            if process.stdin is not None:
                process.stdin.close()
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0

    def requests(self) -> list[Request]:
        """Every request answered so far, in order."""
        return [Request(**row) for row in self._ask("requests")]

    def pages_served(self) -> int:
        """How many of the requests so far were answered with a page of the plan."""
        return int(self._ask("count")[0]["pages"])

    def forget(self) -> None:
        """Begin the list of requests anew."""
        self._ask("forget")

    def requests_by_host(self) -> Counter[str]:
        return Counter(request.host for request in self.requests())

    def environment(self) -> dict[str, str]:
        """This process' environment with the web in the place of the network."""
        kept = {name: value for name, value in os.environ.items() if name.lower() not in _PROXY_NAMES}
        return {**kept, "http_proxy": self.address, "PYTHONPATH": _python_path()}

    def _ask(self, path: str) -> list[dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=END_SECONDS)
        try:
            connection.request("GET", f"http://{CONTROL}/{path}")
            rows: list[dict[str, Any]] = json.loads(connection.getresponse().read())
        except OSError as failure:
            fault = f"does not answer: {failure}"
            raise CrawlerError(f"the demo's web at {self.address}", fault, "run the demo again") from None
        finally:
            connection.close()
        return rows


def _python_path() -> str:
    """So that a process started in any folder imports this very package."""
    root = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))

"""Starts `scrapy …` and programs of the checkout as forks of one process that has done the imports (fork_server.py), which saves a second each."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from topiccrawler.crawling.launching import SETTINGS_MODULE

ROOT = Path(__file__).parents[2]


@dataclass
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


def scrapy_environment(proxy: str | None, more: Mapping[str, str]) -> dict[str, str]:
    """This process's environment, the proxy set or none at all; without the project that a test may have had Scrapy look for, which it
    writes there."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.lower().endswith("_proxy") and not name.startswith("SCRAPY_")
    }
    if proxy:
        kept["http_proxy"] = proxy
    return {**kept, "PYTHONWARNINGS": "", **more}


class Started:
    """A process that has begun."""

    def __init__(self, warm: ForkedScrapy, pid: int, files: tuple[Path, Path]) -> None:
        self.pid, self._warm, self._files = pid, warm, files

    def send_signal(self, number: int) -> None:
        """As subprocess.Popen does."""
        if self.pid not in self._warm.ended:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> Ran:
        """Its end; past the time it is killed, and TimeoutError raised."""
        try:
            code = self._warm.end_of(self.pid, timeout)
        except TimeoutError:
            self.kill()
            self._warm.end_of(self.pid)
            raise
        return Ran(
            code, *(file.read_text(encoding="utf-8") if file.is_file() else "" for file in self._files)
        )


class WarmProcess:
    """What `subprocess.Popen` is to those who start a crawl."""

    def __init__(self, warm: ForkedScrapy, pid: int) -> None:
        self.pid, self._warm = pid, warm
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            try:
                self.returncode = self._warm.end_of(self.pid, timeout)
            except TimeoutError:
                raise subprocess.TimeoutExpired("scrapy", timeout or 0.0) from None
        return self.returncode

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0.0)
        return self.returncode

    def terminate(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()


class ForkedScrapy:
    """Runs `scrapy …` in `folder` (the checkout), each time in a process forked off one with its imports done. `place`: for what they say."""

    def __init__(
        self, place: Path, folder: Path = ROOT, environment: Mapping[str, str] | None = None
    ) -> None:
        self._place, self._folder, self._environment = place, folder, environment
        self.ended: dict[int, int] = {}  # exit codes by process
        self._begun: list[int] = []
        self._read = b""
        self._count = 0
        self._server = subprocess.Popen(
            [sys.executable, "-c", Path(__file__).with_name("fork_server.py").read_text(encoding="utf-8")],
            cwd=folder,
            env=self._given(None, {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,  # `select` must see what was not read
        )

    def __call__(
        self,
        *words: str,
        proxy: str | None = None,
        timeout: float = 120,
        constants: Mapping[str, float] = {},
        **environment: str,
    ) -> Ran:
        """Run it to its end."""
        return self.begin(*words, proxy=proxy, constants=constants, **environment).wait(timeout)

    def begin(
        self,
        *words: str,
        proxy: str | None = None,
        out: str = "",
        err: str = "",
        folder: Path | None = None,
        constants: Mapping[str, float] = {},
        **environment: str,
    ) -> Started:
        """Start it; the path of a program instead of a command of Scrapy's runs that. `out` and `err` are where its output goes if not to files of its own.
        `constants`: values of constants in the process, by module and name, for tests that cannot wait as long as a crawl."""
        self._count += 1
        said, faults = (self._place / f"{self._count}.{name}" for name in ("out", "err"))
        if words[0] in {"crawl", "runspider"} and not any("STATS_DUMP" in word for word in words):
            words = (*words, "-s", "STATS_DUMP=True")  # many tests read them there
        pid = self._fork(
            words, self._given(proxy, environment), folder, out or str(said), err or str(faults), constants
        )
        return Started(self, pid, (said, faults))

    def start(
        self,
        words: Sequence[str],
        output: IO[bytes],
        environment: Mapping[str, str],
        *,
        own_session: bool = False,
    ) -> WarmProcess:
        """Instead of `start_scrapy` (job_files.py)."""
        own = {"PYTHONWARNINGS": "", "SCRAPY_SETTINGS_MODULE": SETTINGS_MODULE}
        return WarmProcess(self, self._fork(words, {**environment, **own}, None, output.name, output.name))

    def _fork(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        folder: Path | None,
        out: str,
        err: str,
        constants: Mapping[str, float] = {},
    ) -> int:
        request = {
            "words": list(words),
            "environment": dict(environment),
            "folder": str(folder or self._folder),
            "out": out,
            "err": err,
            "constants": dict(constants),
        }
        self._server.stdin.write(f"{json.dumps(request)}\n".encode())
        while not self._begun:
            self._hear(None)
        return self._begun.pop()

    def end_of(self, pid: int, patience: float | None = None) -> int:
        """The exit code of a process, when it has ended."""
        until = None if patience is None else time.monotonic() + patience
        while pid not in self.ended:
            self._hear(None if until is None else max(0.0, until - time.monotonic()))
        return self.ended[pid]

    def _hear(self, patience: float | None) -> None:
        """Take the server's next answers."""
        if not select.select([self._server.stdout], [], [], patience)[0]:
            raise TimeoutError
        piece = self._server.stdout.read(1 << 16)
        assert piece, "the warm process is gone"
        *lines, self._read = (self._read + piece).split(b"\n")
        for line in lines:
            process, *code = map(int, line.split())
            if code:
                self.ended[process] = code[0]
            else:
                self.ended.pop(process, None)  # the system gives a number again
                self._begun.append(process)

    def _given(self, proxy: str | None, more: Mapping[str, str]) -> dict[str, str]:
        if self._environment is None:
            return scrapy_environment(proxy, more)
        return {**self._environment, **({"http_proxy": proxy} if proxy else {}), **more}

    def close(self) -> None:
        self._server.communicate()

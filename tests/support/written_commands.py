"""Follows the commands of a page of the documentation, on the synthetic web instead of the real one."""

import os
import re
import shlex
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Any

from topiccrawler.crawling.page_stores import visits_of
from topiccrawler.lab.demo.plan import Web
from topiccrawler.store.visits import Visit

ROOT = Path(__file__).parents[2]
SCRAPY = (sys.executable, "-m", "scrapy")
FAST = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False")
REAL_SEED, SEED = "https://www.example.cn/", "http://daohang.example/"
WRITTEN_PORT = "8010"
TIMEOUT_SECONDS = 180.0


def commands(page: Path) -> list[str]:
    """The lines of a page's blocks marked `bash`, without comments."""
    blocks = re.findall(r"^```bash\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [re.sub(r"\s+#.*", "", line) for block in blocks for line in block.splitlines()]
    return [line for line in lines if line]


class Follower:
    """A reader in a fresh folder; `follow` runs one command and returns what it printed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "scrapy.cfg").write_bytes((ROOT / "scrapy.cfg").read_bytes())
        kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        self.environment = {**kept, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "", "LC_ALL": "C.UTF-8"}
        self.running: subprocess.Popen[str] | None = None

    def follow(self, line: str, answers: str = "") -> str:
        """AssertionError, with its output, where a command fails."""
        match shlex.split(line):
            case ["scrapy" | "topiccrawler", *words]:
                return self._scrapy(words, answers)
            case ["make", *words]:
                targets = words[: words.index("&&")] if "&&" in words else words
                return self._run(["make", "-C", str(ROOT), "--dry-run", *targets])
            case ["python", *words]:
                return self._run(["env", "-u", "PYTHONPATH", sys.executable, *words])
            case ["export", setting]:
                name, _, value = setting.partition("=")
                self.environment[name] = value.replace(f"127.0.0.1:{WRITTEN_PORT}", self.address)
            case ["unset", name]:
                self.environment.pop(name, None)
            case other:
                assert other == [".", ".venv/bin/activate"]
        return ""

    def _scrapy(self, words: list[str], answers: str) -> str:
        match words:
            case ["demo", "--serve", port]:
                assert port == WRITTEN_PORT
                return self.serve()
            case ["dashboard", *options]:
                return self._look_at_the_dashboard(options)
            case ["crawl" | "runspider", *_]:
                fast = () if "DOWNLOAD_DELAY=0" in words else FAST
                return self._run([*SCRAPY, *(word.replace(REAL_SEED, SEED) for word in words), *fast])
        return self._run([*SCRAPY, *words], answers)

    def serve(self) -> str:
        """Serve the example web, on any free port."""
        self.running = self._start("demo", "--serve", "0")
        assert self.running.stdout is not None
        said = "".join(_through(self.running.stdout, "http_proxy="))
        self.address = said.rpartition("http_proxy=http://")[2].strip()
        return said

    def use_the_web(self) -> None:
        """All further commands crawl the example web."""
        self.environment["http_proxy"] = f"http://{self.address}"

    def visits(self, job: str) -> list[Visit]:
        return list(visits_of(self.folder / "jobs" / job))

    def close(self) -> None:
        if self.running is not None:
            self.running.kill()
            self.running.communicate()

    def _run(self, words: list[str], answers: str = "") -> str:
        ran = subprocess.run(
            words, cwd=self.folder, env=self.environment, input=answers, text=True, timeout=TIMEOUT_SECONDS,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, f"{shlex.join(words)}\n{ran.stdout}"
        return ran.stdout

    def _start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*SCRAPY, *words], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True,
            # a shell that starts the tests in the background has its children ignore Ctrl-C
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
        )  # fmt: skip

    def _look_at_the_dashboard(self, options: list[str]) -> str:
        """Its first page as text; then Ctrl-C."""
        running = self._start("dashboard", "--no-open", *options)
        try:
            assert running.stdout is not None
            link = "".join(_through(running.stdout, "token=")).split()[-1]
            cookies = urllib.request.HTTPCookieProcessor()
            opener = urllib.request.build_opener(cookies, urllib.request.ProxyHandler({}))
            with closing(opener.open(link, timeout=20)) as reply:
                page: str = reply.read().decode()
            running.send_signal(signal.SIGINT)
            assert running.wait(30) == 0
            return page
        finally:
            running.kill()
            running.communicate()


def _through(stream: IO[str], mark: str) -> Iterator[str]:
    """Lines up to the one that has `mark`."""
    for line in stream:
        yield line
        if mark in line:
            return


def on_topic(web: Web, visits: list[Visit], topic: str, **wanted: Any) -> int:
    """How many of the pages fetched (`stored=True`: kept) are about the topic, by the web's own truth."""
    stored = wanted.get("stored")
    chosen = [one for one in visits if one.status == 200 and stored in (None, one.stored)]
    return sum(web.truth(one.url) == topic for one in chosen)

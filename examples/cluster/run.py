"""A cluster on one machine: Redis, PostgreSQL and N processes on one crawl, from one command; `make cluster` calls it.

    python examples/cluster/run.py [--workers 4] [--topic finance --seeds URL,… ] [--pages N] [--folder DIR] [--out pages.csv] [-s NAME=VALUE …]

Without --seeds it crawls the synthetic web of `scrapy demo`, which needs no network. A line a second says how it stands; Ctrl-C ends it in order, twice at once. Without
--folder all is in a temporary folder and gone at the end; with one the same command goes on with the crawl. Needs redis-server and PostgreSQL (apt-get install
redis-server postgresql), and the extras redis and postgresql.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from servers import MissingError, Postgres, Redis

from topiccrawler.cluster.postgresql.session import Session
from topiccrawler.cluster.postgresql.stored_pages import PostgresPages
from topiccrawler.cluster.redis.server import RedisView
from topiccrawler.crawling.launching import failure, start_scrapy
from topiccrawler.errors import CrawlerError
from topiccrawler.lab.demo.crawls import topic_toml
from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.demo.server import RunningServer
from topiccrawler.results.summary import queue_report

JOB = "cluster"
LOOK_SECONDS = 1.0
DEMO_PAGES = 600
BEST = 10
DEMO_SETTINGS = {"DOWNLOAD_DELAY": "0.05", "AUTOTHROTTLE_ENABLED": "False", "CONCURRENT_REQUESTS": "8"}


class Cluster:
    """Processes on one crawl, and what they are given."""

    def __init__(self, given: argparse.Namespace, folder: Path, redis: Redis, postgres: Postgres) -> None:
        self.given, self.folder, self.redis, self.postgres = given, folder, redis, postgres
        self.workers: list[subprocess.Popen[bytes]] = []
        self.interrupts = 0
        self._view: RedisView | None = None

    def begin(
        self, arguments: Mapping[str, str], settings: Mapping[str, str], environment: Mapping[str, str]
    ) -> None:
        """Start the processes; the database's password goes by the environment, which others cannot see."""
        own = {
            "REDIS_URL": self.redis.url,
            "STORE_URL": self.postgres.url,
            "TOPIC_DATA_DIR": str(self.folder / "data"),
        }
        words = [word for name, value in arguments.items() for word in ("-a", f"{name}={value}")]
        words += [word for name, value in {**settings, **own}.items() for word in ("-s", f"{name}={value}")]
        for number in range(self.given.workers):
            with self.log(number).open("ab") as output:
                line = ["crawl", "topic", *words]
                secret = {**environment, "PGPASSWORD": self.postgres.password}
                self.workers.append(start_scrapy(line, output, secret, own_session=True))

    def log(self, number: int) -> Path:
        """What a process says."""
        return self.folder / f"worker-{number + 1}.log"

    @property
    def alive(self) -> int:
        return sum(worker.poll() is None for worker in self.workers)

    def interrupt(self, *_: object) -> None:
        """The first time in order, then at once."""
        self.interrupts += 1
        for worker in self.workers:
            if worker.poll() is None:
                worker.send_signal(signal.SIGINT if self.interrupts == 1 else signal.SIGKILL)

    def watch(self) -> None:
        """A line a second until all have ended."""
        begun = time.monotonic()
        while self.alive:
            with suppress(subprocess.TimeoutExpired):
                next(worker for worker in self.workers if worker.poll() is None).wait(LOOK_SECONDS)
            stands = self.stands()
            say(f"{time.monotonic() - begun:4.0f} s  {self.alive} processes  {stands}", live=True)
        say("")

    def stands(self) -> str:
        """How the crawl stands."""
        try:
            self._view = self._view or RedisView(self.redis.url, self.given.job)
            report = queue_report(self._view, None, 0, time.time(), None)
        except CrawlerError:
            return "begins"
        share = report["kept"] / max(1, report["pages"])
        return f"{report['pages']} pages fetched, {report['kept']} kept ({share:.0%}), {report['states']['waiting']} URLs wait"

    def tell(self) -> int:
        """What was found; the exit code."""
        if self._view is not None:
            self._view.close()
        faults = [
            str(failure(f"process {number + 1}", worker.returncode, self.log(number)))
            for number, worker in enumerate(self.workers)
            if worker.returncode
        ]
        try:
            with closing(PostgresPages(Session(self.postgres.url), self.given.job, create=False)) as pages:
                records = [pages.at(row) for row in pages.best(limit=BEST)]
                count, hosts = pages.session.ask(
                    lambda connection: connection.execute(COUNTS, (self.given.job,)).fetchone()
                )
            say(f"{count} pages kept, of {hosts} hosts; the best:")
            for record in filter(None, records):
                say(f"  {record.relevance:.3f}  {' '.join(record.title.split())[:60]}\n         {record.url}")
        except CrawlerError as fault:
            faults.append(str(fault))
        for fault in faults:
            sys.stderr.write(f"{fault}\n")
        return 1 if faults else 0

    def export(self, place: str) -> None:
        """As `scrapy pages JOB export`."""
        words = ["pages", "--job", self.given.job, "export", "--out", str(Path(place).absolute())]
        log = self.folder / "export.log"
        with log.open("wb") as output:
            line = [
                *words,
                "-s",
                f"STORE_URL={self.postgres.url}",
                "-s",
                f"TOPIC_DATA_DIR={self.folder / 'data'}",
            ]
            code = start_scrapy(line, output, os.environ).wait()
        if code:
            raise failure("export", code, log)
        say(log.read_text().strip())


COUNTS = "SELECT count(*), count(DISTINCT host) FROM topiccrawler.pages WHERE job = (SELECT id FROM topiccrawler.jobs WHERE name = %s)"


def say(text: str, *, live: bool = False) -> None:
    """A live line is written over on a terminal."""
    end = "\r" if live and sys.stdout.isatty() else "\n"
    print(text.ljust(100) if end == "\r" else text, end=end, flush=True)


@contextmanager
def web_of(
    given: argparse.Namespace, folder: Path
) -> Iterator[tuple[dict[str, str], dict[str, str], dict[str, str]]]:
    """Arguments, settings and environment of the crawl: on the synthetic web when there are no seeds."""
    settings = dict(setting.partition("=")[::2] for setting in given.settings)
    arguments = {"topic": given.topic, "job": given.job}
    pages = given.pages or (None if given.seeds else DEMO_PAGES)
    if pages:
        arguments["pages"] = str(pages)
    if given.seeds:
        yield {**arguments, "seeds": given.seeds}, settings, dict(os.environ)
        return
    web, topic = Web(), folder / "demo.toml"
    topic.write_text(topic_toml(), encoding="utf-8")
    with RunningServer(web) as server:
        say(
            f"the web: {len(web.pages)} generated pages on {len(web.hosts())} hosts, served at {server.address}"
        )
        arguments |= {"topic": str(topic), "seeds": ",".join(web.seeds)}
        yield arguments, {**DEMO_SETTINGS, **settings}, server.environment()


def run(given: argparse.Namespace, folder: Path) -> int:
    """All of it, in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as ends:
        redis, postgres = Redis(folder / "redis"), Postgres(folder / "postgresql")
        ends.callback(redis.stop)
        ends.callback(postgres.stop)
        redis.start()
        postgres.start()
        os.environ["PGPASSWORD"] = postgres.password  # of this process, which looks at the pages
        say(f"Redis at {redis.url}, PostgreSQL at {postgres.url}, all in {folder}")
        cluster = Cluster(given, folder, redis, postgres)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, cluster.interrupt)
        with web_of(given, folder) as (arguments, settings, environment):
            try:
                cluster.begin(arguments, settings, environment)
                cluster.watch()
            finally:
                for worker in cluster.workers:
                    worker.kill()  # none is left behind by a fault of ours
                    worker.wait()
        code = cluster.tell()
        if given.out:
            cluster.export(given.out)
    return code


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=4, help="processes (default 4)")
    parser.add_argument("--topic", default="finance")
    parser.add_argument("--seeds", help="URLs or a file, as -a seeds= takes them; none = the synthetic web")
    parser.add_argument("--pages", type=int, help=f"so many in all (synthetic web: {DEMO_PAGES})")
    parser.add_argument("--folder", help="where all is kept (default: a temporary one)")
    parser.add_argument("--job", default=JOB, help=f"name of the crawl (default {JOB})")
    parser.add_argument("--out", help="export the pages kept: FILE.csv, .jsonl, .warc.gz …")
    parser.add_argument("-s", dest="settings", action="append", default=[], metavar="NAME=VALUE")
    given = parser.parse_args()
    if given.workers < 1:
        parser.error("--workers is at least 1")
    try:
        if given.folder:
            sys.exit(run(given, Path(given.folder).absolute()))
        with tempfile.TemporaryDirectory(prefix="cluster") as place:
            Path(place).chmod(0o755)  # for the user of PostgreSQL
            code = run(given, Path(place))
            say("--folder DIR (make cluster FOLDER=DIR) keeps pages and queue")
        sys.exit(code)
    except (CrawlerError, MissingError) as fault:
        sys.exit(str(fault))


if __name__ == "__main__":
    main()

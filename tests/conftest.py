"""What tests share: a web drawn as a dictionary and served over real HTTP, servers, and `scrapy` without the second that it starts."""

import fcntl
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import Crawl, Crawled, crawl_words
from drawn_web import Answer, DrawnWeb, Server
from drawn_web import answer as make_answer
from forked_scrapy import ROOT, ForkedScrapy
from hypothesis_profiles import settings
from postgresql_server import PostgresqlServer
from redis_cluster import RedisNodes
from redis_server import RedisServer

os.environ["LANGUAGE"] = "en"  # tests read English, whoever runs them

POLL_SECONDS = 0.05  # how soon a server sees that its test is over

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(threads, "1")  # there is a worker a core; the others would wait in a loop

FIRST_RUN = "TOPICCRAWLER_TESTS_FIRST_RUN"  # what the process that starts the workers of pytest-xdist saw
has_bytecode = sys.dont_write_bytecode or (ROOT / "topiccrawler" / "urls" / "__pycache__").exists()
os.environ.setdefault(FIRST_RUN, "" if has_bytecode else "yes")


def pytest_configure(config: pytest.Config) -> None:
    """Before a test module is imported: its property tests read the profile then."""
    named = config.getoption("--hypothesis-profile")
    settings.load_profile(named or ("few" if config.option.markexpr == "not slow" else "all"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """In a fresh checkout workers collect one after another: the first writes the bytecode of all that is imported, the others read it."""
    gc.disable()  # what is imported stays
    try:
        if not os.environ[FIRST_RUN] or "PYTEST_XDIST_WORKER" not in os.environ:
            return (yield)
        folder: Path = session.config._tmp_path_factory.getbasetemp().parent  # type: ignore[attr-defined]
        with (folder / "collection.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
            return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Python would look through all that was imported for cycles, again and again: a third of the tests' CPU."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """A Redis for tests that take a namespace of their own; it is not to be killed."""
    server = RedisServer().start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def redis_nodes() -> Iterator[RedisNodes]:
    """The same on a Redis Cluster."""
    nodes = RedisNodes().start()
    yield nodes
    nodes.stop()


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresqlServer]:
    """A PostgreSQL for tests that take a job name of their own; it is not to be killed."""
    server = PostgresqlServer().start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def draw_web() -> Iterator[Callable[[dict[str, Any]], DrawnWeb]]:
    """Serve a web: `web = draw_web({"http://a.example/": "<a href=…>…"})`, then `http_proxy=web.proxy`."""
    servers: list[Server] = []

    def serve(pages: dict[str, Any]) -> DrawnWeb:
        web = DrawnWeb(pages)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                web.asked.append(self.path)
                web.headers.append(dict(self.headers))
                answer = web.answer(self.path)
                if answer.headers.get("ETag", "") == self.headers.get("If-None-Match"):
                    answer = Answer(b"", 304, answer.headers)
                self.send_response(answer.status)
                headers = {"Content-Type": "text/html; charset=utf-8", **answer.headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                web.sent += len(answer.body)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *args: Any) -> None:
                """Tests read `asked`."""

        server = web.server = Server(Handler)
        threading.Thread(target=server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()
        servers.append(server)
        web.proxy = f"http://127.0.0.1:{server.server_port}"
        return web

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="session")
def answer() -> Callable[..., Answer]:
    """For tests that have not imported it."""
    return make_answer


@pytest.fixture(scope="session")
def forked_scrapy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkedScrapy]:
    """`forked_scrapy("crawl", "topic", …)`: a process of its own, without the second that an interpreter needs to start."""
    warm = ForkedScrapy(tmp_path_factory.mktemp("warm"))
    yield warm
    warm.close()


@pytest.fixture
def crawl(forked_scrapy: ForkedScrapy, draw_web: Callable[..., Any], tmp_path: Path) -> Crawl:
    """`crawl({url: page}, pages=3, TOPIC_DUPLICATES="keep")`: a crawl to its end, in a job of this name; `code`: how it must end; without a web
    it is on servers of loopback."""

    def run(
        web: Any, *more: str, job: str = "job", code: int = 0, constants: Mapping[str, float] = {},
        environment: Mapping[str, str] = {}, **options: object,
    ) -> Crawled:  # fmt: skip
        web = draw_web(web) if isinstance(web, dict) else web
        proxy = web.proxy if web else None
        words = crawl_words(tmp_path / job, *more, **options)
        ran = forked_scrapy(*words, proxy=proxy, constants=constants, **environment)
        assert ran.code == code, ran.err
        return Crawled(**asdict(ran), web=web, job=tmp_path / job)

    return run


@pytest.fixture
def make_job(tmp_path: Path) -> Callable[..., Path]:
    """`make_job("name", record, …)`: a job's folder with these pages, as a crawl leaves it; `visits` for its log."""
    from topiccrawler.crawling.job_files import JobFiles
    from topiccrawler.crawling.recipe import Recipe

    def make(name: str, *records: Any, visits: tuple[Any, ...] = (), topic: str = "finance") -> Path:
        folder = tmp_path / "data" / name
        files = JobFiles(folder, Recipe(topic, "breadth_first"))
        files.begin()
        for record in records:
            files.keep(record)
        for visit in visits:
            files.visits.append(visit)
        files.close()
        return folder

    return make


@pytest.fixture
def shared() -> Path:
    """The unpacked shared data, where it is at hand."""
    folder = os.environ.get("TOPICCRAWLER_SHARED")
    if not folder:
        pytest.skip("TOPICCRAWLER_SHARED is not set: the shared webs and links are not on this machine")
    return Path(folder)

"""The programs in examples/, run as a user runs them."""

import json
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from forked_scrapy import ForkedScrapy

from topiccrawler import Job
from topiccrawler.engine.control.client import orders
from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.demo.server import RunningServer

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
QUICK = ("TOPIC_LINK_MODELS=none", "DOWNLOAD_DELAY=0")


@pytest.fixture(scope="module")
def web() -> Iterator[RunningServer]:
    with RunningServer(Web(seed=1)) as server:
        yield server


def test_a_crawl_shows_its_pages_and_pandas_reads_the_job(
    web: RunningServer, forked_scrapy: ForkedScrapy, tmp_path: Path
) -> None:
    def run(name: str, *words: str) -> str:
        program = str(ROOT / "examples" / name)
        done = forked_scrapy.begin(program, *words, folder=tmp_path, **web.environment()).wait(120)
        assert done.code == 0, done.err
        return done.out

    (seed,) = web.web.seeds
    said = run("crawl_from_python.py", seed, "80", *QUICK).splitlines()
    (folder,) = (tmp_path / "data").iterdir()
    job = Job(folder)
    end = next(at for at, line in enumerate(said) if line.endswith("the best:"))
    assert said[:end] == [f"{page.relevance:.2f}  {page.title}  {page.url}" for page in job.pages()]
    assert end > 5
    assert said[end].startswith(f"{end} of 8")
    assert [line.split(":")[0] for line in said[end + 1 : -1]] == [page.title for page in job.best(3)]
    table = run("job_in_pandas.py", str(folder)).splitlines()
    assert sum(int(line.split()[1]) for line in table[2:]) <= end


def test_the_service_streams_pages_and_a_client_that_leaves_ends_its_crawl(
    web: RunningServer, tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = [sys.executable, str(ROOT / "examples" / "crawl_service.py"), str(port), *QUICK]
    environment = {**os.environ, **web.environment(), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(line, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as service:
        try:
            assert f"http://127.0.0.1:{port}" in service.stdout.readline()
            with socket.create_connection(("127.0.0.1", port)) as raw:  # Chinese as it is typed
                raw.sendall("GET /crawl?topic=没有这个&pages=3 HTTP/1.0\r\n\r\n".encode())
                said = raw.makefile(encoding="utf-8").read()
            assert said.startswith("HTTP/1.0 400")
            assert "'没有这个'" in said
            assert not (tmp_path / "data").exists()
            query = urlencode({"keywords": "基金,股票,理财", "seeds": web.web.seeds[0], "pages": "5000"})
            direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with direct.open(f"http://127.0.0.1:{port}/crawl?{query}", timeout=60) as answer:
                first = json.loads(answer.readline())
            assert set(first) == {"url", "title", "relevance"}
            (folder,) = (tmp_path / "data").iterdir()
            Job(folder).wait(60)
            assert [order["verb"] for order in orders(folder)] == ["stop"]
        finally:
            service.terminate()

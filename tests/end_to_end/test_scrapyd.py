"""A real scrapyd: the egg is deployed, `topic` is scheduled, and nothing of the checkout is there when it runs."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener
from uuid import uuid4

import pytest
from held_page import Door
from redis_server import RedisServer

from topiccrawler.engine.control.client import ask

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
DIRECT = build_opener(ProxyHandler({}))
PATIENCE_SECONDS = 90.0
SHARED = "shared"  # in the hosts of the crawl of two jobs
SHARED_PAGES = 30


def call(address: str, **data: str | list[str]) -> dict[str, Any]:
    """One call of scrapyd's API."""
    body = urlencode(data, doseq=True).encode() if data else None
    with DIRECT.open(address, body, timeout=30) as response:
        answer: dict[str, Any] = json.load(response)
    return answer


def wait_for(what: Callable[[], Any], process: subprocess.Popen[bytes]) -> Any:
    """Ask again until there is an answer, the process ends, or patience does."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end and process.poll() is None:
        if (found := what()) is not None:
            return found
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(f"{what} never came")


@pytest.fixture(scope="module")
def web(draw_web: Callable[..., Any]) -> Any:
    links = '<a href="/fund">基金净值</a><a href="http://sport.example/">体育新闻</a>'
    return draw_web(
        {
            "http://hub.example/": f"<title>导航</title>{links}",
            "http://hub.example/fund": f"<title>基金</title><p>{FUNDS}</p>",
            "http://sport.example/": "<title>体育</title><p>球队昨晚取得胜利</p>",
        }
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where scrapyd lives."""
    return tmp_path_factory.mktemp("scrapyd")


@pytest.fixture(scope="module")
def scrapyd(home: Path, web: Any) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scrapyd on a port the system picks, whose jobs see the drawn web through a proxy."""
    with socket.socket() as free:  # scrapyd takes no port 0, so the system is asked for one beforehand
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (home / "scrapyd.conf").write_text(
        f"[scrapyd]\nbind_address = 127.0.0.1\nhttp_port = {port}\npoll_interval = 0.2\n"
        "eggs_dir = eggs\nlogs_dir = logs\nitems_dir = items\ndbs_dir = dbs\n"
    )
    log = home / "scrapyd.log"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(Path(sys.executable).parent / "scrapyd")],
            cwd=home,
            env={**environment, "http_proxy": web.proxy, "PYTHONWARNINGS": ""},
            stdout=out,
            stderr=subprocess.STDOUT,
        )

    def answers() -> str | None:
        try:
            return str(call(f"http://127.0.0.1:{port}/daemonstatus.json")["status"])
        except OSError:
            return None

    try:
        assert wait_for(answers, process) == "ok", log.read_text()
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def deployed(
    scrapyd: tuple[str, subprocess.Popen[bytes]], home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The egg as scrapyd keeps it; built from a copy of the checkout that is gone afterwards."""
    copy = tmp_path_factory.mktemp("checkout") / "copy"
    ignored = shutil.ignore_patterns(
        ".git", ".venv", ".*_cache", "__pycache__", "build", "*.egg-info", "data"
    )
    shutil.copytree(ROOT, copy, ignore=ignored)
    config = copy / "scrapy.cfg"
    config.write_text(config.read_text().replace("http://127.0.0.1:6800", scrapyd[0]))
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        [str(Path(sys.executable).parent / "scrapyd-deploy"), "-p", "topiccrawler"],
        cwd=copy,
        env={**environment, "PYTHONWARNINGS": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert '"status": "ok"' in done.stdout, done.stdout + done.stderr
    shutil.rmtree(copy)
    (egg,) = (home / "eggs/topiccrawler").glob("*.egg")
    return egg


def alone(web: Any) -> list[str]:
    """The pages of the first crawl."""
    return [url for url in web.pages if SHARED not in url and not url.endswith("/robots.txt")]


def finished(address: str, job: str) -> dict[str, Any] | None:
    """What scrapyd says of a job that has ended."""
    jobs = call(f"{address}/listjobs.json?project=topiccrawler")["finished"]
    return next((ended for ended in jobs if ended["id"] == job), None)


def test_a_scheduled_crawl_runs_from_the_egg_alone(
    scrapyd: tuple[str, subprocess.Popen[bytes]], deployed: Path, web: Any, home: Path
) -> None:
    address, process = scrapyd
    door = web.pages["http://sport.example/robots.txt"] = Door()
    names = zipfile.ZipFile(deployed).namelist()
    for wanted in (
        "models/finance.json.zst",
        "seeds/finance.txt",
        "topics/catalogue/finance.toml",
        "topics/clc.tsv",
        "topics/clc_texts.tsv",
        "topics/subjects_en.txt",
        "topics/subjects_zh.txt",
        "text/synonyms.txt",
        "lab/demo/web.txt",
        "results/templates/report.html",
    ):
        assert f"topiccrawler/{wanted}" in names
    assert call(f"{address}/listspiders.json?project=topiccrawler")["spiders"] == ["links", "topic"]
    job = call(
        f"{address}/schedule.json", project="topiccrawler", spider="topic", topic="finance",
        seeds="http://hub.example/", setting=["DOWNLOAD_DELAY=0", "STATS_DUMP=True"],
    )["jobid"]  # fmt: skip

    folder = home / "data" / job
    door.wait_for_knock()
    assert ask(folder, "pause", body={})["state"] == "paused"
    door.open()
    wait_for(lambda: ask(folder, "status")["held_back"] or None, process)
    assert "http://sport.example/" not in web.asked
    ask(folder, "resume", body={})
    wait_for(lambda: finished(address, job), process)
    log = (home / f"logs/topiccrawler/topic/{job}.log").read_text()
    assert "'finish_reason': 'finished'" in log
    assert "Traceback" not in log
    assert str(ROOT) not in log
    assert sorted(url for url in web.fetched() if SHARED not in url) == sorted(alone(web))
    items = (home / f"items/topiccrawler/topic/{job}.jl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(item)["url"] for item in items] == ["http://hub.example/fund"]
    store = sqlite3.connect(home / f"data/{job}/job.sqlite")
    assert store.execute("SELECT url, title FROM pages").fetchall() == [("http://hub.example/fund", "基金")]
    store.close()


def test_a_wrong_argument_is_one_error_line_in_the_jobs_log(
    scrapyd: tuple[str, subprocess.Popen[bytes]], deployed: Path, home: Path
) -> None:
    address, process = scrapyd
    job = call(f"{address}/schedule.json", project="topiccrawler", spider="topic", topic="finanse")["jobid"]
    wait_for(lambda: finished(address, job), process)
    log = home / f"logs/topiccrawler/topic/{job}.log"
    errors = [line for line in log.read_text().splitlines() if "ERROR" in line]
    assert len(errors) == 1
    assert "topic 'finanse'" in errors[0]
    assert deployed.is_file()


def test_two_jobs_share_one_crawl_in_redis_and_end_together(
    scrapyd: tuple[str, subprocess.Popen[bytes]],
    deployed: Path,
    web: Any,
    home: Path,
    redis_server: RedisServer,
) -> None:
    address, process = scrapyd
    name, client = uuid4().hex, redis_server.client()

    def page(number: int) -> str:
        while number == 0 and client.zcard(f"topiccrawler:{{{name}}}:workers") < 2:
            threading.Event().wait(0.05)  # until both jobs have joined
        children = range(number * 3 + 1, min(SHARED_PAGES, number * 3 + 4))
        links = "".join(f'<a href="{shared_url(child)}">基金净值{child}</a>' for child in children)
        return f"<title>基金{number}</title><p>{FUNDS}{number}</p>{links}"

    def shared_url(number: int) -> str:
        return f"http://{SHARED}{number % 6}.example/{number}"

    web.pages.update({shared_url(number): partial(page, number) for number in range(SHARED_PAGES)})
    settings = [
        f"REDIS_URL={redis_server.url}",
        "DOWNLOAD_DELAY=0.1",
        "TOPIC_DUPLICATES=keep",
        "STATS_DUMP=True",
    ]
    jobs = [
        call(
            f"{address}/schedule.json", project="topiccrawler", spider="topic", topic="finance",
            seeds=shared_url(0), strategy="breadth_first", job=name, setting=settings,
        )["jobid"]
        for _ in range(2)
    ]  # fmt: skip
    for job in jobs:
        wait_for(partial(finished, address, job), process)
    logs = [(home / f"logs/topiccrawler/topic/{job}.log").read_text() for job in jobs]
    assert ["'finish_reason': 'finished'" in log for log in logs] == [True, True]
    assert not any("Traceback" in log or str(ROOT) in log for log in logs)
    fetched = [url for url in web.fetched() if SHARED in url]
    assert sorted(fetched) == sorted(shared_url(number) for number in range(SHARED_PAGES))
    kept = [
        json.loads(line)["url"]
        for job in jobs
        for line in stored(home / f"items/topiccrawler/topic/{job}.jl")
    ]
    assert sorted(kept) == sorted(fetched)
    assert deployed.is_file()


def stored(path: Path) -> list[str]:
    """Its lines; a job that got no page wrote none."""
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []

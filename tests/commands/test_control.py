"""A running crawl asked and steered over HTTP: two runs of one job, on a web that answers when the test says so."""

import http.client
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from drawn_web import DrawnWeb
from held_page import PATIENCE, Door

from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.engine.control.client import Address, ask, orders
from topiccrawler.engine.control.metrics import METRICS, metrics_text
from topiccrawler.errors import StateError
from topiccrawler.resources import package_table

TEXT = "<title>基金</title><p>基金 股票 理财 投资</p>"
SEED, BEHIND = "http://a.example/", "http://b.example/"  # the other host lies behind its robots.txt
OTHERS = [f"http://a.example/{number}" for number in range(4)]


class Crawl:
    """One run of the job, held at the door of the second host."""

    def __init__(self, forked_scrapy: Any, web: DrawnWeb, job: Path, pages: int, *more: str) -> None:
        self.web, self.job, self.door, self.pages = web, job, Door(), pages
        web.asked.clear()
        web.pages[f"{BEHIND}robots.txt"] = self.door
        arguments = ("-a", "topic=finance", "-a", f"seeds={SEED}", *more)
        settings = ("-s", f"JOBDIR={job}", "-s", "DOWNLOAD_DELAY=0.01", "-s", "AUTOTHROTTLE_ENABLED=False")
        self.process = forked_scrapy.begin("crawl", "topic", *arguments, *settings, proxy=web.proxy)
        self.door.wait_for_knock()

    def pause(self) -> dict[str, Any]:
        """Pause it when only the other host is left, open the door, and see it come to rest: what is under way is held back."""
        while ask(self.job, "status")["pages"] < self.pages:
            pass
        assert ask(self.job, "pause", body={})["state"] == "paused"
        self.door.open()
        while (found := ask(self.job, "status"))["in_flight"] != found["held_back"]:
            pass
        return found


@pytest.fixture(scope="module")
def web(draw_web: Callable[..., DrawnWeb]) -> DrawnWeb:
    links = "".join(f"<a href='{url}'>基金</a>" for url in [BEHIND, *OTHERS])
    return draw_web({SEED: TEXT + links, BEHIND: TEXT, **dict.fromkeys(OTHERS, TEXT)})


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("control") / "job"


@pytest.fixture(scope="module")
def steered(forked_scrapy: Any, command: Callable[..., Any], web: DrawnWeb, job: Path) -> dict[str, Any]:
    """What two runs gave: the first is paused and stopped, the second paused and resumed."""
    seen: dict[str, Any] = {}
    first = Crawl(forked_scrapy, web, job, 1 + len(OTHERS), "-a", "strategy=breadth_first")
    seen["mode"] = (job / "control.json").stat().st_mode & 0o777
    seen["paused"] = first.pause()
    seen["refused"] = refused(Address.read(job))
    seen["printed"] = [command("control", str(job), *words) for words in ((), ("status", "--json"))]
    seen["top"] = command("control", str(job), "top", "3")
    seen["sites"] = command("control", str(job), "sites")
    seen["why"] = command("control", str(job), "why", SEED)
    seen["explained"] = json.loads(command("control", str(job), "why", OTHERS[0], "--json").out)
    seen["unknown"] = [
        command("control", str(job), *words)
        for words in (("why", "http://x.example/"), ("top", "no"), ("sites", "9" * 5000))
    ]
    seen["metrics"] = command("control", str(job), "metrics").out
    seen["stopping"] = ask(job, "stop", body={})
    seen["first"] = first.process.wait(PATIENCE)
    seen["asked first"] = web.fetched()
    seen["left"] = sorted(path.name for path in job.iterdir())
    second = Crawl(forked_scrapy, web, job, 1 + len(OTHERS), "-a", "strategy=breadth_first")
    seen["again"] = second.pause()
    seen["asked in pause"] = web.fetched()
    seen["resumed"] = ask(job, "resume", body={})
    seen["second"] = second.process.wait(PATIENCE)
    seen["asked second"] = web.fetched()
    return seen


def refused(address: Address) -> dict[str, int]:
    """The status that each wrong request gets."""
    place, token = urlsplit(address.url), f"Bearer {address.token}"
    as_json = {"Content-Type": "application/json"}
    right = {"Authorization": token, **as_json}

    def status(method: str, headers: dict[str, str], path: str = "/pause", body: str = "{}") -> int:
        connection = http.client.HTTPConnection("127.0.0.1", place.port, timeout=PATIENCE)
        connection.request(method, path, body if method == "POST" else None, headers)
        answer = connection.getresponse()
        said = answer.read()
        connection.close()
        assert answer.status == 200 or "fault" in json.loads(said)
        return answer.status

    return {
        "no token": status("GET", {}, "/status"),
        "wrong token": status("POST", {**right, "Authorization": token[:-1]}),
        "no ASCII": status("GET", {"Authorization": "Bearer \xff"}, "/status"),
        "foreign host": status("GET", {**right, "Host": f"evil.example:{place.port}"}, "/status"),
        "other port": status("GET", {**right, "Host": "127.0.0.1:1"}, "/status"),
        "foreign origin": status("POST", {**right, "Origin": "http://evil.example"}),
        "no origin": status("POST", {**right, "Origin": "null"}),
        "cross site": status("POST", {**right, "Sec-Fetch-Site": "cross-site"}),
        "form": status("POST", {**right, "Content-Type": "application/x-www-form-urlencoded"}),
        "no object": status("POST", right, body="[1]"),
        "no charset": status("POST", {**right, "Content-Type": "application/json; charset=none"}),
        "deep": status("POST", right, body="[" * 60_000),
        "a list": status("GET", right, "/top"),
        "too long": status("POST", right, body=json.dumps({"pad": "x" * 33_000_000})),
        "no verb": status("GET", right, "/execute"),
        "changed by a link": status("GET", right, "/stop"),
        "localhost": status("GET", {**right, "Host": f"localhost:{place.port}"}, "/status"),
    }


def test_a_paused_crawl_asks_for_nothing_until_it_is_resumed(steered: dict[str, Any]) -> None:
    again = steered["again"]
    assert again["state"] == "paused"
    assert "paused" in again["standing"]
    assert again["held_back"] == 1  # b.example/, whose robots.txt was answered in the pause
    assert BEHIND not in steered["asked in pause"]
    assert steered["resumed"]["state"] == "running"
    assert steered["asked second"] == [*steered["asked in pause"], BEHIND]
    assert "'finish_reason': 'finished'" in steered["second"].err


def test_stopped_in_a_pause_the_crawl_asks_for_nothing_more_and_the_job_goes_on(
    steered: dict[str, Any],
) -> None:
    assert steered["stopping"]["state"] == "closing"
    assert steered["first"].code == 0
    assert "'finish_reason': 'stopped'" in steered["first"].err
    assert "`scrapy control`; 1 " in steered["first"].err
    assert sorted(steered["asked first"]) == [SEED, *OTHERS]
    assert "Traceback" not in steered["first"].err + steered["second"].err


def test_status_counts(steered: dict[str, Any]) -> None:
    found = steered["paused"]
    assert found["pages"] == found["kept"] == 1 + len(OTHERS)
    assert (found["harvest_rate"], found["recent_pages"]) == (1.0, 5)
    assert (found["queued"], found["in_flight"], found["hosts"]) == (0, 1, 2)
    assert found["pages_per_second"] > 0


def test_the_command_prints_it_for_people_and_for_programs(steered: dict[str, Any]) -> None:
    for_people, for_programs = steered["printed"]
    assert for_people.out.startswith("finance, breadth_first:")
    assert re.search(r"5 \D+5 \D+1\.00 \D+5: 1\.00", for_people.out)
    assert re.search(r"^0 \D+1 \D+2 \D+$", for_people.out, re.MULTILINE)
    assert steered["again"]["standing"] in for_people.out
    assert json.loads(for_programs.out)["state"] == "paused"


def test_it_says_what_became_of_a_url_and_why(steered: dict[str, Any], job: Path) -> None:
    text = steered["why"].out
    assert f"Link      {SEED}" in text
    assert "State     completed: kept" in text
    assert re.search(r"^Path {6}\S", text, re.MULTILINE)
    found = steered["explained"]
    assert found["link"]["anchor"] == "基金"
    assert [step["url"] for step in found["crawl"]["path"]] == [SEED, OTHERS[0]]
    assert [fetch["stored"] for fetch in found["crawl"]["fetches"]] == [True]
    assert steered["top"].out == steered["sites"].out == "nothing waits\n"
    for ran in steered["unknown"]:
        assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert steered["unknown"][0].err.startswith("URL http://x.example/: ")


def test_its_figures_are_there_for_prometheus(steered: dict[str, Any]) -> None:
    lines = steered["metrics"].splitlines()
    assert "# TYPE topiccrawler_frontier_ended_total counter" in lines
    assert 'topiccrawler_frontier_ended_total{of="completed"} 5' in lines
    assert "topiccrawler_kept 5" in lines
    assert "topiccrawler_paused 1" in lines


def test_a_key_with_a_meaning_of_its_own_is_no_label_of_the_family_it_resembles() -> None:
    status = dict.fromkeys(package_table("engine/status_metrics.toml"), 0) | {"state": "running"}
    stats = {"topic/gate/asked": 3, "topic/gate/mean_probability": 0.25, "frontier/redis/calls": 7}
    lines = [line for line in metrics_text(stats, status).splitlines() if "#" not in line]
    assert lines[-3:] == [
        'topiccrawler_topic_gate_total{of="asked"} 3',
        "topiccrawler_topic_gate_mean_probability 0.25",
        'topiccrawler_frontier_redis{of="calls"} 7',
    ]
    assert RedisFrontier.stats_family in METRICS


@pytest.mark.slow
def test_requests_of_strangers_are_refused(steered: dict[str, Any]) -> None:
    assert steered["refused"] == {
        "no token": 401,
        "wrong token": 401,
        "no ASCII": 401,
        "foreign host": 403,
        "other port": 403,
        "foreign origin": 403,
        "no origin": 403,
        "cross site": 403,
        "form": 415,
        "no object": 400,
        "no charset": 400,
        "deep": 400,
        "a list": 404,
        "too long": 413,
        "no verb": 404,
        "changed by a link": 405,
        "localhost": 200,
    }


def test_what_it_was_told_stands_in_its_log_and_in_its_job(steered: dict[str, Any], job: Path) -> None:
    assert [order["verb"] for order in orders(job)] == ["pause", "stop", "pause", "resume"]
    for said in ("Control: pause", "Control: stop"):
        assert said in steered["first"].err


def test_a_crawl_that_is_over_or_was_killed_is_reported_in_one_line(
    steered: dict[str, Any], command: Callable[..., Any], job: Path, tmp_path: Path
) -> None:
    with pytest.raises(StateError, match="TOPIC_CONTROL=True"):
        ask(job, "status")
    ran = command("control", str(job), "pause")
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    Address("http://127.0.0.1:1").write(tmp_path)
    with pytest.raises(StateError, match=r"http://.*control\.json"):
        ask(tmp_path, "pause", body={})


def test_another_program_at_the_address_is_none_of_ours(web: DrawnWeb, tmp_path: Path) -> None:
    Address(web.proxy).write(tmp_path)
    with pytest.raises(StateError, match="TOPIC_CONTROL=True"):
        ask(tmp_path, "status")

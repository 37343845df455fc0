"""What answers where a crawl did: an address that a killed crawl left behind may be another program's by now."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import TypeAdapter

from topiccrawler.crawling.judging import Changes, KeptNow
from topiccrawler.engine.control.client import Address, RunningCrawl, ask, is_listening, orders
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.store.pages import Judgement

JSON, TEXT = "application/json", "text/plain"
DEEP = b"[" * 100_000


class _Answers(BaseHTTPRequestHandler):
    answer = 200, JSON, b"{}"
    asked: ClassVar[list[Any]] = []  # the bodies of orders

    def do_GET(self) -> None:
        status, kind, body = self.answer
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.do_GET()

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Path]:
    """A job whose control.json names a server of ours."""
    server = HTTPServer(("127.0.0.1", 0), _Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    Address(f"http://127.0.0.1:{server.server_port}").write(tmp_path)
    yield tmp_path
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("verb", "status", "kind", "body"),
    [
        ("status", 200, TEXT, b"OK"),
        ("status", 200, JSON, b"[1]"),
        ("status", 200, "text/html", b"<html>"),
        ("status", 404, JSON, b'{"what": "not found"}'),
        ("metrics", 200, JSON, b'{"pages": 1}'),
        ("status", 200, JSON, DEEP),
    ],
)
def test_the_answer_of_another_program_is_none(
    job: Path, monkeypatch: pytest.MonkeyPatch, verb: str, status: int, kind: str, body: bytes
) -> None:
    monkeypatch.setattr(_Answers, "answer", (status, kind, body))
    with pytest.raises(StateError) as fault:
        ask(job, verb)
    assert Address.read(job).url in str(fault.value)


def test_an_object_a_text_and_a_refusal(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Answers, "answer", (200, JSON, '{"kept": "考研"}'.encode()))
    assert ask(job, "status") == {"kept": "考研"}
    monkeypatch.setattr(_Answers, "answer", (200, TEXT, b"pages 1\n"))
    assert ask(job, "metrics") == "pages 1\n"
    monkeypatch.setattr(_Answers, "answer", (400, JSON, b'{"what": "a", "fault": "b", "remedy": "c"}'))
    with pytest.raises(ArgumentError, match=r"^a: b; c$"):
        ask(job, "metrics")


def test_all_that_judging_again_has_changed_is_sent(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Answers, "asked", [])
    kept = KeptNow("http://a.cn/2", 0.9, "", "article", "zh-Hans", "", "yes", "讲火箭", "")
    judgement = Judgement(3, 0.1, False, True, "火箭", "", "no", "球队")
    changes = Changes([judgement], {"http://a.cn/1": 0.2}, [kept], ["http://a.cn/3"])
    RunningCrawl(job).write(changes)
    assert list(map(TypeAdapter(Changes).validate_python, _Answers.asked)) == [changes]


def test_files_that_are_nested_too_deeply_are_damaged_files(tmp_path: Path) -> None:
    (tmp_path / "control.json").write_bytes(DEEP)
    with pytest.raises(StateError, match=r"control\.json"):
        Address.read(tmp_path)
    assert not is_listening(tmp_path)
    (tmp_path / "control.jsonl").write_bytes(DEEP + b'\n{"verb": "pause"}\n')
    assert list(orders(tmp_path)) == [{"verb": "pause"}]

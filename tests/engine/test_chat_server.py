"""A server of a language model, over real HTTP on loopback."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from chat_server import completion, judging

from topiccrawler.engine.chat_server import MOST_BYTES, ChatServer, NoAnswerError
from topiccrawler.errors import ArgumentError
from topiccrawler.relevance.second_opinion import Opinion, Shown, UnusableAnswerError

PAGES = [Shown.of("http://a.cn/1", "火箭发射", "", ""), Shown.of("http://a.cn/2", "火箭队", "", "")]
KEY = "k-4711"


def knows(page: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return {"火箭发射": {"about": "yes", "reason": "航天"}, "火箭队": {"about": "no"}}.get(page["title"])


def ask(address: str, key: str = "", answer_seconds: float = 20.0, path: str = "") -> Mapping[int, Opinion]:
    async def asked() -> Mapping[int, Opinion]:
        server = ChatServer(
            address + path, "tiny", key, answer_seconds=answer_seconds, retry_seconds=(0.01, 0.02)
        )
        try:
            return await server.ask("火箭", PAGES)
        finally:
            await server.close()

    return asyncio.run(asked())


SAID = {0: Opinion("yes", "航天"), 1: Opinion("no", "")}


@pytest.mark.parametrize("path", ["", "/", "/chat/completions"])
def test_the_base_address_or_the_whole_one_leads_to_the_model(path: str) -> None:
    with judging(knows) as judge:
        assert ask(judge.address, KEY, path=path) == SAID
    assert [(one.path, one.access) for one in judge.asked] == [("/v1/chat/completions", f"Bearer {KEY}")]


def test_without_a_key_none_is_sent_and_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with judging(knows) as judge:
        assert ask(judge.address) == SAID
    assert judge.asked[0].access == ""


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_failure_that_passes_is_tried_again(status: int) -> None:
    with judging(knows, (status, b"busy"), (status, b"busy")) as judge:
        assert ask(judge.address) == SAID
    assert len(judge.asked) == 3


def test_after_three_failures_there_is_no_answer() -> None:
    with judging(knows, *[(500, b"out of memory")] * 3) as judge:
        with pytest.raises(NoAnswerError, match="status 500: out of memory") as fault:
            ask(judge.address)
        assert (len(judge.asked), fault.value.is_final) == (3, False)


def test_a_wrong_key_is_final_and_is_in_no_message() -> None:
    with judging(knows, (401, f"Incorrect API key provided: {KEY}".encode())) as judge:
        with pytest.raises(NoAnswerError, match="status 401: Incorrect API key provided: …") as fault:
            ask(judge.address, KEY)
        assert (len(judge.asked), fault.value.is_final) == (1, True)


def test_a_redirect_is_not_followed() -> None:
    with judging(knows, (307, b"")) as judge, pytest.raises(NoAnswerError, match="status 307"):
        ask(judge.address, KEY)
    assert len(judge.asked) == 1


def test_a_server_that_does_not_know_how_to_ask_for_json_is_asked_without() -> None:
    with judging(knows, (400, b"unknown field response_format")) as judge:
        assert ask(judge.address) == SAID
    assert ["response_format" in one.body for one in judge.asked] == [True, False]


def test_a_request_that_is_wrong_without_that_field_too_is_final() -> None:
    with judging(knows, *[(400, b"no such model")] * 2) as judge:
        with pytest.raises(NoAnswerError, match="status 400: no such model"):
            ask(judge.address)
        assert len(judge.asked) == 2


def test_silence_ends_after_the_time_limit() -> None:
    with (
        judging(knows, None, None, None) as judge,
        pytest.raises(NoAnswerError, match=r"within 0\.2 seconds"),
    ):
        ask(judge.address, answer_seconds=0.2)
    assert len(judge.asked) == 3


def test_an_endless_answer_is_cut() -> None:
    with (
        judging(knows, (200, b" " * (MOST_BYTES + 1))) as judge,
        pytest.raises(UnusableAnswerError, match="is longer than 1048576 bytes"),
    ):
        ask(judge.address)


def test_nobody_listens() -> None:
    with judging(knows) as judge:
        gone = judge.address
    with pytest.raises(NoAnswerError, match=r"(?i)connect"):
        ask(gone)


def test_the_answers_of_one_request_come_in_any_order() -> None:
    body = {"answers": [{"page": 3, "about": "no"}, {"page": 1, "about": "yes", "reason": "航天"}]}
    with judging(knows, (200, completion(json.dumps(body)))) as judge:
        assert ask(judge.address) == SAID


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("localhost:8080", "is no http"),
        ("ftp://a.cn/v1", "is no http"),
        ("http://", "is no http"),
        ("http://a.cn:port/v1", "is no http"),
        ("http://me:secret@a.cn/v1", "has more than host and path"),
        ("http://a.cn/v1?key=secret", "has more than host and path"),
    ],
)
def test_a_wrong_address_is_one_line_without_what_may_be_secret(address: str, fault: str) -> None:
    with pytest.raises(ArgumentError, match=fault) as refused:
        ChatServer(address, "tiny")
    assert "secret" not in str(refused.value)

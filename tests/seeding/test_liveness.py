"""Proposed addresses are asked once; those of the own network are not, whatever name or redirect leads there."""

from __future__ import annotations

import socket
from collections.abc import Sequence

import pytest
from searxng import searxng

from topiccrawler.seeding.candidates import Candidate, choose
from topiccrawler.seeding.http_client import HttpClient
from topiccrawler.seeding.reachability import faults

SITE = "http://a.example"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


def client(*, guarded: bool = False, seconds: float = 5.0) -> HttpClient:
    return HttpClient("tester/1", seconds=seconds, guarded=guarded)


def fault_of(asked: HttpClient, url: str, seconds: float = 5.0) -> str:
    return faults(asked, [url], seconds)[url]


def test_head_is_asked_and_get_where_it_is_refused() -> None:
    sites = {
        "/": 200, "/moved": "/", "HEAD /get": 405, "GET /get": 200, "/busy": 503, "/error": 500,
        "/round": "/round", "/away": "file:///etc/hostname", "HEAD /cut": b"", "/odd": b"no HTTP\r\n\r\n",
    }  # fmt: skip
    with searxng(sites=sites) as server:
        server.over.set()
        found = faults(client(), [f"{server.address}{path}" for path in ["/", "/moved", "/get", "/busy", "/error", "/none", "/round", "/away", "/odd"]], 5.0)  # fmt: skip
    said = {url.removeprefix(server.address): fault for url, fault in found.items()}
    assert {path for path, fault in said.items() if not fault} == {"/", "/moved", "/get", "/busy"}
    assert (said["/error"], said["/none"]) == ("answers 500", "answers 404")
    assert (said["/round"], said["/away"]) == ("redirects without end", "file:///etc/hostname")
    assert said["/odd"]
    # the second is where /moved leads: Python asks it with HEAD from 3.13 on, with GET before
    assert server.asked.count("HEAD /") + server.asked.count("GET /") == 2
    assert "GET /none" not in server.asked
    assert {"HEAD /get", "GET /get"} <= set(server.asked)


def test_a_redirect_with_an_endless_body_is_not_read() -> None:
    endless = b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 1000000000\r\n\r\nmore"
    with searxng(sites={"/": 200, "/endless": endless}) as server:
        assert fault_of(client(), f"{server.address}/endless") == ""


def test_who_never_ends_an_answer_is_left_out() -> None:
    with searxng(sites={"/": 200, "/slow": b"HTTP/1.1 200"}) as server:
        slow, good = f"{server.address}/slow", f"{server.address}/"
        assert fault_of(client(seconds=0.1), slow) == "timed out"
        assert faults(client(), [good, slow], 0.01)[slow]


@pytest.mark.parametrize("host", ["localhost", "127.1", "0x7f000001", "[::1]", "router"])
def test_private_hosts_are_refused_by_their_spelling(host: str) -> None:
    assert fault_of(client(guarded=True), f"http://{host}:1/").startswith("private address: ")


def test_a_name_that_leads_inside_is_refused_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = socket.getaddrinfo

    def leads_inside(host: str, *args: object, **more: object) -> object:
        return resolve("127.0.0.1" if host.endswith(".example") else host, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", leads_inside)
    with searxng(sites={"/": 200}) as server:
        port = server.address.rpartition(":")[2]
        for scheme in ("http", "https"):
            said = fault_of(client(guarded=True), f"{scheme}://inside.example:{port}/")
            assert said.endswith(": inside.example = 127.0.0.1")
        assert fault_of(client(), f"http://inside.example:{port}/") == ""
    assert server.asked == ["HEAD /"]


def test_through_a_proxy_names_are_asked_and_private_spellings_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with searxng(sites={f"{SITE}/": 200, f"{SITE}/in": "http://127.0.0.1:1/"}) as server:
        monkeypatch.delenv("no_proxy")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.setenv("http_proxy", server.address)
        guarded = client(guarded=True)
        assert fault_of(guarded, f"{SITE}/") == ""
        assert fault_of(guarded, f"{SITE}/in") == "private address: 127.0.0.1"
        assert fault_of(guarded, "http://192.168.0.1/") == "private address: 192.168.0.1"
    assert server.asked == [f"HEAD {SITE}/", f"HEAD {SITE}/in"]


def test_dead_ones_make_room_for_the_next_and_no_host_has_more_than_its_share() -> None:
    urls = [*(f"http://a.example/{number}" for number in range(5)), "http://b.example/", "http://c.example/"]
    every = [Candidate(url, relevance=1 - place / 10) for place, url in enumerate(urls)]
    asked: list[Sequence[str]] = []

    def check(batch: Sequence[str]) -> dict[str, str]:
        asked.append(batch)
        return {url: "gone" if url.endswith(("/0", "b.example/")) else "" for url in batch}

    choice = choose(every, count=3, per_host=2, check=check)
    assert [one.url for one in choice.chosen] == [
        "http://a.example/1",
        "http://a.example/2",
        "http://c.example/",
    ]
    assert choice.dead == {"http://a.example/0": "gone", "http://b.example/": "gone"}
    assert asked[0] == ["http://a.example/0", "http://a.example/1", "http://b.example/"]
    assert sum(map(len, asked)) == 5
    assert [one.url for one in choose(every, 3, 2).chosen] == [*urls[:2], "http://b.example/"]

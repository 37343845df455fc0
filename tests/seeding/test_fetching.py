"""Commands fetch by Scrapy's downloader: by robots.txt, at each host's pace, and no host in the user's own network unless it is trusted."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from searxng import searxng

PROGRAM = Path(__file__).with_name("fetching_program.py")
SITE = "http://a.example"


@pytest.fixture
def fetched(forked_scrapy: Callable[..., Any]) -> Callable[..., Any]:
    def run(
        urls: list[str],
        proxy: str | None = None,
        *,
        check: bool = False,
        trusted: tuple[str, ...] = (),
        inside: str = "",
        **settings: object,
    ) -> dict[str, Any]:
        what = {"urls": urls, "check": check, "settings": settings, "trusted": trusted, "inside": inside}
        ran = forked_scrapy(
            str(PROGRAM), json.dumps(what), proxy=proxy, SCRAPY_SETTINGS_MODULE="topiccrawler.settings"
        )
        assert (ran.code, ran.err) == (0, "")
        return json.loads(ran.out)

    return run


@pytest.fixture
def fault_of(fetched: Callable[..., Any]) -> Callable[..., str]:
    def run(url: str, proxy: str | None = None, **more: Any) -> str:
        return fetched([url], proxy, check=True, **more)[url]

    return run


@pytest.fixture
def free() -> Iterator[dict[str, Any]]:
    """Settings under which this machine may be asked."""
    return {"TOPIC_PRIVATE_NETWORK": True}


def test_pages_come_as_in_a_crawl(
    fetched: Callable[..., Any], draw_web: Callable[..., Any], answer: Callable[..., Any]
) -> None:
    web = draw_web(
        {
            f"{SITE}/robots.txt": answer(200, b"\xef\xbb\xbfUser-agent: *\nDisallow: /private", **{"Content-Type": "text/plain"}),
            f"{SITE}/a": answer(200, gzip.compress("龙井".encode("gb18030")), **{"Content-Type": "text/html; charset=gb2312", "Content-Encoding": "gzip"}),
            f"{SITE}/%E8%8C%B6": answer(302, Location="/a"),
            f"{SITE}/private/b": "secret",
        }
    )  # fmt: skip
    urls = [f"{SITE}/{path}" for path in ("a", "茶", "private/b", "gone")]
    found = fetched([*urls, "http://[::1", "http://127.0.0.1:1/"], web.proxy)
    assert found[urls[0]] == found[urls[1]] == [200, "龙井"]
    assert found[urls[2]] == "Forbidden by robots.txt"
    assert found[urls[3]][0] == 404
    assert isinstance(found["http://[::1"], str)
    assert found["http://127.0.0.1:1/"].startswith("private address: ")
    assert web.asked.count(f"{SITE}/robots.txt") == 1
    assert f"{SITE}/private/b" not in web.asked
    assert {headers["User-Agent"][:16] for headers in web.headers} == {"topiccrawler/0.1"}


def test_recorded_pages_are_served_instead_of_the_network(
    fetched: Callable[..., Any], draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    web = draw_web({f"{SITE}/": "<p>茶"})
    warc = tmp_path / "tea.warc.gz"
    live = fetched([f"{SITE}/"], web.proxy, WARC_OUT=str(warc))
    asked = len(web.asked)
    assert fetched([f"{SITE}/"], web.proxy, REPLAY_WARC=str(warc)) == live == {f"{SITE}/": [200, "<p>茶"]}
    assert len(web.asked) == asked


def test_a_body_past_the_limit_is_no_page(fetched: Callable[..., Any], draw_web: Callable[..., Any]) -> None:
    web = draw_web({f"{SITE}/long": "x" * 100_000})
    assert fetched([f"{SITE}/long"], web.proxy, DOWNLOAD_MAXSIZE=50_000) == {f"{SITE}/long": "too large"}


def test_head_is_asked_and_get_where_it_is_refused(fetched: Callable[..., Any], free: dict[str, Any]) -> None:
    sites = {
        "/": 200, "/moved": "/", "HEAD /get": 405, "GET /get": 200, "/busy": 503, "/error": 500,
        "/round": "/round", "/away": "file:///etc/hostname", "/odd": b"no HTTP\r\n\r\n",
        "/robots.txt": 404,
    }  # fmt: skip
    with searxng(sites=sites) as server:
        server.over.set()
        paths = ("/", "/moved", "/get", "/busy", "/error", "/none", "/round", "/away", "/odd")
        found = fetched([f"{server.address}{path}" for path in paths], check=True, **free)
    said = {url.removeprefix(server.address): fault for url, fault in found.items()}
    assert {path for path, fault in said.items() if not fault} == {"/", "/moved", "/get", "/busy"}
    assert (said["/error"], said["/none"]) == ("answers 500", "answers 404")
    assert (said["/round"], said["/away"]) == ("too many redirects", "answers 302")
    assert said["/odd"] == "bad answer"
    assert server.asked.count("HEAD /") == 2  # the second is where /moved leads
    assert server.asked.count("HEAD /busy") == 1
    assert "GET /none" not in server.asked
    assert {"HEAD /get", "GET /get", "GET /robots.txt"} <= set(server.asked)


def test_no_body_is_read_to_see_whether_a_page_is_there(
    fetched: Callable[..., Any], free: dict[str, Any]
) -> None:
    endless = b"HTTP/1.1 %s\r\nLocation: /\r\nContent-Length: 1000000000\r\n\r\nmore"
    sites = {
        "/": 200, "/moved": endless % b"302 Found", "HEAD /live": endless % b"405 No", "GET /live": endless % b"200 OK",
    }  # fmt: skip
    with searxng(sites=sites) as server:
        urls = [f"{server.address}/moved", f"{server.address}/live"]
        assert fetched(urls, check=True, DOWNLOAD_TIMEOUT=5, **free) == dict.fromkeys(urls, "")


def test_who_never_ends_an_answer_is_left_out(fetched: Callable[..., Any], free: dict[str, Any]) -> None:
    with searxng(sites={"/": 200, "/slow": b"HTTP/1.1 200"}) as server:
        good, slow = f"{server.address}/", f"{server.address}/slow"
        found = fetched([slow, good], check=True, DOWNLOAD_TIMEOUT=3, **free)
    assert found == {slow: "timeout", good: ""}


@pytest.mark.parametrize("host", ["localhost", "127.1", "0x7f000001", "[::1]", "router"])
def test_private_hosts_are_refused_by_their_spelling(fault_of: Callable[..., str], host: str) -> None:
    assert fault_of(f"http://{host}:1/").startswith("private address: ")


def test_a_name_that_leads_inside_is_refused_before_anything_is_sent(
    fault_of: Callable[..., str], free: dict[str, Any]
) -> None:
    with searxng(sites={"/": 200}) as server:
        port = server.address.rpartition(":")[2]
        for scheme in ("http", "https"):
            said = fault_of(f"{scheme}://inside.example:{port}/", inside=".example")
            assert said == "private address: inside.example = 127.0.0.1"
        url = f"http://inside.example:{port}/"
        assert server.asked == []
        assert fault_of(url, inside=".example", **free) == ""
        assert fault_of(url, inside=".example", trusted=[f"inside.example:{port}"]) == ""
    assert server.asked == ["GET /robots.txt", "HEAD /"] * 2


def test_through_a_proxy_names_are_asked_and_private_spellings_are_not(fault_of: Callable[..., str]) -> None:
    with searxng(sites={f"{SITE}/": 200, f"{SITE}/in": "http://127.0.0.1:1/"}) as server:
        assert fault_of(f"{SITE}/", server.address) == ""
        assert fault_of(f"{SITE}/in", server.address) == "private address: 127.0.0.1"
        assert fault_of("http://192.168.0.1/", server.address) == "private address: 192.168.0.1"
    asked = [line for line in server.asked if "robots" not in line]
    assert asked == [f"HEAD {SITE}/", f"HEAD {SITE}/in"]

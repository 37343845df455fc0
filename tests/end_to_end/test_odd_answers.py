"""What browsers show of odd servers is kept, and asked for no more often than needed: redirects, refreshes, lengths, codings."""

import gzip
import itertools
import socket
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from drawn_crawls import Crawl, stats_of
from hostile_hosts import served

from topiccrawler import Job

_numbers = itertools.count(1)
asked_for: list[str] = []

Answer = bytes | Callable[[str], bytes]
"""The bytes of an answer, or what makes them of the request."""


def text() -> str:
    number = next(_numbers) * 7_919
    return "".join(
        f"<p>第{number + n}讲：基金定投之前先看基金的费率{number}和规模{n}，再看基金经理。</p>"
        for n in range(6)
    )


def page(head: str = "", *lines: str, status: str = "200 OK") -> bytes:
    body = f"<html><head><meta charset=utf-8>{head}<title>基金第{next(_numbers)}讲</title></head><body>{text()}".encode()
    return answer(body, *lines, status=status)


def answer(body: bytes = b"", *lines: str, status: str = "200 OK", length: int | None = None) -> bytes:
    usual = (
        "Content-Type: text/html; charset=utf-8",
        f"Content-Length: {len(body) if length is None else length}",
        "Connection: close",
    )
    return "\r\n".join((f"HTTP/1.1 {status}", *usual, *lines, "", "")).encode() + body


def refresh(content: str) -> bytes:
    return page(f'<meta http-equiv=refresh content="{content}">')


def moved(location: str, *lines: str, status: str = "302 Found") -> bytes:
    return answer(b"", f"Location: {location}", *lines, status=status)


def wants_cookie(asked: str) -> bytes:
    return page() if "Cookie: seen=1" in asked else moved("/cookie", "Set-Cookie: seen=1; path=/")


def wants_cookie_of_another_page(asked: str) -> bytes:
    return page() if "Cookie: checked=1" in asked else moved("/check")


CUT_ONCE = page()


def whole_at_the_second_time(asked: str) -> bytes:
    return CUT_ONCE if asked_for.count("/cut/once") > 1 else CUT_ONCE[:-200]


def to_its_own_url(asked: str) -> bytes:
    host = asked.partition("Host: ")[2].partition("\r")[0]
    return refresh(f"30;url=http://{host}/live/absolute")


ANSWERS: dict[str, Answer] = {
    "/live": refresh("30;url=/live"),
    "/live/absolute": to_its_own_url,
    "/live/top": refresh("0;url=#top"),
    "/live/empty": refresh("0;url="),
    "/live/marked": refresh("1;url=/live/marked?utm_source=refresh"),
    "/live/header": page("", "Refresh: 0; url=/live/header"),
    "/late": refresh("6;url=/late/goal"),
    "/late/goal": page(),
    "/late/header": page("", "Refresh: 60; url=/late/header/goal"),
    "/late/header/goal": page(),
    "/now": refresh("5;url=/now/goal"),
    "/now/goal": page(),
    "/now/header": answer(b"", "Refresh: 0; url=/now/header/goal"),
    "/now/header/goal": page(),
    "/now/base": page("<base href=/base/><meta http-equiv=refresh content='0;url=goal'>"),
    "/base/goal": page(),
    "/now/many": refresh("0;url=/now/many/2"),
    "/now/many/2": refresh("0;url=/now/many/3"),
    "/now/many/3": page(),
    "/circle": refresh("0;url=/circle/2"),
    "/circle/2": refresh("0;url=/circle"),
    "/file": refresh("0;url=/file.zip"),
    "/script": page("<script>s=\"<meta http-equiv=refresh content='0;url=/gone'>\"</script>"),
    "/noscript": page("<noscript><meta http-equiv=refresh content='0;url=/gone'></noscript>"),
    "/cookie": wants_cookie,
    "/checked": wants_cookie_of_another_page,
    "/check": moved("/checked", "Set-Cookie: checked=1"),
    "/cookie/always": moved("/cookie/always", "Set-Cookie: n=1"),
    "/itself": moved("/itself"),
    "/round": moved("/round/2"),
    "/round/2": moved("/round"),
    "/backslash": moved("\\backslash/goal"),
    "/backslash/goal": page(),
    "/choices": moved("/choices/goal", status="300 Multiple Choices"),
    "/choices/goal": page(),
    "/proxy": moved("/gone", status="305 Use Proxy"),
    "/nowhere": page("", "Location:", status="302 Found"),
    "/cut": page()[:-120],
    "/cut/once": whole_at_the_second_time,
    "/cut/empty": answer(b"", length=500),
    "/plain": page("", "Content-Encoding: gzip"),
    "/packed": answer(gzip.compress(page().partition(b"\r\n\r\n")[2])),
    "/other": page().replace(b"HTTP/1.1 200 OK", b"\nHTTP/2  200"),
}
KEPT = [
    "/backslash/goal", "/base/goal", "/checked", "/choices/goal", "/circle/2", "/cookie", "/cut", "/cut/once", "/file", "/late", "/late/goal",
    "/late/header", "/late/header/goal", "/live", "/live/absolute", "/live/empty", "/live/header", "/live/marked", "/live/top", "/noscript",
    "/now/goal", "/now/header/goal", "/now/many/3", "/nowhere", "/other", "/packed", "/plain", "/script",
]  # fmt: skip
TWICE = ["/checked", "/cookie", "/cookie/always", "/cut", "/cut/empty", "/cut/once"]


def behave(connection: socket.socket, asked: bytes) -> None:
    """Answer a request by its path."""
    request = asked.decode("latin-1")
    path = request.split(" ")[1] if " " in request else ""
    asked_for.append(path)
    found = ANSWERS.get(path, answer(b"gone", status="404 Not Found"))
    connection.sendall(found(request) if callable(found) else found)


def test_what_browsers_show_is_kept(crawl: Crawl, tmp_path: Path) -> None:
    asked_for.clear()
    with served(behave) as host:
        paths = [path for path in ANSWERS if not path.endswith(("goal", "/2", "/3", "/check"))]
        seeds = tmp_path / "seeds.txt"
        seeds.write_text("\n".join(f"http://{host}{path}" for path in paths), "utf-8")
        ran = crawl(
            None, topic=None, keywords="基金,定投", seeds=seeds, strategy=None, TOPIC_LINK_THRESHOLD=0,
            TOPIC_DUPLICATES="keep", FRONTIER_BACKOFF_SECONDS=0.2, FRONTIER_URL_TRIES=2,
        )  # fmt: skip
        kept = sorted(one.url.removeprefix(f"http://{host}") for one in Job(ran.job).pages())
        asked = Counter(asked_for)
    assert kept == KEPT
    assert sorted(path for path, times in asked.items() if times == 2) == TWICE
    assert max(asked.values()) == 2
    assert not {"/gone", "/file.zip"} & set(asked)
    stats = stats_of(ran.job)
    assert stats["topic/incomplete"] == 1
    assert stats["frontier/failed/too_many_redirects"] == 3
    assert stats["frontier/failed/http_305"] == 1
    assert stats["frontier/ended/retried"] >= 1  # of which nothing came
    assert "Traceback" not in ran.err

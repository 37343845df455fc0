"""No request makes a running crawl fail, or answer with a fault of the program."""

import http.client
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from damaged_inputs import TEXTS, VALUES, spoilt_bytes
from held_page import PATIENCE, Door
from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.engine.control.client import Address, ask

pytestmark = pytest.mark.slow
SEED, BEHIND = "http://a.example/", "http://b.example/"
PAGE = "<title>基金</title><p>基金 股票 理财 投资</p>"
LINKS = "".join(f"<a href='{BEHIND}{number}'>基金{number}</a>" for number in range(20))
WORDS = st.one_of(st.sampled_from([*TEXTS, "1", "9" * 30, "²", "nan", "b.example", "*", "([a-z", f"{BEHIND}1", "0.5"]), VALUES)  # fmt: skip
NAMES = ["n", "url", "name", "value", "pattern", "site", "x"]
CHANGED = st.sampled_from(["topic", "page_threshold", "link_threshold", "pages", "targets", "strategy_rate", "strategy_smoothing", "strategy_", ""])  # fmt: skip


def test_requests(forked_scrapy: Any, draw_web: Callable[..., Any], tmp_path: Path) -> None:
    """To a crawl that is held at the door of a host; what it would change is only previewed."""
    job, err, door = tmp_path / "job", tmp_path / "err", Door()
    web = draw_web(
        {SEED: PAGE + LINKS, f"{BEHIND}robots.txt": door, **{f"{BEHIND}{n}": PAGE for n in range(20)}}
    )
    options = [
        "-a",
        "topic=finance",
        "-a",
        f"seeds={SEED}",
        "-s",
        f"JOBDIR={job}",
        "-s",
        "DOWNLOAD_DELAY=0.01",
    ]
    process = forked_scrapy.begin("crawl", "topic", *options, proxy=web.proxy, err=str(err))
    door.wait_for_knock()
    address = Address.read(job)
    port = urlsplit(address.url).port
    headers = {"Authorization": f"Bearer {address.token}", "Content-Type": "application/json"}

    def status(method: str, path: str, body: bytes | None = None) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    @given(st.sampled_from(["status", "top", "metrics", "no", "set"]), st.lists(st.tuples(st.sampled_from(NAMES), WORDS), max_size=3))  # fmt: skip
    def look(verb: str, query: list[tuple[str, Any]]) -> None:
        words = (
            f"{name}={quote(str(value).encode('utf-8', 'surrogatepass')[:300])}" for name, value in query
        )
        assert status("GET", f"/{verb}?{'&'.join(words)}") < 500

    @given(
        st.sampled_from(["set", "block"]),
        st.dictionaries(st.sampled_from(NAMES), WORDS, max_size=4),
        CHANGED,
        st.data(),
    )
    def order(verb: str, body: dict[str, Any], name: str, data: st.DataObject) -> None:
        body |= {"preview": True, "name": name}
        assert status("POST", f"/{verb}", json.dumps(body).encode()) < 500
        spoilt = data.draw(spoilt_bytes(b'{"previe": true, "name": "topic", "value": "travel"}'))
        assert status("POST", "/block", spoilt) < 500

    try:
        look()
        order()
        for pattern in ("no\ud800where", "\0"):  # noted in the journal, too
            assert status("POST", "/block", json.dumps({"pattern": pattern}).encode()) < 500
    except BaseException:
        door.open()
        raise
    assert ask(job, "status")["state"] == "running"
    door.open()
    ran = process.wait(PATIENCE)
    said = err.read_text()
    assert ran.code == 0, said
    assert "Traceback" not in said
    assert "21 pages fetched" in said

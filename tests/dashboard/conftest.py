"""A dashboard on a port that the system picks, in a thread of the tests, and a browser of a few words."""

import asyncio
import http.client
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from topiccrawler.dashboard.app import make_app, serve

PATIENCE = 60  # seconds, then the test fails


@dataclass
class Answer:
    """What the dashboard said."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Dashboard:
    """One that runs. `links`: every link it has told, the newest last."""

    links: list[str]
    cookie: str = ""
    form: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        place = urlsplit(self.links[0])
        return f"http://{place.netloc}"

    def ask(self, method: str, path: str, headers: dict[str, str], body: str | None = None) -> Answer:
        connection = http.client.HTTPConnection(urlsplit(self.links[0]).netloc, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def enter(self) -> None:
        """Exchange the link for a cookie, and learn the forms' token."""
        place = urlsplit(self.links[-1])
        answer = self.ask("GET", f"{place.path}?{place.query}", {})
        self.cookie = answer.headers["Set-Cookie"].partition(";")[0]
        found = re.search(r'name="form" value="([^"]+)"', self.get("/new").text)
        self.form = found[1]

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, {"Cookie": self.cookie, "Accept": "text/html", **headers})

    def post(self, path: str, form: dict[str, str], **headers: str) -> Answer:
        configured = {
            "Cookie": self.cookie,
            "Content-Type": "application/x-www-form-urlencoded",
            "Origin": self.origin,
            **headers,
        }
        return self.ask("POST", path, configured, urlencode({"form": self.form, **form}))


@pytest.fixture
def open_dashboard() -> Iterator[Callable[[Path], Dashboard]]:
    """`open_dashboard(data)`: a browser that has the key."""
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[None], threading.Thread]] = []

    def open_it(data: Path) -> Dashboard:
        dashboard, ready = Dashboard([]), threading.Event()
        settings = {"TOPIC": None, "TOPIC_STRATEGY": "adaptive"}
        app = make_app(data, settings, dashboard.links.append)
        loop = asyncio.new_event_loop()

        def told(link: str) -> None:
            dashboard.links.append(link)
            ready.set()

        task = loop.create_task(serve(app, "127.0.0.1", 0, told))
        thread = threading.Thread(target=_run, args=(loop, task), daemon=True)
        thread.start()
        running.append((loop, task, thread))
        assert ready.wait(PATIENCE)
        dashboard.enter()
        return dashboard

    yield open_it
    for loop, task, thread in running:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(PATIENCE)


def _run(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    try:
        loop.run_until_complete(asyncio.wait([task]))
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()

"""A server on loopback that speaks OpenAI's chat completions, as a judge of pages: what it says of each page is a function of the page."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from drawn_web import serving

Says = Callable[[Mapping[str, Any]], Mapping[str, Any] | None]
"""From a page as the judge is shown it, what it answers beside the page's number; None = nothing."""


@dataclass
class Asked:
    """One request."""

    path: str
    access: str  # the header Authorization
    body: Mapping[str, Any]

    @property
    def question(self) -> Mapping[str, Any]:
        """The wish and the pages."""
        return json.loads(self.body["messages"][-1]["content"])


@dataclass
class Judge:
    """One that runs. `replies`: what it answers first, before `says` is asked: (status, body), or None for silence."""

    says: Says
    replies: list[tuple[int, bytes] | None] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    address: str = ""
    over: threading.Event = field(default_factory=threading.Event)

    def titles(self) -> list[str]:
        """Of all pages it was asked about, without the empty one."""
        pages = [page for one in self.asked for page in one.question["pages"]]
        return [page["title"] for page in pages if page["title"] != "404"]

    def reply(self, asked: Asked) -> tuple[int, bytes]:
        answers = [
            {"page": page["page"], **said}
            for page in asked.question["pages"]
            if (said := self.says(page)) is not None
        ]
        return 200, completion(json.dumps({"answers": answers}, ensure_ascii=False))


def completion(content: str) -> bytes:
    """The body of a chat completion."""
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()


@contextmanager
def judging(says: Says, *replies: tuple[int, bytes] | None) -> Iterator[Judge]:
    """A judge that answers by `says`, after these replies."""
    judge = Judge(says, list(replies))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked = Asked(self.path, self.headers.get("Authorization", ""), body)
            judge.asked.append(asked)
            reply = judge.replies.pop(0) if judge.replies else judge.reply(asked)
            if reply is None:
                judge.over.wait()
                return
            self.send_response(reply[0])
            self.send_header("Content-Length", str(len(reply[1])))
            self.end_headers()
            self.wfile.write(reply[1])

        def log_message(self, *args: Any) -> None:
            """Tests read `asked`."""

    with serving(Handler, judge.over) as address:
        judge.address = f"{address}/v1"
        yield judge

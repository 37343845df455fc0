"""Sends requests to a running crawl, says in one line why there is no response, and records the changes made.

A crawl that can be controlled is found by control.json in its job's folder, readable by its user alone:

    {"url": "http://127.0.0.1:40123", "token": …, "pid": …, "version": 1}

A crawl removes its file when it ends; that of a killed one stays, and nobody answers there. Each change from outside is a line in the crawl's
log and one in its job, for its report.
"""

from __future__ import annotations

import http.client
import json
import logging
import os
import secrets
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

from topiccrawler.errors import ArgumentError, StateError, file_faults

FILE = "control.json"
VERSION = 1
REMEDY = "look whether the crawl is running, and was started with TOPIC_CONTROL=True"


@dataclass(frozen=True, slots=True)
class Address:
    """`url`: without a path; `token`: 256 random bits."""

    url: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    pid: int = field(default_factory=os.getpid)
    version: int = VERSION

    def write(self, folder: Path) -> None:
        """Put it into the job's folder: whole, and with mode 0600 before a word is in it."""
        new = folder / f".{FILE}.{os.getpid()}"
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(asdict(self), file)
        new.replace(folder / FILE)

    def remove(self, folder: Path) -> None:
        """Take it away, if no other crawl has put its own there."""
        try:
            if type(self).read(folder) == self:
                (folder / FILE).unlink()
        except (StateError, OSError):
            return

    @classmethod
    def read(cls, folder: Path) -> Self:
        """StateError when there is none, or when it cannot be used."""
        path = folder / FILE
        if not path.is_file():
            raise StateError(f"job {folder}", "no crawl is running there that can be controlled", REMEDY)
        with file_faults(StateError, path, "cannot be read", "give the command as the user of the crawl"):
            text = path.read_text(encoding="utf-8")
        try:
            found = cls(**json.loads(text))
        except (ValueError, TypeError) as error:
            raise StateError(str(path), f"is damaged ({error})", REMEDY) from None
        if found.version != VERSION or not str(found.url).startswith("http://"):
            raise StateError(str(path), "is of another version", "use the program that runs the crawl")
        return found


logger = logging.getLogger(__name__)

JOURNAL = "control.jsonl"


def note(folder: Path, time: float, verb: str, what: Mapping[str, Any]) -> None:
    """Write it down; user input is JSON in the log too, so that no line of a log can be forged with it."""
    logger.info("Control: %s%s", verb, f" {json.dumps(what, ensure_ascii=True)}" if what else "")
    line = json.dumps({"time": round(time, 3), "verb": verb, **what}, ensure_ascii=False)
    with (
        file_faults(StateError, folder / JOURNAL, "cannot be written", "make room"),
        (folder / JOURNAL).open("a", encoding="utf-8", errors="backslashreplace") as file,
    ):
        file.write(f"{line}\n")


def orders(folder: Path) -> Iterator[dict[str, Any]]:
    """What was written down, oldest first; a line that a kill cut short is left out."""
    path = folder / JOURNAL
    if not path.is_file():
        return
    with (
        file_faults(StateError, path, "cannot be read", "use a copy"),
        path.open(encoding="utf-8", errors="replace") as lines,
    ):
        for line in lines:
            try:
                order = json.loads(line)
            except ValueError:
                continue
            if isinstance(order, dict) and "verb" in order:
                yield order


PATIENCE_SECONDS = 30.0  # a block looks through the whole queue
METRICS = "metrics"  # the verb whose answer is a text


def ask(
    folder: Path,
    verb: str,
    query: Mapping[str, object] | None = None,
    body: Mapping[str, object] | None = None,
    patience: float = PATIENCE_SECONDS,
) -> Any:
    """The crawl's answer to a verb, an object, or of METRICS a text; `body`: of a verb that changes something; `patience`: seconds.
    StateError when nobody answers, or another program does, ArgumentError when the crawl refuses."""
    address = Address.read(folder)
    path = f"/{verb}" + (f"?{urlencode(query)}" if query else "")
    try:
        status, kind, text = _exchange(address, path, body, patience)
    except (OSError, http.client.HTTPException, ValueError) as failure:
        why = str(failure) or type(failure).__name__
        fault = f"nobody answers at {address.url} ({why}); a killed crawl leaves {FILE} behind"
        raise StateError(f"job {folder}", fault, REMEDY) from None
    is_answer = status == http.client.OK
    if is_answer and verb == METRICS and kind == "text/plain":
        return text
    try:
        answer = json.loads(text)
        if is_answer and verb != METRICS and isinstance(answer, dict):
            return answer
        what, fault, remedy = (str(answer[name]) for name in ("what", "fault", "remedy"))
    except (ValueError, KeyError, TypeError):
        fault = f"another program answers at {address.url}"
        raise StateError(f"job {folder}", fault, REMEDY) from None
    raise ArgumentError(what, fault, remedy)


def teacher_of(folder: Path) -> Callable[[bool], int] | None:
    """How the crawl that runs in that folder is notified of what its job was taught (crawling.teaching.Running); None when none runs."""

    def teach(few: bool) -> int:
        return int(ask(folder, "teach", body={"keep": few})["queued"])

    return teach if is_listening(folder) else None


def is_listening(folder: Path) -> bool:
    """Somebody listens where the crawl does; whether it answers is not asked."""
    try:
        place = urlsplit(Address.read(folder).url)
        socket.create_connection((place.hostname or "", place.port or 0), timeout=1.0).close()
    except (StateError, OSError, ValueError):
        return False
    return True


def _exchange(
    address: Address, path: str, body: Mapping[str, object] | None, patience: float
) -> tuple[int, str, str]:
    """Status, content type and body."""
    place = urlsplit(address.url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=patience)
    headers = {"Authorization": f"Bearer {address.token}", "Content-Type": "application/json"}
    try:
        if body is None:
            connection.request("GET", path, headers=headers)
        else:
            connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        return answer.status, answer.headers.get_content_type(), text
    finally:
        connection.close()

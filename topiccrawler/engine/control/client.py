"""Sends control requests to a running crawl, and records the changes made by them.

`Address` is where a crawl can be controlled. It is stored in control.json in the job's folder, readable by its user alone:

    {"url": "http://127.0.0.1:40123", "token": …, "pid": …}

A crawl removes its file when it ends. The file of a killed crawl stays, and no server answers at its address.

`ask` sends a request to the crawl, and reports in one line why there is no response.

`note` records a change from outside: a line in the crawl's log, and one in the job's folder for its report. `orders` reads these lines.
"""

from __future__ import annotations

import http.client
import json
import logging
import os
import secrets
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from topiccrawler.errors import ArgumentError, StateError, file_faults

if TYPE_CHECKING:
    from topiccrawler.crawling.judging import Changes, JudgedAgain

FILE = "control.json"
REMEDY = "look whether the crawl is running, and was started with TOPIC_CONTROL=True"


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a crawl that can be controlled. `url`: without a path. `token`: the secret that a caller must send, 256 random
    bits."""

    url: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    pid: int = field(default_factory=os.getpid)

    def write(self, folder: Path) -> None:
        """Write the address to the job's folder, atomically. The file has mode 0600 before anything is written to it."""
        new = folder / f".{FILE}.{os.getpid()}"
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(asdict(self), file)
        new.replace(folder / FILE)

    def remove(self, folder: Path) -> None:
        """Remove the file from the job's folder, unless another crawl has replaced it by its own."""
        try:
            if type(self).read(folder) == self:
                (folder / FILE).unlink()
        except (StateError, OSError):
            return

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the address from a job's folder. StateError when there is none, or when it is invalid."""
        path = folder / FILE
        if not path.is_file():
            raise StateError(f"job {folder}", "no crawl is running there that can be controlled", REMEDY)
        with file_faults(StateError, path, "cannot be read", "give the command as the user of the crawl"):
            text = path.read_text(encoding="utf-8")
        try:
            found = cls(**json.loads(text))
        except (ValueError, TypeError, RecursionError) as error:
            raise StateError(str(path), f"is damaged ({error})", REMEDY) from None
        if not str(found.url).startswith("http://"):
            raise StateError(str(path), "has no URL of a crawl", "use the program that runs the crawl")
        return found


logger = logging.getLogger(__name__)

JOURNAL = "control.jsonl"


def note(folder: Path, time: float, verb: str, what: Mapping[str, Any]) -> None:
    """Record a change, in the log and in the job's folder. User input is JSON in the log too, so that it cannot forge a log line."""
    logger.info("Control: %s%s", verb, f" {json.dumps(what, ensure_ascii=True)}" if what else "")
    line = json.dumps({"time": round(time, 3), "verb": verb, **what}, ensure_ascii=False)
    with (
        file_faults(StateError, folder / JOURNAL, "cannot be written", "make room"),
        (folder / JOURNAL).open("a", encoding="utf-8", errors="backslashreplace") as file,
    ):
        file.write(f"{line}\n")


def orders(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the recorded changes of a job, oldest first; a line that a kill has cut short is left out."""
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
            except (ValueError, RecursionError):
                continue
            if isinstance(order, dict) and "verb" in order:
                yield order


PATIENCE_SECONDS = 30.0  # long, because `block` searches the whole queue
METRICS = "metrics"  # the verb whose response is plain text, not JSON


def ask(
    folder: Path,
    verb: str,
    body: Mapping[str, object] | None = None,
    patience: float = PATIENCE_SECONDS,
) -> Any:
    """Send a request to the crawl and return its response: a JSON object, or a text for METRICS.

    `body`: JSON for a verb that changes something; None = the verb only reads. `patience`: timeout in
    seconds. StateError when there is no response, or one of another program; ArgumentError when the crawl refuses the request.
    """
    address = Address.read(folder)
    try:
        status, kind, text = _exchange(address, f"/{verb}", body, patience)
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
    except (ValueError, KeyError, TypeError, RecursionError):
        fault = f"another program answers at {address.url}"
        raise StateError(f"job {folder}", fault, REMEDY) from None
    raise ArgumentError(what, fault, remedy)


@dataclass(frozen=True, slots=True)
class RunningCrawl:
    """The crawl that runs in the folder of a job (crawling.judging.Running)."""

    folder: Path

    @property
    def page_threshold(self) -> float:
        return float(ask(self.folder, "status")["page_threshold"])

    def teach(self, keep: bool) -> int:
        return int(ask(self.folder, "teach", body={"keep": keep})["queued"])

    def write(self, changes: Changes) -> None:
        names = ("pages", "kept", "sampled", "stored")
        ask(self.folder, "judge", body={name: getattr(changes, name) for name in names})

    def judged(self, found: JudgedAgain, again: Sequence[str]) -> int:
        names = ("gained", "copies", "refused", "restored", "found", "kinds", "formats")
        numbers = {name: getattr(found, name) for name in names}
        return int(ask(self.folder, "judged", body={**numbers, "again": [*again]})["queued"])


def running_in(folder: Path) -> RunningCrawl | None:
    """The crawl that runs in the folder of a job; None when none does."""
    return RunningCrawl(folder) if is_listening(folder) else None


def judge_if_changed(folder: Path, found: Mapping[str, Any]) -> None:
    """Judge the stored pages of a job again, if the response to `set` says that its topic or its page threshold was changed."""
    if found.get("name") in {"topic", "page_threshold"} and not found.get("preview"):
        from topiccrawler.crawling.teaching import judge_job  # late: most requests need none of its imports

        judge_job(folder, running=running_in(folder))


def is_listening(folder: Path) -> bool:
    """Whether a program listens at the address in a job's folder. No request is sent to it."""
    try:
        place = urlsplit(Address.read(folder).url)
        socket.create_connection((place.hostname or "", place.port or 0), timeout=1.0).close()
    except (StateError, OSError, ValueError):
        return False
    return True


def _exchange(
    address: Address, path: str, body: Mapping[str, object] | None, patience: float
) -> tuple[int, str, str]:
    """Send one HTTP request and return status, content type and body of the response."""
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

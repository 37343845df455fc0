"""Joins a process to a crawl in Redis: compares the recipe, and assigns a session and a slot to the worker.

A session is never reused; it fences off a worker that was declared dead. A slot is the lowest number that no living worker has. Its notes
(counts, blocks, budgets) are read when a worker joins, kept in memory, and written with the other changes, so the next worker on a slot
continues with them. A worker of this machine whose process has ended is declared dead at once. A worker that leaves sends its last
changes; then its hosts are free.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from topiccrawler.cluster.redis.client import Client
from topiccrawler.cluster.redis.connection import CALL_SECONDS, Connection
from topiccrawler.cluster.redis.records import Batch
from topiccrawler.errors import StateError

_PROC = Path("/proc")


def identity() -> str:
    """An identifier of this process, unique over machines; "" where the system has none."""
    try:
        return f"{_machine()} {os.getpid()} {_started(os.getpid())}"
    except (OSError, IndexError):
        return ""


def has_ended(who: str) -> bool:
    """True when the process with this identifier is known to have ended; False for processes of other machines."""
    machine, _, rest = who.partition(" ")
    pid, _, started = rest.partition(" ")
    try:
        if not started or machine != _machine():
            return False
        return _started(int(pid)) != started
    except (FileNotFoundError, ProcessLookupError):
        return True
    except (OSError, ValueError, IndexError):
        return False


def _machine() -> str:
    """An identifier of this machine since it was booted; containers with their own process numbers count as machines."""
    boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}/{(_PROC / 'self/ns/pid').readlink()}"


def _started(pid: int) -> str:
    """The start time of a process in clock ticks since boot: process numbers are reused."""
    return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]


class RedisNotes:
    """The notes of a slot, which the next worker on it finds: see frontier.base.Notes."""

    def __init__(self, batch: Batch, texts: dict[str, str]) -> None:
        self._batch, self._texts = batch, texts

    def put(self, name: str, text: str) -> None:
        if self._texts.get(name) != text:
            self._texts[name] = text
            self._batch.note(name, text)

    def get(self, name: str) -> str | None:
        return self._texts.get(name)

    def all(self, prefix: str = "") -> Mapping[str, str]:
        return {name: text for name, text in self._texts.items() if name.startswith(prefix)}


def texts_of(raw: Mapping[bytes, bytes]) -> dict[str, str]:
    """Decode the names and texts of notes from the server."""
    return {name.decode(): text.decode() for name, text in raw.items()}


NUMBERS = 10_000  # numbers for new URLs, reserved at a time


@dataclass(slots=True)
class Membership:
    """The session and slot of a worker in a crawl. `renew()` joins again, after the worker was declared dead."""

    client: Client
    session: str
    slot: int
    numbers: range
    live: int
    worker_seconds: float
    server_time: float
    call_seconds: float  # that the reactor waits for a reply
    renew: Callable[[Connection], Membership]
    notes: dict[str, str] = field(default_factory=dict)
    begun: bool = False  # the entry of the seeds was sent before this worker joined
    harvest: tuple[int, int, int] = (0, 0, 0)  # pages fetched and kept by all workers, and articles
    learned: Sequence[bytes | None] = ()  # the newest state: the reply of scripts/learned.lua


WORKER_SECONDS = 30.0  # without a sign of life, until a process is declared dead and its hosts are free
MADE_OF = "made_of"


def join(
    client: Client,
    recipe: Mapping[str, Any] | None = None,
    *,
    worker_seconds: float = WORKER_SECONDS,
    made_of: Mapping[str, Any] | None = None,
    call_seconds: float = CALL_SECONDS,
) -> Membership:
    """Join a crawl, or begin it. `recipe`: the options that must be equal for all its workers, name -> value as typed.

    `made_of`: the whole recipe of the worker that begins the crawl, for commands that read it (server.RedisView).
    `call_seconds`: a reply that takes longer counts as none. `worker_seconds`: a worker without a sign of life for so long is
    declared dead. StateError when the crawl was begun with another recipe.
    """
    text = json.dumps(dict(recipe or {}), sort_keys=True, ensure_ascii=False)
    processes = hash_of(client.read("HGETALL", "processes"))
    ended = [session for session, who in processes.items() if has_ended(who.decode())]
    joined = _join(client, text, worker_seconds, call_seconds, client.run, ended)
    joined.notes = texts_of(hash_of(client.read("HGETALL", f"notes:{joined.slot}")))
    joined.begun = bool(client.read("EXISTS", "seeded"))
    pages, kept, articles = client.read("HMGET", "harvest", "pages", "kept", "articles")
    joined.harvest = (int(pages or 0), int(kept or 0), int(articles or 0))
    joined.learned = client.run("learned", [])
    client.read("SETNX", MADE_OF, json.dumps(dict(made_of or {}), ensure_ascii=False))
    return joined


def _join(
    client: Client, recipe: str, seconds: float, call_seconds: float, run: Any, ended: Sequence[bytes] = ()
) -> Membership:
    session, slot, first, time, begun_with, live = run("join", [seconds, recipe, NUMBERS, identity(), *ended])
    if not session:
        raise _other(client, json.loads(begun_with), json.loads(recipe))
    begin = int(first)

    def renew(connection: Connection) -> Membership:
        return _join(client, recipe, seconds, call_seconds, connection.ask)

    place = client, session.decode(), int(slot), range(begin, begin + NUMBERS)
    return Membership(*place, int(live), seconds, float(time), call_seconds, renew)


def _other(client: Client, begun: Mapping[str, Any], asked: Mapping[str, Any]) -> StateError:
    """The StateError that names the first difference between two recipes."""
    for name, value in begun.items():
        if asked.get(name) != value:
            fault = f"this crawl was begun with {name} {value!r}, not {asked.get(name)!r}"
            remedy = "give the same, or begin another with -a job=NAME"
            return StateError(f"Redis {client.name}", fault, remedy)
    return StateError(f"Redis {client.name}", "holds another crawl", "begin another with -a job=NAME")


def hash_of(raw: Any) -> dict[bytes, bytes]:
    """A hash as a dict, from the reply of any version of the client."""
    if isinstance(raw, dict):
        return raw
    return dict(zip(raw[::2], raw[1::2], strict=True))

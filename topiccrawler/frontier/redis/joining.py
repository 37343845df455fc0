"""Joining a crawl in Redis: the server is there and new enough, the crawl is this one, and the worker gets its place in it.

A place has a session, never given twice, which fences off a worker that was taken for dead; and a slot, the lowest that no living worker
has: whoever takes the slot of a worker that left goes on with its notes (counts, blocks, budgets).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from topiccrawler.errors import StateError
from topiccrawler.frontier.redis.client import Client
from topiccrawler.frontier.redis.connection import CALL_SECONDS, Connection
from topiccrawler.frontier.redis.membership import NUMBERS, Membership
from topiccrawler.frontier.redis.notes import texts_of
from topiccrawler.frontier.redis.processes import has_ended, identity

logger = logging.getLogger(__name__)

WORKER_SECONDS = 30.0
MADE_OF = "made_of"


def join(
    url: str,
    job: str,
    recipe: Mapping[str, Any] | None = None,
    *,
    worker_seconds: float = WORKER_SECONDS,
    made_of: Mapping[str, Any] | None = None,
    call_seconds: float = CALL_SECONDS,
) -> Membership:
    """Join a crawl, or begin it. `recipe`: what must be equal for all its workers, name -> value as typed.

    `made_of`: the whole recipe of the one that begins it, for those who look at the crawl (view.RedisView).
    `call_seconds`: an answer that takes longer counts as none. `worker_seconds`: a worker that gave no sign for so long is taken for dead.
    StateError when the server cannot be used, or the crawl was begun with another recipe.
    """
    client = Client(url, job)
    client.check()
    text = json.dumps(dict(recipe or {}), sort_keys=True, ensure_ascii=False)
    processes = hash_of(client.read("HGETALL", "processes"))
    ended = [session for session, who in processes.items() if has_ended(who.decode())]
    joined = _join(client, text, worker_seconds, call_seconds, client.run, ended)
    joined.notes = texts_of(hash_of(client.read("HGETALL", f"notes:{joined.slot}")))
    joined.begun = bool(client.read("EXISTS", "seeded"))
    pages, kept = client.read("HMGET", "harvest", "pages", "kept")
    joined.harvest = (int(pages or 0), int(kept or 0))
    joined.learned = client.run("learned", [])
    client.read("SETNX", MADE_OF, json.dumps(dict(made_of or {}), ensure_ascii=False))
    if not client.is_durable():
        logger.warning(
            "Redis %s keeps no append-only file: a crash of the server loses the crawl (appendonly yes)",
            client.server,
        )
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

    return Membership(
        client,
        session.decode(),
        int(slot),
        range(begin, begin + NUMBERS),
        int(live),
        seconds,
        float(time),
        call_seconds,
        renew,
    )


def _other(client: Client, begun: Mapping[str, Any], asked: Mapping[str, Any]) -> StateError:
    """The first thing that differs."""
    for name, value in begun.items():
        if asked.get(name) != value:
            fault = f"this crawl was begun with {name} {value!r}, not {asked.get(name)!r}"
            return StateError(
                f"Redis {client.name}", fault, "give the same, or begin another with -a job=NAME"
            )
    return StateError(f"Redis {client.name}", "holds another crawl", "begin another with -a job=NAME")


def hash_of(raw: Any) -> dict[bytes, bytes]:
    """A hash, as any version of the client gives it."""
    if isinstance(raw, dict):
        return raw
    return dict(zip(raw[::2], raw[1::2], strict=True))

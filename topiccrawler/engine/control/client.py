"""Asks a running crawl, and tells in one line why it does not answer."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from topiccrawler.engine.control.address import FILE, REMEDY, Address
from topiccrawler.errors import ArgumentError, CrawlerError, StateError

PATIENCE_SECONDS = 30.0  # a block looks through the whole queue


def ask(
    folder: Path,
    verb: str,
    query: Mapping[str, object] | None = None,
    body: Mapping[str, object] | None = None,
    patience: float = PATIENCE_SECONDS,
) -> dict[str, Any]:
    """The crawl's answer to a verb; `body`: of a verb that changes something; `patience`: seconds. StateError when nobody answers,
    ArgumentError when the crawl refuses."""
    text = ask_text(folder, verb, query, body, patience)
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise StateError(f"job {folder}", "another program answers in place of the crawl", REMEDY)
    return answer


def ask_text(
    folder: Path,
    verb: str,
    query: Mapping[str, object] | None = None,
    body: Mapping[str, object] | None = None,
    patience: float = PATIENCE_SECONDS,
) -> str:
    """The same as text."""
    address = Address.read(folder)
    path = f"/{verb}" + (f"?{urlencode(query)}" if query else "")
    try:
        status, text = _exchange(address, path, body, patience)
    except (OSError, http.client.HTTPException, ValueError) as failure:
        why = str(failure) or type(failure).__name__
        fault = f"nobody answers at {address.url} ({why}); a killed crawl leaves {FILE} behind"
        raise StateError(f"job {folder}", fault, REMEDY) from None
    if status == http.client.OK:
        return text
    try:
        refusal = json.loads(text)
        told: CrawlerError = ArgumentError(
            str(refusal["what"]), str(refusal["fault"]), str(refusal["remedy"])
        )
    except (ValueError, KeyError, TypeError):
        told = StateError(f"job {folder}", f"another program answers at {address.url}", REMEDY)
    raise told


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
) -> tuple[int, str]:
    place = urlsplit(address.url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=patience)
    headers = {"Authorization": f"Bearer {address.token}", "Content-Type": "application/json"}
    try:
        if body is None:
            connection.request("GET", path, headers=headers)
        else:
            connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace")
    finally:
        connection.close()

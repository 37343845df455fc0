"""Asks a running crawl, and tells in one line why it does not answer."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from topiccrawler.engine.control.address import FILE, REMEDY, Address
from topiccrawler.errors import ArgumentError, StateError

PATIENCE_SECONDS = 30.0  # a block looks through the whole queue


def ask(
    folder: Path,
    verb: str,
    query: Mapping[str, object] | None = None,
    body: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """The crawl's answer to a verb; `body`: of a verb that changes something. StateError when nobody answers, ArgumentError when
    the crawl refuses."""
    address = Address.read(folder)
    path = f"/{verb}" + (f"?{urlencode(query)}" if query else "")
    try:
        status, text = _exchange(address, path, body)
        answer = json.loads(text)
    except (OSError, http.client.HTTPException, ValueError) as failure:
        why = str(failure) or type(failure).__name__
        fault = f"nobody answers at {address.url} ({why}); a killed crawl leaves {FILE} behind"
        raise StateError(f"job {folder}", fault, REMEDY) from None
    if not isinstance(answer, dict) or (status != http.client.OK and "fault" not in answer):
        raise StateError(f"job {folder}", f"another program answers at {address.url}", REMEDY)
    if status != http.client.OK:
        raise ArgumentError(str(answer.get("what")), str(answer["fault"]), str(answer.get("remedy")))
    return answer


def _exchange(address: Address, path: str, body: Mapping[str, object] | None) -> tuple[int, bytes]:
    place = urlsplit(address.url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE_SECONDS)
    headers = {"Authorization": f"Bearer {address.token}", "Content-Type": "application/json"}
    try:
        if body is None:
            connection.request("GET", path, headers=headers)
        else:
            connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()

"""A stored page as plain values, for every format the same names in the same order."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Any

from topiccrawler.items import PageFields
from topiccrawler.store.pages import PageRecord

NAMES = (*(field.name for field in fields(PageFields)), "content_hash", "media")


def plain(record: PageRecord) -> dict[str, Any]:
    """The fields of the page; `media` is a list."""
    found = asdict(record)
    found["media"] = json.loads(record.media or "[]")
    return {name: found[name] for name in NAMES}

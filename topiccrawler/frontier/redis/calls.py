"""A call of the server on its way between two threads, and what calls cost."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from topiccrawler.frontier.redis.batch import Argument


@dataclass(slots=True)
class Call:
    """Of a script."""

    name: str
    arguments: Sequence[Argument]
    batch: int = 0  # of changes; 0 = a question
    done: threading.Event = field(default_factory=threading.Event)
    reply: Any = None
    error: Exception | None = None
    late: bool = False  # nobody waits for the reply any more


@dataclass(slots=True)
class Figures:
    """Since the start."""

    calls: int = 0
    wait_seconds: float = 0.0  # of the reactor
    busy_seconds: float = 0.0  # of the thread
    outages: int = 0
    fenced: int = 0  # changes refused because their host has another owner

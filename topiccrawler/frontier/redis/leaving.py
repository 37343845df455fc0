"""How a worker leaves a crawl: its last changes are made, then its hosts are everybody's."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping

from topiccrawler.frontier.redis.client import AwayError
from topiccrawler.frontier.redis.connection import BACK, Connection

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.05


def leave(connection: Connection, session: str, clocks: Mapping[str, bytes], seconds: float) -> None:
    """Waits so long for a server that is away; then the worker counts as dead once its time has passed. `clocks`: of its hosts."""
    if connection.is_closed:
        return
    told = [part for host_and_clock in clocks.items() for part in host_and_clock]
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            if connection.state == BACK:
                connection.resume(list(clocks))
            connection.ask("leave", [session, *told], left)
        except AwayError:
            time.sleep(POLL_SECONDS)
        else:
            return
    logger.warning("Redis is away: the last changes are not made, and what was under way is fetched again")

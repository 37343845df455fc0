"""A port that is open from the start of a crawl, and a server behind it from the first caller on.

Most crawls are never asked anything, and the server's library takes .2 s of CPU to import.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

_WAITING = 64  # callers, until the server takes them


class Listening:
    """Waits for the first caller; `serve` is then given the socket, with that caller still in it, and owns it."""

    def __init__(self, serve: Callable[[socket.socket], Awaitable[None]]) -> None:
        self._serve = serve
        self._socket: socket.socket | None = None
        self._serving: asyncio.Future[None] | None = None

    def open(self, host: str, port: int) -> str:
        """Take the port (0 = one that the system picks) and return the address without a path. OSError when that cannot be."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=_WAITING)
        self._socket.setblocking(False)
        asyncio.get_running_loop().add_reader(self._socket, self._begin)
        return f"http://{f'[{host}]' if ':' in host else host}:{self._socket.getsockname()[1]}"

    async def close(self) -> None:
        """Let go of the port, or wait until the server that has it stands."""
        if self._serving is not None:
            await self._serving
        elif self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()

    def _begin(self) -> None:
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._serving = asyncio.ensure_future(self._serve(self._socket))

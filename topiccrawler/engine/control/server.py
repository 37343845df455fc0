"""The HTTP server for control requests to a running crawl, on Scrapy's own event loop.

Anyone who has the token may control the crawl. But a browser sends requests for any web page, also through a foreign host name that
resolves to this machine (DNS rebinding). So besides the token, the Host header must be this machine's address, the Origin header must be
absent or this server, and the body of a POST must be JSON.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import logging
import socket
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from topiccrawler.engine.control.client import Address
from topiccrawler.errors import ArgumentError, CrawlerError


class RefusedError(Exception):
    """A request that is refused with an HTTP status."""

    def __init__(self, status: int, fault: str, remedy: str) -> None:
        self.status, self.fault, self.remedy = status, fault, remedy
        super().__init__(fault)


def admit(headers: Mapping[str, str], host: str, port: int) -> None:
    """Raise RefusedError for a foreign Host header, and for a request that another web site caused. `host`, `port`: where the server
    listens."""
    named = headers.get("Host", "")
    if not is_here(named, host, port):
        raise RefusedError(403, "a foreign Host header", "use the address that the server has announced")
    origin, site = headers.get("Origin"), headers.get("Sec-Fetch-Site", "none")
    # our own forms have Referrer-Policy: no-referrer, which makes their Origin `null`
    opaque = origin == "null" and site == "same-origin"
    if (origin not in {None, f"http://{named}"} and not opaque) or site not in {"none", "same-origin"}:
        raise RefusedError(403, "it comes from another site", "ask from this machine, not from a web page")


def is_here(header: str, host: str, port: int) -> bool:
    """Whether a Host header is an IP address, localhost or the configured `host`, with exactly this port."""
    try:
        named = urlsplit(f"//{header}")
        name, named_port = named.hostname or "", named.port
    except ValueError:
        return False
    if named_port != port:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in {"localhost", host.lower()}
    return True


logger = logging.getLogger(__name__)

MOST_BYTES = 32_000_000  # of a request's body: judgements of all copies in a large job
SHUTDOWN_SECONDS = 2.0  # time for responses under way at the end
Values = Mapping[str, Any]
Verb = Callable[[Values], Awaitable[Values | str]]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """The HTTP server: `asks` are the verbs for GET, `orders` those for POST, by name. A verb's result is sent as text if it is a str, else
    as JSON.

    `address`: URL and token. `host`: the name or address that the server listens on, by the settings.
    """

    def __init__(
        self, address: Address, host: str, asks: Mapping[str, Verb], orders: Mapping[str, Verb]
    ) -> None:
        app = web.Application(middlewares=[self._guard], client_max_size=MOST_BYTES)
        for name, verb in asks.items():
            app.router.add_get(f"/{name}", _answering(verb))
        for name, verb in orders.items():
            app.router.add_post(f"/{name}", _answering(verb))
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
        self._address, self._host = address, host

    async def start(self, listening: socket.socket) -> None:
        """Accept connections from a listening socket; `stop` closes it."""
        await self._runner.setup()
        await web.SockSite(self._runner, listening).start()

    async def stop(self) -> None:
        """Stop the server and close its socket."""
        await self._runner.cleanup()

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            self._admit(request)
            return await handler(request)
        except RefusedError as refusal:
            return _fault(refusal.status, f"{request.method} {request.path}", refusal.fault, refusal.remedy)
        except CrawlerError as error:
            return _fault(400, error.what, error.fault, error.remedy)
        except web.HTTPException as error:
            return _fault(
                error.status, f"{request.method} {request.path}", error.reason, "see docs/control.md"
            )
        except Exception:
            logger.exception("Control: %s %s failed", request.method, request.path)
            return _fault(500, f"{request.method} {request.path}", "failed", "the crawl's log says why")

    def _admit(self, request: web.Request) -> None:
        admit(request.headers, self._host, urlsplit(self._address.url).port or 0)
        token = request.headers.get("Authorization", "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(token, f"Bearer {self._address.token}".encode()):
            raise RefusedError(401, "no token, or a wrong one", "send Authorization: Bearer and the token")
        if request.method == "POST" and request.content_type != "application/json":
            raise RefusedError(415, "a body that is no JSON", "send Content-Type: application/json")


def _answering(verb: Verb) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        found = await verb(await _of_body(request) if request.method == "POST" else {})
        if isinstance(found, str):
            return web.Response(text=found)
        return _as_json(found)

    return answer


async def _of_body(request: web.Request) -> Values:
    try:
        body = json.loads(await request.text() or "{}")
    except (ValueError, LookupError, RecursionError):  # LookupError: a charset that does not exist
        body = None
    if not isinstance(body, dict):
        raise ArgumentError(f"POST {request.path}", "is no JSON object", 'send {"name": "value"}')
    return body


def _fault(status: int, what: str, fault: str, remedy: str) -> web.Response:
    return _as_json({"what": what, "fault": fault, "remedy": remedy}, status)


def _as_json(found: Values, status: int = 200) -> web.Response:
    """A JSON response. A lone surrogate, which may come from a request, is escaped as in JSON."""
    body = json.dumps(found, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return web.Response(status=status, body=body, content_type="application/json", charset="utf-8")

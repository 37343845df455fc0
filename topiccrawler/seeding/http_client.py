"""Fetches single URLs outside a crawl with aiohttp, with limits of time and size, and optionally without access to private networks.

The guard is needed where strangers choose the host. The conflict: a host name may resolve to a private address, and to another address
each time. So a host with the name or address of a private network is refused before anything is sent, and the resolved addresses of a name
are checked just before the connection is made to them. Behind a proxy, the proxy resolves names. Redirects are checked in the same way.
Certificates are verified if `certified` is true; a crawl does not verify them.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from socket import AF_INET, AddressFamily

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientHandlerType,
    ClientRequest,
    ClientResponse,
    ClientResponseError,
    ClientSession,
    ClientTimeout,
    TCPConnector,
    TooManyRedirects,
)
from aiohttp.abc import ResolveResult
from aiohttp.resolver import ThreadedResolver

from topiccrawler.errors import one_line
from topiccrawler.urls.unwanted import is_inside, is_private_answer

_PIECE_BYTES = 1 << 16
_is_direct = ContextVar("is_direct", default=True)  # the request that resolves a name uses no proxy


class PrivateAddressError(OSError):
    """A URL from a stranger leads into a private network."""


class NoAnswerError(Exception):
    """There is no response; the message is the reason in one line."""


class BadAnswerError(NoAnswerError):
    """The response violates the HTTP protocol."""


class HttpClient:
    """Sends single HTTP requests.

    `agent`: the User-Agent header. `seconds`: time limit for each wait on the network. `guarded`: refuse hosts in private networks.
    `certified`: verify certificates.
    """

    def __init__(self, agent: str, *, seconds: float, guarded: bool, certified: bool = False) -> None:
        self._headers = {"User-Agent": agent, "Accept": "*/*", "Accept-Encoding": "identity"}
        self._waits = ClientTimeout(total=None, connect=seconds, sock_connect=seconds, sock_read=seconds)
        self._guarded, self._certified = guarded, certified

    def ask(self, url: str, method: str = "GET", most: int = 0) -> tuple[int, bytes]:
        """Request a URL and return the status after redirects and at most `most` bytes of the body.

        Raises NoAnswerError if there is no response, or if the text is no http(s) URL.
        """
        return asyncio.run(self.answer(url, method, most))

    async def answer(self, url: str, method: str = "GET", most: int = 0) -> tuple[int, bytes]:
        """Request a URL as `ask` does, inside a running event loop."""
        try:
            return await self._answer(url, method, most)
        except TimeoutError:
            raise NoAnswerError("timed out") from None
        except TooManyRedirects:
            raise NoAnswerError("redirects without end") from None
        except ClientConnectorError as failure:
            refused = isinstance(failure.os_error, ConnectionRefusedError)
            raise NoAnswerError("connection refused" if refused else one_line(failure.os_error)) from None
        except ClientResponseError as failure:
            raise BadAnswerError(one_line(failure.message)) from None
        except (OSError, ClientError, ValueError) as failure:
            raise NoAnswerError(one_line(failure) or type(failure).__name__) from None

    async def _answer(self, url: str, method: str, most: int) -> tuple[int, bytes]:
        connector = TCPConnector(ssl=self._certified, resolver=_Resolver() if self._guarded else None)
        made = ClientSession(
            connector=connector,
            timeout=self._waits,
            headers=self._headers,
            trust_env=True,
            middlewares=(self._check_request,),
        )
        async with made as session, session.request(method, url) as answer:
            body = b""
            while piece := await answer.content.read(min(_PIECE_BYTES, most - len(body))):
                body += piece
            return answer.status, body

    async def _check_request(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """Check a request before it is sent; aiohttp calls this for redirects too.

        Removes the credentials that aiohttp reads from the user's .netrc, which must not reach strangers.
        """
        request.headers.pop("Authorization", None)
        host = request.url.host or ""
        if self._guarded and is_inside(host):
            raise PrivateAddressError(f"private address: {host}")
        _is_direct.set(request.proxy is None)
        return await handler(request)


class _Resolver(ThreadedResolver):
    async def resolve(self, host: str, port: int = 0, family: AddressFamily = AF_INET) -> list[ResolveResult]:
        found = await super().resolve(host, port, family)
        for address in (one["host"] for one in found if _is_direct.get()):
            if is_private_answer(address):
                raise PrivateAddressError(f"private address: {host} = {address}")
        return found

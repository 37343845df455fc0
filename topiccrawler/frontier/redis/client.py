"""Calls of one Redis server: each of our scripts by its name, and what the server or the network says as one line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from topiccrawler.errors import ArgumentError, CrawlerError, StateError
from topiccrawler.frontier.redis.batch import Argument
from topiccrawler.frontier.redis.keys import check_address, prefix_of, shown
from topiccrawler.frontier.redis.scripts import script

OLDEST = (6, 2)
CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 20.0  # a server that takes longer for a call counts as away
MISSING = "REDIS_URL needs the package redis"


class AwayError(Exception):
    """The server cannot be reached, or is not ready yet: what was asked may be asked again later."""


class Client:
    """A connection of its own to the namespace of one crawl; for one thread."""

    def __init__(self, url: str, job: str, answer_seconds: float = ANSWER_SECONDS) -> None:
        try:
            import redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError:
            remedy = "pip install -r requirements-redis.txt"
            raise ArgumentError(MISSING, "which is not there", remedy) from None
        self.name = f"{shown(url)} job {job}"
        self.prefix = prefix_of(job)
        self.server = shown(url)
        self._faults = redis.exceptions
        self.connects = 0  # how often a connection was made
        try:
            self._redis = redis.Redis.from_url(
                check_address(url),
                socket_timeout=answer_seconds,
                socket_connect_timeout=min(CONNECT_SECONDS, answer_seconds),
                retry=Retry(NoBackoff(), 0),
                protocol=2,
                redis_connect_func=self._connected,
            )
        except ValueError as error:
            raise ArgumentError(f"REDIS_URL={shown(url)}", "cannot be read", str(error)) from None
        self._digests: dict[str, str] = {}

    def check(self) -> None:
        """StateError when there is no such server, it refuses us or is too old."""
        remedy = "start it, or give another REDIS_URL"
        try:
            info: Any = self._call("INFO", "server")
        except AwayError as error:
            raise StateError(f"Redis {self.server}", f"cannot be reached: {error}", remedy) from None
        version = str(info.get("redis_version", "0"))
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
            fault = f"is of version {version}"
            raise StateError(f"Redis {self.server}", fault, "it must be 6.2 or newer (Valkey alike)")

    def is_durable(self) -> bool:
        """The server writes what it holds to an append-only file; True when it does not say."""
        info: Any = self._call("INFO", "persistence")
        return bool(int(info.get("aof_enabled", 1)))

    def run(self, name: str, arguments: Sequence[Argument]) -> Any:
        """Run a script. AwayError, or StateError for what will not pass by itself."""
        if name not in self._digests:
            self._digests[name] = hashlib.sha1(script(name).encode()).hexdigest()  # noqa: S324 as Redis has it
        try:
            return self._call("EVALSHA", self._digests[name], 1, self.prefix, *arguments)
        except self._faults.NoScriptError:
            return self._call("EVAL", script(name), 1, self.prefix, *arguments)

    def read(self, command: str, name: str, *arguments: Argument) -> Any:
        """A command on one key of the crawl."""
        return self._call(command, self.prefix + name, *arguments)

    def keys(self, pattern: str) -> list[str]:
        """Names of the crawl's keys. O(keys of the server), in steps that block nobody."""
        start = len(self.prefix)
        escaped = self.prefix.replace("[", "\\[") + pattern
        try:
            return [
                key[start:].decode("utf-8", "replace") for key in self._redis.scan_iter(escaped, count=1000)
            ]
        except self._faults.RedisError as error:
            raise AwayError(str(error)) from None

    def close(self) -> None:
        """Let go of the connection."""
        self._redis.close()

    def _connected(self, connection: Any) -> None:
        self.connects += 1
        connection.on_connect()

    def _call(self, *command: Argument) -> Any:
        faults = self._faults
        try:
            return self._redis.execute_command(*command)  # type: ignore[no-untyped-call]
        except faults.NoScriptError:
            raise
        except (faults.AuthenticationError, faults.NoPermissionError) as error:
            raise self._fault(f"refuses us: {error}", "check user and password in REDIS_URL") from None
        except (faults.BusyLoadingError, faults.ConnectionError, faults.TimeoutError) as error:
            raise AwayError(str(error) or type(error).__name__) from None
        except faults.ResponseError as error:
            text = str(error)
            if text.startswith(("NOAUTH", "WRONGPASS")):
                raise self._fault(f"refuses us: {text}", "check user and password in REDIS_URL") from None
            if text.startswith(("BUSY ", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN")):
                raise AwayError(text) from None
            raise self._fault(f"answers {text}", "mend the server, then give the command again") from None
        except OSError as error:
            raise AwayError(str(error)) from None

    def _fault(self, fault: str, remedy: str) -> CrawlerError:
        return StateError(f"Redis {self.server}", fault, remedy)
